"""What people do to a topic: each deed is a form that asks for what it needs, and does it."""

from typing import Any, ClassVar

from django import forms
from django.urls import reverse

from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.models import Taxonomy, Topic, TreeEdit
from taxonomy.selectors.search import suggestions, topic_meant
from taxonomy.selectors.trees import paths_of

NAME_FIELD_MAX = 400  # of what is typed; the name itself has a limit of its own, with a message


class IdsField(forms.Field):
    """Ids of things that were chosen on the page before."""

    widget = forms.MultipleHiddenInput
    default_error_messages = {"required": "Choose at least one example first."}

    def to_python(self, value: Any) -> list[int]:
        return [int(each) for each in value or () if str(each).isascii() and str(each).isdigit()]


class TopicField(forms.CharField):
    """A topic by path or name; a script offers what fits while a person types."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            max_length=6_000,
            help_text="Type a name, or a path such as /Arts/Music.",
            error_messages={"required": "Choose a topic."},
            **options,
        )

    def widget_attrs(self, widget: forms.Widget) -> dict[str, Any]:
        plain = {"autocomplete": "off", "spellcheck": "false", "data-suggest": ""}
        return {**super().widget_attrs(widget), **plain}


def name_field(label: str = "Name") -> forms.CharField:
    field = forms.CharField(label=label, max_length=NAME_FIELD_MAX, required=False, strip=False)
    field.widget.attrs.update({"autocomplete": "off", "data-first": ""})
    return field


class DeedForm(forms.Form):
    """Made for one topic; `attempt` does it, or leaves the reason in the form's errors."""

    key: ClassVar[str]
    heading: ClassVar[str]
    button: ClassVar[str]
    error_field: ClassVar[str | None] = None
    asks_for: ClassVar[str] = ""  # a first POST without this field only chose examples
    is_dangerous: ClassVar[bool] = False
    is_for_root: ClassVar[bool] = False  # whether it can be done without a topic
    may_be_top: ClassVar[bool] = False  # whether the top level can be chosen in `to`

    def __init__(self, *args: Any, taxonomy: Taxonomy, topic: Topic, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": f"{self.key}-%s", **options})
        self.taxonomy, self.topic = taxonomy, topic
        self.candidates: list[str] = []

    @property
    def action(self) -> str:
        return reverse(f"taxonomy:topic-{self.key}", args=[self.taxonomy.slug, self.topic.pk])

    def get_initial_for_field(self, field: forms.Field, field_name: str) -> Any:
        known = self.topic_values().get(field_name)
        return self.initial.get(field_name, field.initial if known is None else known)

    def topic_values(self) -> dict[str, Any]:
        """What the fields hold before anybody has typed."""
        return {}

    def do(self, by: User) -> TreeEdit:
        raise NotImplementedError

    def attempt(self, by: User) -> TreeEdit | None:
        if not self.is_valid():
            return None
        try:
            return self.do(by)
        except FocusAdminError as error:
            self.add_error(self.error_field, str(error))
            return None

    def clean_to(self) -> Topic | None:
        text = self.cleaned_data["to"].strip()
        if not text:
            return None
        if text == "/" and not self.may_be_top:
            raise forms.ValidationError("The whole tree can't be used here. Choose a topic in it.")
        if (topic := topic_meant(self.taxonomy, text)) is not None:
            return topic
        self.candidates = list(paths_of(suggestions(self.taxonomy, text)).values())
        if not self.candidates:
            raise forms.ValidationError(f"There is no topic called {isolated(text[:100])}.")
        raise forms.ValidationError("Which topic do you mean? Choose one below.")
