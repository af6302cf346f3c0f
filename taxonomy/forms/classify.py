"""The form of the page that says where a text belongs."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms

from taxonomy.core.records import TEXT_MAX, TITLE_MAX, URL_MAX, ExampleRecord, clean_text, clean_url
from taxonomy.models import Focus, Taxonomy
from taxonomy.selectors.topics import WebAddress, web_address
from taxonomy.services.shipped import SHIPPED_SLUG

PATH_MAX = 4000


class FetchForm(forms.Form):
    """The address of a page to fetch and judge."""

    url = forms.CharField(
        label="Web address",
        max_length=URL_MAX,
        help_text="The page is fetched once, if its site's robots.txt allows it.",
        error_messages={"required": "Give the address of a page, starting with https://."},
        widget=forms.TextInput(
            attrs={"inputmode": "url", "spellcheck": "false", "autocomplete": "off"}
        ),
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "fetch-%s", **options})


class ClassifyForm(forms.Form):
    """`by` names a taxonomy ("world") or a focus on one ("world/hills")."""

    by = forms.ChoiceField(
        label="Judge with",
        help_text="With a focus you also see the relevance to its good topics.",
        error_messages={"invalid_choice": "This tree or focus is gone. Choose another."},
    )
    title = forms.CharField(
        label="Title (optional)",
        max_length=TITLE_MAX,
        required=False,
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    text = forms.CharField(
        max_length=TEXT_MAX,
        required=False,
        help_text=f"Up to {TEXT_MAX:,} characters. It is not kept unless you add it as an example.",
        error_messages={
            "max_length": (
                f"The text has %(show_value)s characters; {TEXT_MAX:,} fit. Paste a part of it."
            )
        },
        widget=forms.Textarea(attrs={"rows": 12, "data-search": ""}),
    )
    source = forms.CharField(max_length=URL_MAX, required=False, widget=forms.HiddenInput())
    toward = forms.CharField(max_length=PATH_MAX, required=False, widget=forms.HiddenInput())
    why = forms.CharField(max_length=PATH_MAX, required=False, widget=forms.HiddenInput())

    def __init__(
        self, *args: Any, taxonomies: Iterable[Taxonomy], focuses: Iterable[Focus], **options: Any
    ) -> None:
        super().__init__(*args, **{"auto_id": "classify-%s", **options})
        # A NUL makes Django refuse the whole text; a page may hold one, so it is taken out first.
        self.data = _without_nul(self.data) if self.is_bound else self.data
        self.taxonomies = {taxonomy.slug: taxonomy for taxonomy in taxonomies}
        self.focuses = {f"{each.taxonomy.slug}/{each.slug}": each for each in focuses}
        del self.fields["text"].widget.attrs["maxlength"]  # browsers would cut it and not say so
        by = cast("forms.ChoiceField", self.fields["by"])
        by.choices = [(each.name, self._options(each)) for each in self.taxonomies.values()]
        by.initial = min(self.taxonomies, key=lambda slug: slug != SHIPPED_SLUG, default="")

    def _options(self, taxonomy: Taxonomy) -> list[tuple[str, str]]:
        own = [(key, each) for key, each in self.focuses.items() if each.taxonomy_id == taxonomy.pk]
        named = [(key, f"{taxonomy.name}, focus {focus.name}") for key, focus in own]
        return [(taxonomy.slug, f"{taxonomy.name}, all topics"), *named]

    def clean_title(self) -> str:
        return clean_text(self.cleaned_data["title"], TITLE_MAX)

    def clean_text(self) -> str:
        return clean_text(self.cleaned_data["text"], TEXT_MAX)

    @property
    def taxonomy(self) -> Taxonomy:
        return self.taxonomies[self.by_key.partition("/")[0]]

    @property
    def focus(self) -> Focus | None:
        return self.focuses.get(self.by_key)

    @property
    def has_text(self) -> bool:
        return bool(self.cleaned_data["title"] or self.cleaned_data["text"])

    @property
    def full_text(self) -> str:
        return f"{self.cleaned_data['title']}\n{self.cleaned_data['text']}"

    def clean_source(self) -> str:
        return clean_url(self.cleaned_data["source"]) or ""

    @property
    def asked_path(self) -> str:
        """The topic to explain: that of the pressed button (`why`), or the one last asked for."""
        return str(self.cleaned_data["why"] or self.cleaned_data["toward"])

    @property
    def address(self) -> WebAddress | None:
        """Where the text was fetched."""
        return web_address(self["source"].value() or "")

    @property
    def record(self) -> ExampleRecord:
        data = self.cleaned_data
        return ExampleRecord((), data["title"], data["source"], data["text"])

    @property
    def by_key(self) -> str:
        """The choice that was made, or the one to begin with."""
        chosen = str(self["by"].value())
        is_known = chosen in self.taxonomies or chosen in self.focuses
        return chosen if is_known else str(self.fields["by"].initial)


def _without_nul(data: Any) -> Any:
    cleaned = dict(data)
    for name in ("title", "text", "source", "toward", "why"):
        if name in cleaned:
            cleaned[name] = str(cleaned[name]).replace("\x00", "")
    return cleaned
