"""The rows of the views that questions ask, read in portions."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import numpy as np
from django.db.models import Count, Sum

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK
from crawler.core.topicmap import is_at_or_below
from crawler.models import (
    Crawl,
    CrawlEvent,
    CrawlHost,
    FrontierUrl,
    Page,
    PageBody,
    RankedPage,
    Verdict,
)
from crawler.selectors.hubs import latest_distillation
from crawler.selectors.survey import good_topics
from crawler.store import unpacked_text

ROWS_AT_ONCE = 5_000
LONGEST_ANCHOR = 200

Row = tuple[Any, ...]
Packed = bytes | memoryview


class CrawlRows:
    """All views of a crawl up to the page that was its latest when this was made."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self.seq = crawl.seq
        self._latest = self._latest_visits()
        self._sites: dict[int, str] = {}

    def rows_of(self, view: str) -> Iterator[Row]:
        rows: Iterator[Row] = getattr(self, f"_{view}_rows")()
        return rows

    def _pages(self) -> Any:
        return Page.objects.filter(crawl=self.crawl, seq__lte=self.seq).order_by("seq")

    def _latest_visits(self) -> dict[int, int]:
        """`seq` by number of the URL; of pages that were read."""
        rows = self._pages().filter(outcome=OK).values_list("number", "seq")
        return dict(rows.iterator(ROWS_AT_ONCE))

    def _page_rows(self) -> Iterator[Row]:
        columns = (
            "number", "seq", "url", "site", "title", "topic", "topic_probability", "relevance",
            "outcome", "status", "language", "depth", "size_bytes", "fetched_at", "same_as",
        )  # fmt: skip
        for row in self._pages().values_list(*columns).iterator(ROWS_AT_ONCE):
            number, seq, url, site, title, topic, probability, relevance, outcome, *rest = row
            status, language, depth, size, fetched_at, same_as = rest
            is_relevant = int(relevance is not None and relevance >= RELEVANT_FROM)
            is_latest = int(self._latest.get(number) == seq)
            self._sites[seq] = site
            yield (
                seq, url, site, title, topic, probability, relevance, is_relevant, is_latest,
                outcome, status, language, depth, size,
                _moment(datetime.fromtimestamp(fetched_at, UTC)), same_as,
            )  # fmt: skip

    def _link_rows(self) -> Iterator[Row]:
        """Comes after the pages, whose sites it needs."""
        latest = set(self._latest.values())
        bodies = PageBody.objects.filter(crawl=self.crawl, seq__lte=self.seq).order_by("seq")
        columns = bodies.values_list("seq", "targets", "contexts", "anchors")
        for seq, targets, contexts, anchors in columns.iterator(500):
            if seq in latest and targets:
                yield from self._links(seq, targets, contexts, anchors)

    def _links(self, seq: int, targets: Packed, contexts: Packed, anchors: Packed) -> Iterator[Row]:
        numbers = np.frombuffer(targets, dtype="<i4").tolist()
        scores = np.frombuffer(contexts, dtype="<f4").tolist()
        words = unpacked_text(anchors).split("\n")
        for place, number in enumerate(numbers):
            target = self._latest.get(number)
            if target is not None:
                yield (
                    seq,
                    target,
                    words[place][:LONGEST_ANCHOR] if place < len(words) else "",
                    scores[place] if place < len(scores) else None,
                    int(self._sites[seq] != self._sites[target]),
                )

    def _site_rows(self) -> Iterator[Row]:
        read: dict[str, list[float]] = {}
        for site, _, relevance in self._judged():
            read.setdefault(site, []).append(relevance)
        hosts = (
            CrawlHost.objects.filter(crawl=self.crawl)
            .values("site")
            .annotate(hosts=Count("number"), failed=Sum("failures"), denied=Sum("robots_denied"))
        )
        for host in hosts.order_by("site").iterator(ROWS_AT_ONCE):
            values = read.get(host["site"], [])
            yield (host["site"], host["hosts"], *_figures(values), host["failed"], host["denied"])

    def _judged(self) -> Iterator[tuple[str, str, float]]:
        """Site, topic and relevance of each page at its latest visit."""
        rows = self._pages().filter(outcome=OK)
        columns = rows.values_list("number", "seq", "site", "topic", "relevance")
        for number, seq, site, topic, relevance in columns.iterator(ROWS_AT_ONCE):
            if self._latest.get(number) == seq:
                yield site, topic, relevance or 0.0

    def _topic_rows(self) -> Iterator[Row]:
        values: dict[str, list[float]] = {}
        for _, topic, relevance in self._judged():
            for above in _chain(topic):
                values.setdefault(above, []).append(relevance)
        good = good_topics(self.crawl)
        self._topics = sorted(values)
        for topic in self._topics:
            is_good = int(any(is_at_or_below(topic, each) for each in good))
            parent = topic.rpartition("/")[0] or None
            yield (topic, parent, topic.count("/"), is_good, *_figures(values[topic]))

    def _topic_above_rows(self) -> Iterator[Row]:
        """Comes after the topics."""
        for topic in self._topics:
            for above in _chain(topic):
                yield topic, above

    def _hub_rows(self) -> Iterator[Row]:
        return self._ranked(RankedPage.Kind.HUB)

    def _authority_rows(self) -> Iterator[Row]:
        return self._ranked(RankedPage.Kind.AUTHORITY)

    def _ranked(self, kind: RankedPage.Kind) -> Iterator[Row]:
        latest = latest_distillation(self.crawl)
        if latest is not None:
            columns = ("rank", "page_seq", "score", "good_links", "all_links", "earlier_rank")
            yield from latest.ranked.filter(kind=kind).values_list(*columns)

    def _waiting_rows(self) -> Iterator[Row]:
        hosts = CrawlHost.objects.filter(crawl=self.crawl).values_list("number", "site")
        sites = dict(hosts.iterator(ROWS_AT_ONCE))
        urls = FrontierUrl.objects.filter(crawl=self.crawl, state=FrontierUrl.State.WAITING)
        columns = urls.order_by("number").values_list(
            "url", "host", "priority", "tries", "depth", "found_on"
        )
        for url, host, priority, tries, depth, found_on in columns.iterator(ROWS_AT_ONCE):
            yield url, sites.get(host, ""), priority, tries, depth, self._latest.get(found_on)

    def _feedback_rows(self) -> Iterator[Row]:
        verdicts = Verdict.objects.filter(crawl=self.crawl, undone_at=None).order_by("id")
        for page, site, value, at in verdicts.values_list("page_seq", "site", "value", "at"):
            yield page, site, value, _moment(at)

    def _event_rows(self) -> Iterator[Row]:
        events = CrawlEvent.objects.filter(crawl=self.crawl).order_by("id")
        for seq, kind, text, at in events.values_list("seq", "kind", "text", "at"):
            yield seq, kind, text, _moment(at)


def _chain(topic: str) -> list[str]:
    """
    >>> _chain("/Arts/Music"), _chain("")
    (['/Arts', '/Arts/Music'], [])
    """
    names = topic.split("/")[1:]
    return ["/" + "/".join(names[: end + 1]) for end in range(len(names))]


def _figures(relevances: list[float]) -> tuple[int, int, float | None]:
    relevant = sum(each >= RELEVANT_FROM for each in relevances)
    mean = sum(relevances) / len(relevances) if relevances else None
    return len(relevances), relevant, mean


def _moment(at: datetime) -> str:
    return at.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")
