"""Forms of the guided path."""

from collections.abc import Iterable
from typing import Any, cast

from django import forms

from focusadmin.lib.text import isolated
from taxonomy.core.tree import NAME_MAX
from taxonomy.forms.deeds import IdsField, TopicField
from taxonomy.models import Taxonomy, Topic
from taxonomy.selectors.search import suggestions, topic_meant
from taxonomy.selectors.trees import paths_of
from taxonomy.services.drafts import PASTED_MAX
from taxonomy.services.shipped import SHIPPED_SLUG


class NewFocusForm(forms.Form):
    """What a draft begins with; the name can wait."""

    name = forms.CharField(
        max_length=120,
        required=False,
        label="What is it about? (optional)",
        help_text="A name for your focus, such as “Cycling holidays”. You can give it later.",
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    tree = forms.ChoiceField(label="Tree of topics", required=False)

    def __init__(self, *args: Any, taxonomies: Iterable[Taxonomy], **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "new-%s", **options})
        self.taxonomies = {taxonomy.slug: taxonomy for taxonomy in taxonomies}
        choice = cast("forms.ChoiceField", self.fields["tree"])
        choice.choices = [(slug, each.name) for slug, each in self.taxonomies.items()]
        choice.initial = min(self.taxonomies, key=lambda slug: slug != SHIPPED_SLUG, default="")
        if len(self.taxonomies) < 2:
            choice.widget = forms.HiddenInput()

    @property
    def taxonomy(self) -> Taxonomy:
        return self.taxonomies[self.cleaned_data["tree"] or self.fields["tree"].initial]


class UploadForm(forms.Form):
    file = forms.FileField(
        label="A bookmark file",
        help_text="From any browser or bookmark service, up to 50 MB: HTML, JSON, OPML, CSV "
        "or a list of addresses.",
        error_messages={"required": "Choose a file first.", "empty": "This file is empty."},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "upload-%s", **options})


class PasteForm(forms.Form):
    pasted = forms.CharField(
        label="Or paste addresses, one on each line",
        max_length=PASTED_MAX,
        widget=forms.Textarea(attrs={"rows": 4, "spellcheck": "false"}),
        error_messages={"required": "Paste at least one address."},
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "paste-%s", **options})
        del self.fields["pasted"].widget.attrs["maxlength"]


class ContactForm(forms.Form):
    contact = forms.EmailField(
        label="Your e-mail address",
        max_length=254,
        help_text="Told to every site that is visited, so that somebody can be reached.",
        error_messages={
            "required": "Give an address, so that sites can reach somebody.",
            "invalid": "This is no e-mail address. Give one such as ann@example.org.",
        },
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "contact-%s", **options})


class TopicFromExamplesForm(forms.Form):
    """A topic of one's own, made of examples chosen on the page."""

    name = forms.CharField(
        max_length=NAME_MAX,
        label="Name of the topic",
        error_messages={"required": "Give the topic a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    to = TopicField(label="Under which topic?", required=False)
    page = IdsField(required=False)

    def __init__(self, *args: Any, taxonomy: Taxonomy, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "topic-%s", **options})
        self.taxonomy = taxonomy

    def clean_to(self) -> Topic:
        text = self.cleaned_data["to"].strip()
        topic = topic_meant(self.taxonomy, text) if text else self.taxonomy.root
        if topic is None:
            found = paths_of(suggestions(self.taxonomy, text)).values()
            near = f" Did you mean {', '.join(list(found)[:3])}?" if found else ""
            raise forms.ValidationError(f"Which topic is {isolated(text[:100])}?{near}")
        return topic
