"""Reads for the live monitor: points, thinned series, events, and what to compare with."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from crawler.core.harvest import WINDOW_PAGES, harvest_curve
from crawler.core.series import Stretch, joined, thinned
from crawler.models import Crawl, CrawlEvent, Page, PageBucket
from crawler.store import BUCKET_PAGES

DOTS = 5_000  # more than a browser draws smoothly
LEAD = 2_000  # the longest window of the moving average
MAP_STEPS = 500
EVENTS = 200
REFERENCE_STEPS = 250
TITLE_LENGTH = 120

_POINT = ("seq", "fetched_at", "url", "title", "relevance", "topic", "status", "outcome", "site")


@dataclass(frozen=True, slots=True)
class Point:
    """A page on the chart. Without a relevance it failed, and `outcome` says why."""

    seq: int
    t: float
    url: str
    title: str
    relevance: float | None
    topic: str
    status: int
    outcome: str
    site: str


def points_after(crawl_id: int, after: int, *, until: int, limit: int) -> list[Point]:
    """The next committed pages in their order, up to and with number `until`."""
    rows = Page.objects.filter(crawl_id=crawl_id, seq__gt=after, seq__lte=until)
    return [_point(row) for row in rows.order_by("seq").values_list(*_POINT)[:limit]]


def _point(row: tuple[int, float, str, str, float | None, str, int, str, str]) -> Point:
    seq, t, url, title, relevance, topic, status, outcome, site = row
    shown = None if relevance is None else round(relevance, 4)
    return Point(seq, round(t, 3), url, title[:TITLE_LENGTH], shown, topic, status, outcome, site)


def lead_in(crawl_id: int, before: int, length: int) -> list[float]:
    """Relevances of the last judged pages before a page, oldest first."""
    judged = Page.objects.filter(crawl_id=crawl_id, seq__lt=before, relevance__isnull=False)
    latest = judged.order_by("-seq").values_list("relevance", flat=True)[:length]
    return [round(relevance or 0.0, 4) for relevance in latest][::-1]


def averages(lead: Sequence[float], points: Sequence[Point]) -> list[float]:
    """The moving average after each point; a failure leaves it where it was."""
    judged = [point.relevance for point in points if point.relevance is not None]
    curve = harvest_curve([*lead, *judged], WINDOW_PAGES).tolist()
    at, found = len(lead), []
    for point in points:
        at += point.relevance is not None
        found.append(round(curve[at - 1], 4) if at else 0.0)
    return found


def stretches(crawl_id: int, first: int, last: int) -> list[Stretch]:
    """The pages from `first` to `last`, a hundred at a time; what is left over comes behind."""
    rows = PageBucket.objects.filter(
        crawl_id=crawl_id,
        number__gte=(first - 1) // BUCKET_PAGES,
        number__lt=last // BUCKET_PAGES,
    )
    found = [
        Stretch(row[0] * BUCKET_PAGES + 1, (row[0] + 1) * BUCKET_PAGES, *row[1:])
        for row in rows.order_by("number").values_list(
            "number", "judged", "failed", "relevance_sum", "relevance_min", "relevance_max",
            "first_at", "last_at",
        )
    ]  # fmt: skip
    rest = points_after(
        crawl_id, last // BUCKET_PAGES * BUCKET_PAGES, until=last, limit=BUCKET_PAGES
    )
    return [*found, joined([_alone(point) for point in rest])] if rest else found


def _alone(point: Point) -> Stretch:
    relevance = point.relevance
    is_judged = relevance is not None
    return Stretch(
        point.seq, point.seq, int(is_judged), int(not is_judged), relevance or 0.0,
        relevance, relevance, point.t, point.t,
    )  # fmt: skip


def overview(crawl: Crawl, steps: int = MAP_STEPS) -> list[Stretch]:
    """The whole crawl in at most `steps` stretches, finer than buckets while it is short."""
    if crawl.seq <= DOTS:
        points = points_after(crawl.pk, 0, until=crawl.seq, limit=DOTS)
        size = max(1, DOTS // steps)
        alone = [_alone(point) for point in points]
        return [joined(alone[at : at + size]) for at in range(0, len(alone), size)]
    return thinned(stretches(crawl.pk, 1, crawl.seq), steps)


@dataclass(frozen=True)
class View:
    """A part of a crawl as the chart shows it: every page, or stretches where that is too much."""

    first: int
    last: int
    points: list[Point]
    lead: list[float]  # relevances before the first point, for the moving average
    stretches: list[Stretch]


def view_of(crawl: Crawl, first: int, last: int) -> View:
    """The pages from `first` to `last`, as many as there are."""
    last = min(last, crawl.seq)
    first = max(1, min(first, last))
    if last - first < DOTS:
        points = points_after(crawl.pk, first - 1, until=last, limit=DOTS)
        return View(first, last, points, lead_in(crawl.pk, first, LEAD), [])
    return View(first, last, [], [], thinned(stretches(crawl.pk, first, last), MAP_STEPS))


def events_of(crawl_id: int, limit: int = EVENTS) -> list[CrawlEvent]:
    """The latest flags of the chart, oldest first."""
    events = CrawlEvent.objects.filter(crawl_id=crawl_id).select_related("by")
    return list(events.order_by("-id")[:limit])[::-1]


@dataclass(frozen=True)
class Reference:
    """What an unfocused crawl on the same start set got."""

    crawl: Crawl
    pages: list[int]
    averages: list[float]


def reference_of(crawl: Crawl) -> Reference | None:
    """The newest finished unfocused crawl that differs in nothing else that counts."""
    others = Crawl.objects.filter(
        team_id=crawl.team_id,
        focus_id=crawl.focus_id,
        model_id=crawl.model_id,
        strategy="unfocused",
        state=Crawl.State.FINISHED,
        fetched__gt=0,
    ).exclude(pk=crawl.pk)
    for other in others.order_by("-finished_at"):
        if _same(other.start_urls, crawl.start_urls) and other.good == crawl.good:
            return _reference(other)
    return None


def _same(some: Iterable[str], others: Iterable[str]) -> bool:
    return set(some) == set(others)


def _reference(crawl: Crawl) -> Reference:
    if crawl.seq <= DOTS:
        points = points_after(crawl.pk, 0, until=crawl.seq, limit=DOTS)
        curve = list(zip((point.seq for point in points), averages([], points), strict=True))
        step = -(-len(curve) // REFERENCE_STEPS)
        curve = curve[step - 1 :: step] or curve
    else:
        steps = overview(crawl, REFERENCE_STEPS)
        curve = [(step.last, round(step.mean, 4)) for step in steps if step.mean is not None]
    return Reference(crawl, [page for page, _ in curve], [average for _, average in curve])


def pages_between(crawl_id: int, first: int, last: int) -> list[Page]:
    """All pages from `first` to `last`, in their order."""
    return list(Page.objects.filter(crawl_id=crawl_id, seq__range=(first, last)).order_by("seq"))
