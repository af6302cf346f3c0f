"""Deeds that change the examples of a topic."""

from collections.abc import Sequence
from typing import Any

from django import forms

from focusadmin.accounts.models import User
from taxonomy.core.records import TEXT_MAX, TITLE_MAX, URL_MAX, Skipped, make_example
from taxonomy.forms.deeds import DeedForm, IdsField, TopicField, name_field
from taxonomy.models import TreeEdit
from taxonomy.services import edits
from taxonomy.services.pages import example_at


class ExampleAddForm(DeedForm):
    key, heading, button = "example-add", "Add an example to", "Add the example"
    error_field = "url"
    title = forms.CharField(max_length=TITLE_MAX, required=False)
    url = forms.CharField(
        label="Address",
        max_length=URL_MAX,
        required=False,
        widget=forms.TextInput(attrs={"inputmode": "url", "spellcheck": "false", "data-first": ""}),
        help_text="Of a page about this topic; its text is fetched unless you give one.",
    )
    text = forms.CharField(
        max_length=TEXT_MAX, required=False, widget=forms.Textarea(attrs={"rows": 6})
    )
    is_unfetched = forms.BooleanField(
        label="Add the address without fetching its text",
        required=False,
        help_text="For pages that can't be reached from here. Nothing is learnt from them.",
    )
    field_order = ["url", "title", "text", "is_unfetched"]

    def clean(self) -> dict[str, Any]:
        values = {name: self.cleaned_data.get(name, "") for name in ("title", "url", "text")}
        made = make_example(0, (), **values)
        if not (values["url"] or values["text"]):  # a title alone shows too little
            self.add_error("url", "Give an address, a text, or both.")
        elif isinstance(made, Skipped):
            self.add_error("url", f"This can't be used: {made.reason}.")
        else:
            self.cleaned_data["record"] = made
        return self.cleaned_data

    def do(self, by: User) -> TreeEdit:
        record = self.cleaned_data["record"]
        if not record.text and not self.cleaned_data["is_unfetched"]:
            edits.require_new_address(self.topic, record.url)
            record = example_at(record.url, title=record.title, by=by)
        return edits.example_add(taxonomy=self.taxonomy, topic=self.topic, record=record, by=by)


class ChosenForm(DeedForm):
    """Does something with examples chosen on the page."""

    example = IdsField()

    @property
    def chosen(self) -> Sequence[Any]:
        return self["example"].value() or []


class SplitForm(ChosenForm):
    key, heading, button = "split", "New sub-topic of chosen examples in", "Make the topic"
    error_field = asks_for = "name"
    name = name_field("Name of the sub-topic")

    def do(self, by: User) -> TreeEdit:
        name, examples = self.cleaned_data["name"], self.cleaned_data["example"]
        return edits.topic_split(
            taxonomy=self.taxonomy, topic=self.topic, name=name, examples=examples, by=by
        )


class ExamplesMoveForm(ChosenForm):
    key, heading, button = "examples-move", "Move examples of", "Move"
    error_field = asks_for = "to"
    to = TopicField(label="Move the examples to")

    def do(self, by: User) -> TreeEdit:
        to, examples = self.cleaned_data["to"], self.cleaned_data["example"]
        return edits.examples_move(
            taxonomy=self.taxonomy, topic=self.topic, examples=examples, to=to, by=by
        )


class ExamplesRemoveForm(ChosenForm):
    key, heading, button = "examples-remove", "Remove examples of", "Remove"

    def do(self, by: User) -> TreeEdit:
        examples = self.cleaned_data["example"]
        return edits.examples_remove(
            taxonomy=self.taxonomy, topic=self.topic, examples=examples, by=by
        )
