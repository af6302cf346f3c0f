"""Which pages of a crawl somebody wants to see, and a place among them."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from crawler.core.outcome_kinds import Kind, outcomes_of
from crawler.core.ports import OK
from crawler.core.textquery import TextQuery
from crawler.models import Crawl, Page, Verdict
from crawler.store import topics_met

NEWEST, RELEVANCE = "newest", "relevance"
ALL = "all"
LATEST_FOR_LANGUAGES = 2_000


@dataclass(frozen=True)
class PageFilter:
    """What is wanted; the fields are those of the address."""

    words: TextQuery | None = None
    topic: str = ""  # this one and all below it
    site: str = ""
    least: float | None = None
    most: float | None = None
    language: str = ""
    depth: int | None = None  # at most so many links from the start set
    outcome: str = Kind.PAGE  # a kind, or all
    without_duplicates: bool = False
    feedback: str = ""  # a verdict's value, or all of them
    sort: str = NEWEST


@dataclass(frozen=True)
class Place:
    """The key of a page in the order of the list."""

    seq: int
    relevance: float | None = None

    def __str__(self) -> str:
        return str(self.seq) if self.relevance is None else f"{self.relevance!r}_{self.seq}"


def place_in(text: str, sort: str) -> Place | None:
    """The place that an address names; None for the beginning, and for what is no place."""
    relevance, _, seq = text.rpartition("_")
    if not (seq.isascii() and seq.isdigit() and len(seq) < 16):
        return None
    if sort == NEWEST:
        return Place(int(seq)) if not relevance else None
    try:
        value = float(relevance)
    except ValueError:
        return None
    return Place(int(seq), value) if 0.0 <= value <= 1.0 else None


def conditions(crawl: Crawl, wanted: PageFilter) -> Q:
    """All but the words."""
    found = Q()
    if wanted.topic:
        found &= Q(topic__in=topics_below(crawl, wanted.topic))
    if wanted.site:
        found &= Q(site=wanted.site)
    if wanted.least is not None:
        found &= Q(relevance__gte=wanted.least)
    if wanted.most is not None:
        found &= Q(relevance__lte=wanted.most)
    if wanted.language:
        found &= Q(language=wanted.language)
    if wanted.depth is not None:
        found &= Q(depth__lte=wanted.depth)
    if wanted.without_duplicates:
        found &= Q(same_as__isnull=True)
    if wanted.feedback:
        found &= Q(number__in=_judged(crawl, wanted.feedback))
    return found & _outcome(wanted.outcome)


def _judged(crawl: Crawl, value: str) -> QuerySet[Verdict, int | None]:
    """Numbers of pages that somebody called useful, or not; verdicts on whole sites don't count."""
    of_pages = Verdict.objects.filter(crawl=crawl, undone_at=None, number__isnull=False)
    chosen = of_pages if value == ALL else of_pages.filter(value=value)
    return chosen.values_list("number", flat=True)


def _outcome(kind: str) -> Q:
    if kind == ALL:
        return Q()
    if kind == Kind.PAGE:
        return Q(outcome=OK)
    if kind == Kind.UNREACHABLE:  # whatever is none of the others
        return ~(Q(outcome=OK) | _named(Kind.REFUSED) | _named(Kind.ERROR) | _named(Kind.UNUSABLE))
    return _named(Kind(kind))


def _named(kind: Kind) -> Q:
    names, beginnings = outcomes_of(kind)
    found = Q(outcome__in=names)
    for beginning in beginnings:
        found |= Q(outcome__startswith=beginning)
    return found


def topics_below(crawl: Crawl, path: str) -> list[str]:
    """The topic and all below it that pages of this crawl have."""
    below = f"{path}/"
    return [topic for topic in topics_met(crawl.pk) if topic == path or topic.startswith(below)]


def languages_of(crawl: Crawl) -> list[str]:
    """Of the latest pages: a whole crawl would be too much to read for a menu."""
    latest = Page.objects.filter(crawl=crawl, seq__gt=crawl.seq - LATEST_FOR_LANGUAGES)
    return sorted({name for name in latest.values_list("language", flat=True) if name})
