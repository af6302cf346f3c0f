"""The filters of the list of pages. They come by the address, so what can't be read is left out."""

from dataclasses import dataclass
from typing import Any, cast
from urllib.parse import urlencode

from django import forms
from django.http import QueryDict

from crawler.core.outcome_kinds import LABELS, Kind
from crawler.core.textquery import LONGEST_QUERY, text_query
from crawler.models import Crawl, Verdict
from crawler.selectors.page_filter import ALL, NEWEST, RELEVANCE, PageFilter, languages_of
from crawler.store import topics_met

FEEDBACK = (("", "Judged or not"), *Verdict.Value.choices, (ALL, "Judged by somebody"))
LONGEST_CHOICE = 400
SORTS = ((NEWEST, "Newest first"), (RELEVANCE, "Most relevant first"))
OUTCOMES = (
    ("", "Pages read"),
    *((kind.value, LABELS[kind]) for kind in Kind if kind != Kind.PAGE),
    (ALL, "Everything fetched or tried"),
)


@dataclass(frozen=True)
class Chip:
    """A filter that is on, and the address without it."""

    label: str
    without: str


class PagesForm(forms.Form):
    q = forms.CharField(
        required=False,
        label="Words",
        max_length=LONGEST_QUERY,
        widget=forms.TextInput(attrs={"class": "input", "type": "search", "data-search": True}),
        help_text='All of them must be there; "a phrase" in quotes.',
    )
    topic = forms.ChoiceField(
        required=False,
        label="Topic",
        widget=forms.Select(attrs={"class": "input"}),
    )
    site = forms.CharField(
        required=False,
        max_length=300,
        label="Site",
        widget=forms.TextInput(attrs={"class": "input", "spellcheck": "false"}),
    )
    least = forms.FloatField(
        required=False,
        min_value=0.0,
        max_value=1.0,
        label="Relevance from",
        widget=forms.NumberInput(attrs={"class": "input", "step": "0.01"}),
    )
    most = forms.FloatField(
        required=False,
        min_value=0.0,
        max_value=1.0,
        label="Relevance to",
        widget=forms.NumberInput(attrs={"class": "input", "step": "0.01"}),
    )
    lang = forms.ChoiceField(
        required=False,
        label="Language",
        widget=forms.Select(attrs={"class": "input"}),
    )
    depth = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=10_000,
        label="Links from the start, at most",
        widget=forms.NumberInput(attrs={"class": "input"}),
    )
    outcome = forms.ChoiceField(
        required=False,
        choices=OUTCOMES,
        label="What came of it",
        widget=forms.Select(attrs={"class": "input"}),
    )
    feedback = forms.ChoiceField(
        required=False,
        choices=FEEDBACK,
        label="Feedback",
        widget=forms.Select(attrs={"class": "input"}),
    )
    unique = forms.BooleanField(required=False, label="Hide pages whose text was there before")
    sort = forms.ChoiceField(
        required=False,
        choices=SORTS,
        label="Order",
        widget=forms.Select(attrs={"class": "input"}),
    )

    def __init__(self, data: Any, *, crawl: Crawl) -> None:
        super().__init__(data)
        self._offer("topic", "All topics", topics_offered(crawl))
        self._offer("lang", "All languages", languages_of(crawl))
        self.is_valid()

    @classmethod
    def of_query(cls, query: str, *, crawl: Crawl) -> "PagesForm":
        """As an address was."""
        return cls(QueryDict(query), crawl=crawl)

    def _offer(self, name: str, nothing: str, known: list[str]) -> None:
        """What the crawl has met; and what is asked for, even if it never was."""
        given = str(self.data.get(name, ""))
        is_odd = not given.isprintable() or len(given) > LONGEST_CHOICE
        names = known if is_odd or not given or given in known else [*known, given]
        select = cast("forms.ChoiceField", self.fields[name])
        select.choices = [("", nothing), *((each, each) for each in names)]

    def value(self, name: str) -> Any:
        """What was given, or None where nothing was or where it can't be."""
        given = self.cleaned_data.get(name)
        return None if given in ("", False) else given

    @property
    def wanted(self) -> PageFilter:
        outcome = self.value("outcome") or Kind.PAGE
        is_judged = outcome == Kind.PAGE  # nothing else has a relevance to be sorted by
        return PageFilter(
            words=text_query(self.value("q") or ""),
            topic=self.value("topic") or "",
            site=(self.value("site") or "").lower(),
            least=self.value("least"),
            most=self.value("most"),
            language=self.value("lang") or "",
            depth=self.value("depth"),
            outcome=outcome,
            without_duplicates=bool(self.value("unique")),
            feedback=self.value("feedback") or "",
            sort=(self.value("sort") or NEWEST) if is_judged else NEWEST,
        )

    def query(self, **changes: Any) -> str:
        """The address's query, without what is not set."""
        values = {name: self.value(name) for name in self.fields} | changes
        return urlencode({n: _spelled(v) for n, v in values.items() if v is not None})

    @property
    def chips(self) -> list[Chip]:
        labels = {
            "q": "Words: {}",
            "topic": "Topic: {} and below",
            "site": "Site: {}",
            "least": "Relevance from {}",
            "most": "Relevance to {}",
            "lang": "Language: {}",
            "depth": "At most {} links from the start",
            "outcome": "{}",
            "feedback": "Feedback: {}",
            "unique": "Duplicates hidden",
        }
        shown = {name: self.value(name) for name in labels}
        if shown["outcome"] is not None:
            shown["outcome"] = dict(OUTCOMES)[shown["outcome"]]
        if shown["feedback"] is not None:
            shown["feedback"] = dict(FEEDBACK)[shown["feedback"]].lower()
        return [
            Chip(labels[name].format(value), self.query(**{name: None}))
            for name, value in shown.items()
            if value is not None
        ]


def _spelled(value: Any) -> str:
    return "1" if value is True else str(value)


def topics_offered(crawl: Crawl) -> list[str]:
    """Each topic that was met, and those above it."""
    found: set[str] = set()
    for path in topics_met(crawl.pk):
        levels = path.strip("/").split("/")
        found.update("/" + "/".join(levels[: end + 1]) for end in range(len(levels)))
    return sorted(found)
