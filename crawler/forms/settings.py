"""The settings of a crawl that may change while it runs."""

from typing import Any

from django import forms
from django.http import Http404

from crawler.core.config import MAX_CONCURRENCY, CrawlConfig
from crawler.core.frontier import registry
from crawler.models import Crawl
from crawler.services.crawls import config_with
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.politeness import LONGEST_DELAY_SECONDS
from taxonomy.models import Topic
from taxonomy.selectors.trees import topic_by_path

_MB = 1024 * 1024
_MOST = 10**9


class _Lines(forms.CharField):
    """One entry a line; empty lines count for nothing."""

    widget = forms.Textarea

    def to_python(self, value: Any) -> list[str]:  # type: ignore[override]  # a list of lines
        lines = [line.strip() for line in str(value or "").splitlines()]
        return list(dict.fromkeys(line for line in lines if line))

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


class SettingsForm(forms.Form):
    strategy = forms.ChoiceField(
        widget=forms.RadioSelect, choices=[(key, key) for key in registry.KEYS]
    )
    good = _Lines(
        label="Good topics",
        help_text="One path a line, such as /Recreation/Cycling. They count in the relevance.",
        error_messages={"required": "A crawl needs at least one good topic."},
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    pass_through = _Lines(
        label="Pass-through topics",
        required=False,
        help_text="They count for priorities only: pages there may lead to good ones.",
        widget=forms.Textarea(attrs={"rows": 3}),
    )
    exclusions = _Lines(
        label="Stay away from",
        required=False,
        help_text="One host, *.host for all names below it, or host/path a line.",
        widget=forms.Textarea(attrs={"rows": 4}),
    )
    max_pages = forms.IntegerField(
        label="Pages at most", required=False, min_value=1, max_value=_MOST
    )
    max_minutes = forms.FloatField(
        label="Minutes at most", required=False, min_value=0.1, max_value=_MOST
    )
    max_megabytes = forms.FloatField(
        label="Megabytes at most", required=False, min_value=0.1, max_value=_MOST
    )
    concurrency = forms.IntegerField(
        label="Fetches at a time", min_value=1, max_value=MAX_CONCURRENCY
    )
    delay_seconds = forms.FloatField(
        label="Seconds between two requests to a host", min_value=0, max_value=LONGEST_DELAY_SECONDS
    )
    keep_bodies = forms.BooleanField(
        label="Keep pages as they were fetched",
        required=False,
        help_text="For web archives. Takes several times the room; earlier pages stay as texts.",
    )

    revisit = forms.BooleanField(
        label="Visit known pages again",
        required=False,
        help_text="Hubs and relevant pages, by how often they change; after the end in rounds.",
    )
    revisit_share = forms.FloatField(
        label="Percent of the pages fetched", required=False, min_value=1, max_value=90
    )
    revisit_least = forms.FloatField(
        label="Hours between two visits, at least", required=False, min_value=0.01, max_value=8_784
    )
    revisit_most = forms.FloatField(
        label="Hours between two visits, at most", required=False, min_value=0.01, max_value=8_784
    )
    round_pages = forms.IntegerField(
        label="Pages of a round after the end", required=False, min_value=1, max_value=10_000
    )

    def __init__(self, *args: Any, crawl: Crawl, may_change: bool, **options: Any) -> None:
        self.crawl = crawl
        self.now = CrawlConfig.from_json(crawl.config)
        super().__init__(*args, **{**options, "initial": self._initial()})
        for name in self.fields:
            self.fields[name].disabled = not may_change

    def _initial(self) -> dict[str, Any]:
        now, budget = self.now, self.now.budget
        return {
            "strategy": now.strategy,
            "good": ["/" + "/".join(lineage) for lineage in self.crawl.good],
            "pass_through": ["/" + "/".join(lineage) for lineage in self.crawl.pass_through],
            "exclusions": list(now.exclusions),
            "max_pages": budget.max_pages,
            "max_minutes": budget.max_seconds and budget.max_seconds / 60,
            "max_megabytes": budget.max_bytes and budget.max_bytes / _MB,
            "concurrency": now.concurrency,
            "delay_seconds": now.delay_seconds,
            "keep_bodies": now.keep_bodies,
            "revisit": now.revisit.on,
            "revisit_share": 100 * now.revisit.share,
            "revisit_least": now.revisit.least_hours,
            "revisit_most": now.revisit.most_hours,
            "round_pages": now.revisit.round_pages,
        }

    @property
    def strategies(self) -> list[registry.StrategyEntry]:
        return registry.entries()

    def clean_good(self) -> list[Topic]:
        return self._topics("good")

    def clean_pass_through(self) -> list[Topic]:
        return self._topics("pass_through")

    def _topics(self, name: str) -> list[Topic]:
        taxonomy = self.crawl.focus.taxonomy
        topics = []
        for path in self.cleaned_data[name]:
            try:
                topic = topic_by_path(taxonomy=taxonomy, path=path)
            except Http404:
                raise forms.ValidationError(f"There is no topic {path} in {taxonomy}.") from None
            if topic.parent_id is None:
                raise forms.ValidationError("The whole tree can't be a good topic.")
            topics.append(topic)
        return topics

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        if self.errors:
            return data
        try:
            self.config = config_with(self.now, self._changes(data))
        except FocusAdminError as error:
            raise forms.ValidationError(str(error)) from error
        return data

    def _changes(self, data: dict[str, Any]) -> dict[str, Any]:
        """Parameters belong to a strategy: another one begins with its defaults."""
        minutes, megabytes = data["max_minutes"], data["max_megabytes"]
        is_other = data["strategy"] != self.now.strategy
        return {
            "strategy": data["strategy"],
            **({"parameters": {}} if is_other else {}),
            "exclusions": data["exclusions"],
            "concurrency": data["concurrency"],
            "delay_seconds": data["delay_seconds"],
            "keep_bodies": data["keep_bodies"],
            "revisit": self._revisit(data),
            "budget": {
                "max_pages": data["max_pages"],
                "max_seconds": minutes and minutes * 60,
                "max_bytes": megabytes and round(megabytes * _MB),
            },
        }

    def _revisit(self, data: dict[str, Any]) -> dict[str, Any]:
        """What is left empty stays as it is."""
        now, share = self.now.revisit, data["revisit_share"]
        return {
            "on": data["revisit"],
            "share": share / 100 if share else now.share,
            "least_hours": data["revisit_least"] or now.least_hours,
            "most_hours": data["revisit_most"] or now.most_hours,
            "round_pages": data["round_pages"] or now.round_pages,
        }
