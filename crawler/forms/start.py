"""The last form of the guided path: how the crawl shall go about it."""

from typing import Any, cast

from django import forms

from crawler.core.budget import Budget
from crawler.core.config import CrawlConfig
from crawler.core.frontier import registry
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.politeness import LONGEST_DELAY_SECONDS
from taxonomy.models import Focus, FocusDraft
from taxonomy.services.drafts import UNNAMED

PAGES, DEMO_PAGES, PAGES_MOST = 500, 1_000, 10_000_000
DELAY = 2.0


class StartForm(forms.Form):
    """Filled with what was typed before; checked only when the crawl is to start."""

    name = forms.CharField(
        max_length=120,
        label="Name of the focus and of the crawl",
        error_messages={"required": "Give the focus a name."},
        widget=forms.TextInput(attrs={"autocomplete": "off"}),
    )
    strategy = forms.ChoiceField(
        label="Strategy",
        widget=forms.RadioSelect,
        error_messages={"required": "Choose a strategy."},
    )
    max_pages = forms.IntegerField(
        label="Pages at most",
        min_value=1,
        max_value=PAGES_MOST,
        help_text="The crawl ends when it has fetched so many.",
    )
    max_minutes = forms.FloatField(
        label="Minutes at most (optional)", required=False, min_value=0.1, max_value=100_000
    )
    delay_seconds = forms.FloatField(
        label="Seconds between two requests to a site",
        min_value=0,
        max_value=LONGEST_DELAY_SECONDS,
        help_text="A site that asks for more in its robots.txt gets more. robots.txt is obeyed "
        "always.",
    )
    exclusions = forms.CharField(
        label="Stay away from (optional)",
        required=False,
        max_length=20_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text="One on each line: example.com, *.example.com for every name below it, or "
        "example.com/private.",
    )
    keep_bodies = forms.BooleanField(
        label="Keep pages as they were fetched",
        required=False,
        help_text="For web archives. Takes several times the room of the texts alone.",
    )
    contact = forms.CharField(
        label="Contact",
        required=False,
        max_length=254,
        help_text="A mail or web address, told to every site that is visited.",
    )

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **{"auto_id": "start-%s", **options})
        choice = cast("forms.ChoiceField", self.fields["strategy"])
        choice.choices = [(key, registry.entry(key).label) for key in registry.KEYS]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if not self.errors:
            try:
                data["config"] = self._config(data)
            except FocusAdminError as error:
                field = "exclusions" if "exclusions" in str(error) else None
                self.add_error(field, str(error))
        return data

    def _config(self, data: dict[str, Any]) -> CrawlConfig:
        minutes = data["max_minutes"]
        return CrawlConfig(
            strategy=data["strategy"],
            budget=Budget(data["max_pages"], minutes * 60 if minutes else None),
            delay_seconds=data["delay_seconds"],
            keep_bodies=data["keep_bodies"],
            exclusions=tuple(exclusions_in(data["exclusions"])),
        )


def exclusions_in(text: str) -> list[str]:
    return [line.strip() for line in text.splitlines() if line.strip()]


def start_values(
    focus: Focus, draft: FocusDraft, contact: str, topics: list[str]
) -> dict[str, Any]:
    """What the form begins with: sensible values, and over them whatever was typed before."""
    named = focus.name if focus.name != UNNAMED else ", ".join(topics)[:120]
    sensible = {
        "name": named or UNNAMED,
        "strategy": registry.DEFAULT,
        "max_pages": DEMO_PAGES if draft.is_demo else PAGES,
        "delay_seconds": 0 if draft.is_demo else DELAY,
        "contact": draft.contact or contact,
    }
    return {**sensible, **draft.plan}
