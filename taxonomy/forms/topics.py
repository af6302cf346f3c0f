"""Deeds that change the tree."""

from typing import Any, cast

from django import forms

from focusadmin.accounts.models import User
from focusadmin.lib.text import isolated
from taxonomy.core.records import DESCRIPTION_MAX, START_URLS_MAX, URL_MAX, clean_url
from taxonomy.forms.deeds import DeedForm, TopicField, name_field
from taxonomy.models import TreeEdit
from taxonomy.services import edits


class CreateForm(DeedForm):
    key, heading, button = "create", "New sub-topic in", "Make the topic"
    error_field, is_for_root = "name", True
    name = name_field()

    def do(self, by: User) -> TreeEdit:
        return edits.topic_create(
            taxonomy=self.taxonomy, parent=self.topic, name=self.cleaned_data["name"], by=by
        )


class RenameForm(DeedForm):
    key, heading, button = "rename", "Rename", "Rename"
    error_field = "name"
    name = name_field("New name")

    def topic_values(self) -> dict[str, Any]:
        return {"name": self.topic.shown}

    def do(self, by: User) -> TreeEdit:
        return edits.topic_rename(
            taxonomy=self.taxonomy, topic=self.topic, name=self.cleaned_data["name"], by=by
        )


class MoveForm(DeedForm):
    key, heading, button = "move", "Move", "Move"
    error_field, may_be_top = "to", True
    to = TopicField(label="Move to")

    def do(self, by: User) -> TreeEdit:
        to = self.cleaned_data["to"]
        return edits.topic_move(taxonomy=self.taxonomy, topic=self.topic, to=to, by=by)


class MergeForm(DeedForm):
    key, heading, button = "merge", "Merge", "Merge"
    error_field = "to"
    to = TopicField(label="Merge into")

    def do(self, by: User) -> TreeEdit:
        into = self.cleaned_data["to"]
        return edits.topic_merge(taxonomy=self.taxonomy, topic=self.topic, into=into, by=by)


class DeleteForm(DeedForm):
    key, heading, button = "delete", "Delete", "Delete"
    is_dangerous = True
    where = forms.ChoiceField(label="Where do the examples go?", widget=forms.RadioSelect)
    to = TopicField(label="Another topic", required=False)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        choices = [("topic", "To another topic"), ("with", "They are deleted with the topic")]
        parent = self.topic.parent
        if parent is not None and parent.parent_id:  # the root holds no examples
            choices.insert(0, ("parent", f"To {isolated(parent)}, the topic above"))
        where = cast("forms.ChoiceField", self.fields["where"])
        where.choices, where.initial = choices, choices[0][0]
        if not self.topic.example_count:
            del self.fields["where"], self.fields["to"]

    def clean(self) -> dict[str, Any]:
        is_missing = not self.cleaned_data.get("to") and "to" not in self.errors
        if self.cleaned_data.get("where") == "topic" and is_missing:
            self.add_error("to", "Choose the topic that gets the examples.")
        return self.cleaned_data

    def do(self, by: User) -> TreeEdit:
        targets = {"parent": self.topic.parent, "topic": self.cleaned_data.get("to")}
        to = targets.get(self.cleaned_data.get("where", "with"))
        return edits.topic_delete(taxonomy=self.taxonomy, topic=self.topic, examples_to=to, by=by)


class DescribeForm(DeedForm):
    key, heading, button = "describe", "Description of", "Save"
    description = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 5, "data-first": ""}),
        max_length=DESCRIPTION_MAX,
        required=False,
    )

    def topic_values(self) -> dict[str, Any]:
        return {"description": self.topic.description}

    def do(self, by: User) -> TreeEdit:
        text = self.cleaned_data["description"]
        return edits.topic_describe(
            taxonomy=self.taxonomy, topic=self.topic, description=text, by=by
        )


class StartUrlsForm(DeedForm):
    key, heading, button = "start-urls", "Start URLs of", "Save"
    start_urls = forms.CharField(
        label="Start URLs",
        widget=forms.Textarea(attrs={"rows": 8, "spellcheck": "false", "data-first": ""}),
        help_text="One address a line. A crawl for this topic can begin at these pages.",
        max_length=START_URLS_MAX * URL_MAX,
        required=False,
    )

    def topic_values(self) -> dict[str, Any]:
        return {"start_urls": "\n".join(self.topic.start_urls)}

    def clean_start_urls(self) -> list[str]:
        lines = [line.strip() for line in self.cleaned_data["start_urls"].splitlines()]
        urls: dict[str, None] = {}
        for line in filter(None, lines):
            url = clean_url(line)
            if url is None:
                raise forms.ValidationError(
                    f"{isolated(line[:100])} is no http or https address. Correct or remove it."
                )
            urls[url] = None
        if len(urls) > START_URLS_MAX:
            raise forms.ValidationError(f"These are {len(urls)} addresses; {START_URLS_MAX} fit.")
        return list(urls)

    def do(self, by: User) -> TreeEdit:
        urls = self.cleaned_data["start_urls"]
        return edits.topic_describe(
            taxonomy=self.taxonomy, topic=self.topic, start_urls=urls, by=by
        )
