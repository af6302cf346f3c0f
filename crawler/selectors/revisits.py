"""Reads about pages that are visited again."""

import time
from collections.abc import Iterable
from dataclasses import dataclass

from django.db.models import QuerySet

from crawler.core.config import CrawlConfig
from crawler.core.revisits import Candidate, Revisit, change_rate
from crawler.models import Crawl, PageVisit, PageWatch
from crawler.revisited import looks_of

CONSIDERED = 5_000  # of the due pages, those that are due longest
DAY = 86_400.0


def candidates_of(crawl: Crawl) -> QuerySet[PageWatch]:
    """All that are watched and not gone."""
    return PageWatch.objects.filter(crawl=crawl, gone_at=None)


def due_pages(crawl: Crawl) -> QuerySet[PageWatch]:
    """Those whose time has come and which the engine was not asked for."""
    return candidates_of(crawl).filter(due_at__lte=time.time(), asked_at=None)


def asked_pages(crawl: Crawl) -> QuerySet[PageWatch]:
    return PageWatch.objects.filter(crawl=crawl, asked_at__isnull=False)


def as_candidates(watched: QuerySet[PageWatch]) -> list[Candidate]:
    rows: Iterable[PageWatch] = watched.order_by("due_at")[:CONSIDERED]
    return [Candidate(row.number, row.worth, looks_of(row), row.visited_at) for row in rows]


@dataclass(frozen=True)
class RevisitState:
    """What the crawl's page says about visits of pages that are there already."""

    rules: Revisit
    watched: int
    due: int
    visits: int
    changed: int
    gone: int
    is_in_round: bool

    @property
    def share_percent(self) -> int:
        return round(100 * self.rules.share)


def revisit_state(crawl: Crawl) -> RevisitState:
    visits = PageVisit.objects.filter(crawl=crawl)
    watched = PageWatch.objects.filter(crawl=crawl)
    return RevisitState(
        rules=CrawlConfig.from_json(crawl.config).revisit,
        watched=watched.count(),
        due=due_pages(crawl).count(),
        visits=visits.count(),
        changed=visits.filter(changed=True).count(),
        gone=watched.filter(gone_at__isnull=False).count(),
        is_in_round=crawl.round_until is not None,
    )


@dataclass(frozen=True)
class PageHistory:
    """What is known of one page's changes."""

    watch: PageWatch
    visits: list[PageVisit]

    @property
    def days_between_changes(self) -> float | None:
        rate = change_rate(looks_of(self.watch))
        return 1 / rate / DAY if rate > 0 else None


def page_history(crawl: Crawl, number: int) -> PageHistory | None:
    watch = PageWatch.objects.filter(crawl=crawl, number=number).first()
    if watch is None:
        return None
    return PageHistory(watch, list(PageVisit.objects.filter(crawl=crawl, number=number)[:20]))
