"""Reads about hubs, authorities and sites."""

from collections.abc import Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK
from crawler.models import Crawl, Distillation, Page, RankedPage


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


@dataclass(frozen=True)
class SiteFigures:
    """A site by its pages: how many were fetched, how many of them are relevant."""

    site: str
    relevant: int
    pages: int

    @property
    def density(self) -> float:
        return self.relevant / self.pages if self.pages else 0.0


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
