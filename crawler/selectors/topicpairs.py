"""The page pairs behind a cell of the topic map."""

import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crawler.core.ports import OK
from crawler.core.topicmap import is_at_or_below
from crawler.models import Crawl, Page, PageBody
from crawler.store import topics_met

PAIRS_SHOWN = 50
SECONDS = 2.0
_PAGES_AT_ONCE = 200
_ROWS_AT_ONCE = 5_000


@dataclass(frozen=True)
class PagePair:
    source: Page
    target: Page


@dataclass(frozen=True)
class FoundPairs:
    pairs: list[PagePair]
    next: tuple[int, int] | None  # `seq` of both pages of the last; None: there are no more
    is_unfinished: bool  # the time was up before the page was full


def topic_pairs(
    crawl: Crawl,
    *,
    source: str,
    target: str,
    up_to: int,
    after: tuple[int, int] = (0, 0),
    seconds: float = SECONDS,
) -> FoundPairs:
    """Links from pages of one topic to pages of another, on different sites, in order of `seq`."""
    until = time.monotonic() + seconds
    targets = _latest(crawl, target, up_to)
    seqs = sorted(seq for seq, _ in _latest(crawl, source, up_to).values() if seq >= after[0])
    found: list[tuple[int, int]] = []
    for start in range(0, len(seqs), _PAGES_AT_ONCE):
        part = seqs[start : start + _PAGES_AT_ONCE]
        found += [pair for pair in _pairs(crawl, part, targets) if pair > after]
        if len(found) > PAIRS_SHOWN:
            return FoundPairs(_shown(crawl, found[:PAIRS_SHOWN]), found[PAIRS_SHOWN - 1], False)
        is_last = start + _PAGES_AT_ONCE >= len(seqs)
        if not is_last and time.monotonic() > until:
            return FoundPairs(_shown(crawl, found), (part[-1] + 1, 0), True)
    return FoundPairs(_shown(crawl, found), None, False)


def _latest(crawl: Crawl, topic: str, up_to: int) -> dict[int, tuple[int, str]]:
    """`seq` and site of the pages of a topic and below, by the number of the URL."""
    below = [each for each in topics_met(crawl.pk) if is_at_or_below(each, topic)]
    rows = Page.objects.filter(crawl=crawl, topic__in=below, outcome=OK, seq__lte=up_to)
    columns = rows.order_by("seq").values_list("number", "seq", "site")
    return {number: (seq, site) for number, seq, site in columns.iterator(_ROWS_AT_ONCE)}


def _pairs(
    crawl: Crawl, seqs: list[int], targets: dict[int, tuple[int, str]]
) -> Iterator[tuple[int, int]]:
    sites = dict(Page.objects.filter(crawl=crawl, seq__in=seqs).values_list("seq", "site"))
    bodies = PageBody.objects.filter(crawl=crawl, seq__in=seqs).order_by("seq")
    for seq, packed in bodies.values_list("seq", "targets"):
        numbers = np.unique(np.frombuffer(packed, dtype="<i4")).tolist()
        ends = (targets[number] for number in numbers if number in targets)
        for end, site in sorted(ends):
            if site != sites.get(seq):
                yield seq, end


def _shown(crawl: Crawl, found: list[tuple[int, int]]) -> list[PagePair]:
    seqs = {seq for pair in found for seq in pair}
    pages = {page.seq: page for page in Page.objects.filter(crawl=crawl, seq__in=seqs)}
    return [PagePair(pages[a], pages[b]) for a, b in found if a in pages and b in pages]
