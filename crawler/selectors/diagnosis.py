"""The recorded pages of a crawl, as a diagnosis reads them."""

from collections.abc import Sequence

import numpy as np

from crawler.core.alarms.watch import Watch
from crawler.core.diagnosis.causes import diagnosed
from crawler.core.diagnosis.record import CrawlRecord, Diagnosis, Left, RecordedPage
from crawler.core.remaining import Remaining, remaining
from crawler.models import AlarmWatch, Crawl, CrawlHost, FrontierUrl, Page, PageBody
from taxonomy.core.tree import split_path

ESTIMATE_AT_MOST = 20_000  # pages; the ways from the start set must all be there
PAGES_LOOKED_AT = 5_000  # the latest; what was before is over
WAITING_LOOKED_AT = 200_000
_NUMBERS_AT_ONCE = 500
_COLUMNS = ("seq", "number", "url", "host", "site", "outcome", "relevance", "topic")


def diagnosis_of(crawl: Crawl, left: Remaining | None = None) -> Diagnosis:
    """With what is left, where that is known already."""
    return diagnosed(record_of(crawl, left))


def remaining_in(crawl: Crawl) -> Remaining | None:
    """How much is left; None while too little, or too much, is known to say it."""
    if crawl.seq > ESTIMATE_AT_MOST:
        return None
    return remaining(recorded_pages(crawl, ESTIMATE_AT_MOST), _waiting(crawl))


def record_of(crawl: Crawl, left: Remaining | None = None) -> CrawlRecord:
    """The crawl's latest pages with their links, its frontier and its settings."""
    return CrawlRecord(
        pages=recorded_pages(crawl),
        waiting=_waiting(crawl),
        good=[tuple(topic) for topic in crawl.good],
        pass_through=[tuple(topic) for topic in crawl.pass_through],
        strategy=crawl.strategy,
        is_active=crawl.is_active,
        reason=crawl.reason,
        refusing_hosts=_refusing_hosts(crawl),
        left=Left(left.waiting, left.recall.low) if left else None,
    )


def recorded_pages(crawl: Crawl, most: int = PAGES_LOOKED_AT) -> list[RecordedPage]:
    latest = Page.objects.filter(crawl=crawl).order_by("-seq").values_list(*_COLUMNS)[:most]
    rows = list(latest)[::-1]
    first = rows[0][0] if rows else 0
    hosts = dict(CrawlHost.objects.filter(crawl=crawl).values_list("number", "host"))
    links = _links(crawl, first)
    found_on = _found_on(crawl, [row[1] for row in rows])
    return [
        RecordedPage(
            seq, number, url, hosts.get(host, ""), site, outcome, relevance or 0.0,
            split_path(topic), found_on.get(number, -1), *links.get(seq, ((), ())),
        )
        for seq, number, url, host, site, outcome, relevance, topic in rows
    ]  # fmt: skip


def _links(crawl: Crawl, first: int) -> dict[int, tuple[tuple[int, ...], tuple[float, ...]]]:
    """By page: the URLs it links to, and how relevant the words around each link are."""
    bodies = PageBody.objects.filter(crawl=crawl, seq__gte=first)
    return {
        seq: (
            tuple(np.frombuffer(targets, dtype="<i4").tolist()),
            tuple(np.frombuffer(contexts, dtype="<f4").tolist()),
        )
        for seq, targets, contexts in bodies.values_list("seq", "targets", "contexts")
    }


def _found_on(crawl: Crawl, numbers: Sequence[int]) -> dict[int, int]:
    found: dict[int, int] = {}
    for start in range(0, len(numbers), _NUMBERS_AT_ONCE):
        part = FrontierUrl.objects.filter(
            crawl=crawl, number__in=numbers[start : start + _NUMBERS_AT_ONCE]
        )
        found.update(part.values_list("number", "found_on"))
    return found


def _waiting(crawl: Crawl) -> dict[int, int]:
    rows = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    return dict(rows.order_by("-number").values_list("number", "found_on")[:WAITING_LOOKED_AT])


def _refusing_hosts(crawl: Crawl) -> list[tuple[str, int, str]]:
    """From the memory of the alarms, which count refusals in a row."""
    watch = AlarmWatch.objects.filter(crawl=crawl).first()
    memory = Watch.from_json(watch.memory if watch else {})
    return [(host, one.refusals, one.outcome) for host, one in memory.refusing_hosts()]
