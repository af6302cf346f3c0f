"""What exports are made of, read in portions: memory does not grow with the crawl."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

import numpy as np
from django.db.models import Max

from crawler.core.exports.formats import Format
from crawler.core.exports.graphs import Edge
from crawler.core.exports.types import BestPage, ExportLink, ExportPage, NothingToExportError
from crawler.models import Crawl, FrontierUrl, Page, PageBody, RankedPage, RawPage
from crawler.selectors.hubs import latest_distillation, ranked_pages
from crawler.selectors.page_filter import NEWEST, PageFilter
from crawler.selectors.page_list import pages_walked
from crawler.store import unpacked_body, unpacked_text

PAGES_AT_ONCE = 100
BODIES_AT_ONCE = 10  # a body may be some megabytes
BEST_AT_MOST = 200
_NUMBERS_AT_ONCE = 5_000


def export_pages(crawl: Crawl, wanted: PageFilter, kind: Format) -> Iterator[ExportPage]:
    """The pages in the order of the list, with what the format has a place for."""
    size = BODIES_AT_ONCE if kind.has_bodies else PAGES_AT_ONCE
    for pages in _portions(pages_walked(crawl, wanted), size):
        found = [_plain(page) for page in pages]
        if kind.has_text or kind.has_links:
            found = _with_texts(crawl, found, kind)
        if kind.has_bodies:
            found = _with_bodies(crawl, found)
        yield from found


def _portions(pages: Iterator[Page], size: int) -> Iterator[list[Page]]:
    while portion := list(islice(pages, size)):
        yield portion


def _plain(page: Page) -> ExportPage:
    return ExportPage(
        seq=page.seq,
        number=page.number,
        url=page.url,
        title=page.title,
        site=page.site,
        outcome=page.outcome,
        status=page.status,
        language=page.language,
        relevance=page.relevance,
        topic=page.topic,
        topic_probability=page.topic_probability,
        depth=page.depth,
        size_bytes=page.size_bytes,
        fetched_at=page.fetched_at,
    )


def _with_texts(crawl: Crawl, pages: list[ExportPage], kind: Format) -> list[ExportPage]:
    rows = PageBody.objects.filter(crawl=crawl, seq__in=[page.seq for page in pages])
    bodies = {body.seq: body for body in rows}
    urls = _urls(crawl, bodies.values()) if kind.has_links else {}
    return [
        replace(
            page,
            text=unpacked_text(bodies[page.seq].text),
            links=_links(bodies[page.seq], urls) if kind.has_links else (),
        )
        if page.seq in bodies
        else page
        for page in pages
    ]


def _urls(crawl: Crawl, bodies: Iterable[PageBody]) -> dict[int, str]:
    numbers = sorted({number for body in bodies for number in _targets(body).tolist()})
    urls: dict[int, str] = {}
    for start in range(0, len(numbers), _NUMBERS_AT_ONCE):
        part = numbers[start : start + _NUMBERS_AT_ONCE]
        rows = FrontierUrl.objects.filter(crawl=crawl, number__in=part)
        urls.update(rows.values_list("number", "url"))
    return urls


def _targets(body: PageBody) -> np.ndarray:
    return np.frombuffer(body.targets, dtype="<i4")


def _links(body: PageBody, urls: dict[int, str]) -> tuple[ExportLink, ...]:
    anchors = unpacked_text(body.anchors).split("\n")
    contexts = np.frombuffer(body.contexts, dtype="<f4").tolist()
    return tuple(
        ExportLink(
            url=urls[number],
            number=number,
            anchor=anchors[place] if place < len(anchors) else "",
            context=contexts[place] if place < len(contexts) else 0.0,
        )
        for place, number in enumerate(_targets(body).tolist())
        if number in urls
    )


def _with_bodies(crawl: Crawl, pages: list[ExportPage]) -> list[ExportPage]:
    rows = RawPage.objects.filter(crawl=crawl, seq__in=[page.seq for page in pages])
    kept = {raw.seq: raw for raw in rows}
    return [
        replace(
            page,
            body=unpacked_body(kept[page.seq].body),
            content_type=kept[page.seq].content_type,
        )
        if page.seq in kept
        else page
        for page in pages
    ]


class ExportGraph:
    """Pages, each once as it was the last time, then the links among them."""

    def __init__(self, crawl: Crawl, wanted: PageFilter, kind: Format) -> None:
        self.crawl, self.kind = crawl, kind
        self.wanted = replace(wanted, sort=NEWEST)
        last = FrontierUrl.objects.filter(crawl=crawl).aggregate(last=Max("number"))["last"]
        last_fetched = Page.objects.filter(crawl=crawl).aggregate(last=Max("number"))["last"]
        self._visit = np.zeros(max(last or 0, last_fetched or 0) + 1, dtype=np.int64)

    def pages(self) -> Iterator[ExportPage]:
        for page in export_pages(self.crawl, self.wanted, self.kind):
            if not self._visit[page.number]:
                self._visit[page.number] = page.seq
                yield page

    def edges(self) -> Iterator[Edge]:
        """Only after all pages."""
        sources = np.flatnonzero(self._visit)
        for start in range(0, len(sources), PAGES_AT_ONCE):
            by_seq = {int(self._visit[n]): int(n) for n in sources[start : start + PAGES_AT_ONCE]}
            bodies = PageBody.objects.filter(crawl=self.crawl, seq__in=list(by_seq))
            for body in bodies.only("seq", "targets", "contexts"):
                yield from self._edges_of(by_seq[body.seq], body)

    def _edges_of(self, source: int, body: PageBody) -> Iterator[Edge]:
        contexts = np.frombuffer(body.contexts, dtype="<f4").tolist()
        for place, target in enumerate(_targets(body).tolist()):
            if target < len(self._visit) and self._visit[target]:
                yield Edge(source, target, contexts[place] if place < len(contexts) else 0.0)


def best_pages(crawl: Crawl) -> Iterator[BestPage]:
    """Hubs, then authorities, of the latest distillation."""
    distillation = latest_distillation(crawl)
    if distillation is None:
        raise NothingToExportError(
            f"Hubs and authorities are not known yet: manage.py distil {crawl.slug}"
        )
    for kind in RankedPage.Kind:
        for ranked in ranked_pages(distillation, kind, BEST_AT_MOST):
            page = ranked.page
            yield BestPage(kind, ranked.place.rank, page.url, page.title, ranked.place.score)
