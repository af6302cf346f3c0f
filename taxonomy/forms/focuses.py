"""Forms about focuses, for the same place on the page as the deeds."""

from typing import Any

from django import forms
from django.urls import reverse

from taxonomy.models import Focus, Taxonomy, Topic
from taxonomy.selectors.focuses import good_under


class FocusForm(forms.Form):
    key, heading, button = "focus", "New focus", "Make the focus"
    topic = None
    name = forms.CharField(
        max_length=120,
        label="Name of the focus",
        help_text="What you are interested in, such as “Cycling holidays”.",
        error_messages={"required": "Give the focus a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off", "data-first": ""}),
    )

    def __init__(self, *args: Any, taxonomy: Taxonomy, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "focus-%s", **options})
        self.action = reverse("taxonomy:focus-create", args=[taxonomy.slug])


class ReplaceForm(forms.Form):
    """The offer to replace good sub-topics by the topic above them."""

    key, button = "replace", "Replace"
    status = 409  # of the answer that shows it

    def __init__(self, *args: Any, focus: Focus, topic: Topic, offer: str, **options: Any) -> None:
        super().__init__(*args, **options)
        count = good_under(focus=focus, topic=topic)
        self.topic, self.offer = topic, offer
        self.heading = f"Replace {count} sub-topic{'' if count == 1 else 's'} by"
        self.action = reverse("taxonomy:marks", args=[focus.pk])
