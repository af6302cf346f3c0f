"""Reads about crawls: exactly what one screen or command needs."""

from dataclasses import dataclass

from django.db.models import Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone

from crawler.models import Crawl, Page
from focusadmin.accounts.models import User


def crawls_unheld() -> list[Crawl]:
    """Crawls that should be at work and that no process holds."""
    active = Crawl.objects.filter(state__in=Crawl.ACTIVE)
    return list(active.exclude(lease_until__gt=timezone.now()))


def crawls_of(user: User) -> QuerySet[Crawl]:
    return Crawl.objects.visible_to(user).select_related("focus", "started_by")


def crawl_get(*, user: User, crawl_id: int) -> Crawl:
    """The crawl, or 404 for somebody who may not see it."""
    related = ("focus__taxonomy", "team", "model", "started_by")
    visible = Crawl.objects.visible_to(user).select_related(*related)
    return get_object_or_404(visible, pk=crawl_id)


def crawl_named(name: str) -> Crawl | None:
    """By id or slug, for commands."""
    by_id = Q(pk=int(name)) if name.isascii() and name.isdigit() else Q()
    crawls = Crawl.objects.select_related("focus", "model")
    return crawls.filter(slug=name).first() or (crawls.filter(by_id).first() if by_id else None)


HARVEST_WINDOW = 100


@dataclass(frozen=True)
class CrawlFigures:
    """A crawl in numbers, as commands and pages tell it."""

    crawl: str
    state: str
    reason: str
    fetched: int
    failed: int
    frontier: int
    mean_relevance: float
    harvest_average: float
    pages_per_second: float


def crawl_figures(crawl: Crawl) -> CrawlFigures:
    return CrawlFigures(
        crawl=crawl.slug,
        state=crawl.state,
        reason=crawl.reason,
        fetched=crawl.fetched,
        failed=crawl.failed,
        frontier=crawl.frontier_size,
        mean_relevance=round(crawl.mean_relevance, 4),
        harvest_average=round(harvest_average(crawl), 4),
        pages_per_second=round(crawl.fetched / crawl.seconds_run, 2) if crawl.seconds_run else 0.0,
    )


def harvest_average(crawl: Crawl, window: int = HARVEST_WINDOW) -> float:
    """Mean relevance of the latest pages."""
    latest = Page.objects.filter(crawl=crawl, relevance__isnull=False).order_by("-seq")
    values = list(latest.values_list("relevance", flat=True)[:window])
    return sum(value or 0.0 for value in values) / len(values) if values else 0.0
