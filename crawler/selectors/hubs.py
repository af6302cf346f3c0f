"""Reads about hubs, authorities and sites."""

import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Q

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK
from crawler.core.ranking import BOOST
from crawler.models import (
    Crawl,
    CrawlHost,
    Distillation,
    FrontierUrl,
    Page,
    PageBody,
    RankedPage,
)

TOP_HUBS = 10  # have effects on the crawl
LEAST_GOOD_LINKS = 3  # of a hub that has; and most of its links that were followed must be good
DUE_AFTER_PAGES = 500  # of the crawl, and so many seconds, since a hub was read
DUE_AFTER_SECONDS = 1_800.0
NUMBERS_AT_ONCE = 500


@dataclass(frozen=True)
class Ranked:
    """A hub or an authority with what is known of its page."""

    place: RankedPage
    page: Page

    @property
    def change(self) -> int | None:
        """Places won since the distillation before; none for a newcomer."""
        earlier = self.place.earlier_rank
        return None if earlier is None else earlier - self.place.rank

    @property
    def places_lost(self) -> int:
        return max(0, -(self.change or 0))


@dataclass(frozen=True)
class SiteFigures:
    """A site by its pages: how many were fetched, how many of them are relevant."""

    site: str
    relevant: int
    pages: int

    @property
    def density(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0


@dataclass(frozen=True)
class HubLink:
    """A URL that a top hub cites and that was not visited yet."""

    url: FrontierUrl
    hub: Ranked  # the best one that cites it
    hubs: int  # how many of the top hubs do

    @property
    def is_first(self) -> bool:
        return self.url.priority >= BOOST


def latest_distillation(crawl: Crawl) -> Distillation | None:
    return Distillation.objects.filter(crawl=crawl).first()


def ranked_pages(
    distillation: Distillation, kind: RankedPage.Kind, limit: int = 50
) -> list[Ranked]:
    places = list(distillation.ranked.filter(kind=kind)[:limit])
    pages = _pages(distillation.crawl_id, [place.page_seq for place in places])
    return [Ranked(place, pages[place.page_seq]) for place in places if place.page_seq in pages]


def _pages(crawl_id: int, seqs: Sequence[int]) -> dict[int, Page]:
    return {page.seq: page for page in Page.objects.filter(crawl_id=crawl_id, seq__in=seqs)}


def sites_top(crawl: Crawl, limit: int = 50) -> list[SiteFigures]:
    """Sites with the most relevant pages."""
    relevant = Count("seq", filter=Q(relevance__gte=RELEVANT_FROM))
    rows = (
        Page.objects.filter(crawl=crawl, outcome=OK)
        .values("site")
        .annotate(relevant=relevant, pages=Count("seq"))
        .order_by("-relevant", "pages", "site")[:limit]
    )
    return [SiteFigures(row["site"], row["relevant"], row["pages"]) for row in rows]


def top_hubs(distillation: Distillation) -> list[Ranked]:
    """Hubs that lead somewhere: a page with one lucky link shall not steer a crawl."""
    best = ranked_pages(distillation, RankedPage.Kind.HUB, TOP_HUBS)
    return [
        hub
        for hub in best
        if hub.place.good_links >= max(LEAST_GOOD_LINKS, hub.place.all_links / 2)
    ]


def due_hubs(distillation: Distillation) -> list[Ranked]:
    """Top hubs that were read long enough ago to have changed."""
    hubs, crawl = top_hubs(distillation), distillation.crawl
    latest = time.time() - DUE_AFTER_SECONDS
    fetched = FrontierUrl.objects.filter(
        crawl=crawl,
        number__in=[hub.place.number for hub in hubs],
        state=FrontierUrl.State.DONE,
    )
    numbers = set(fetched.values_list("number", flat=True))
    return [
        hub
        for hub in hubs
        if hub.place.number in numbers
        and hub.page.fetched_at <= latest
        and hub.page.seq <= crawl.seq - DUE_AFTER_PAGES
    ]


def unvisited_from_hubs(distillation: Distillation, *, limit: int) -> list[HubLink]:
    """What top hubs cite on other sites and nobody has fetched; most cited first."""
    citing: dict[int, list[Ranked]] = {}
    for hub, targets in _citations(distillation):
        for number in targets:
            citing.setdefault(number, []).append(hub)
    urls = list(_waiting(distillation.crawl_id, sorted(citing)))
    numbers = {url.host for url in urls}
    hosts = CrawlHost.objects.filter(crawl_id=distillation.crawl_id, number__in=numbers)
    sites = dict(hosts.values_list("number", "site"))
    links = []
    for url in urls:
        foreign = [hub for hub in citing[url.number] if hub.page.site != sites.get(url.host)]
        if foreign:
            links.append(HubLink(url, foreign[0], len(foreign)))
    links.sort(key=lambda link: (-link.hubs, link.hub.place.rank, link.url.number))
    return links[:limit]


def _citations(distillation: Distillation) -> Iterator[tuple[Ranked, list[int]]]:
    """Each top hub, best first, with the numbers of the URLs that it links to."""
    hubs = top_hubs(distillation)
    seqs = [hub.page.seq for hub in hubs]
    rows = PageBody.objects.filter(crawl_id=distillation.crawl_id, seq__in=seqs)
    packed = dict(rows.values_list("seq", "targets"))
    for hub in hubs:
        targets = np.frombuffer(packed.get(hub.page.seq, b""), dtype="<i4")
        yield hub, np.unique(targets).tolist()


def _waiting(crawl_id: int, numbers: Sequence[int]) -> Iterable[FrontierUrl]:
    for start in range(0, len(numbers), NUMBERS_AT_ONCE):
        part = numbers[start : start + NUMBERS_AT_ONCE]
        yield from FrontierUrl.objects.filter(
            crawl_id=crawl_id, number__in=part, state=FrontierUrl.State.WAITING
        )
