"""Counts the sites of a crawl in the background, so that their list need not."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import numpy.typing as npt
import structlog
from django.db import connection
from django.db.models import F, Q
from django.utils import timezone

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.intervals import wilson_interval
from crawler.core.pipeline import CAPPED, EXCLUDED, SEEN
from crawler.core.ports import OK
from crawler.core.sites import SiteEvidence, predicted_relevance
from crawler.models import Crawl, CrawlHost, CrawlSite, SiteCount

LEAST_SECONDS = 3.0  # from one count to the next, and
TIMES_ITS_OWN = 20  # as often as long as it took: large crawls are counted less often
DIGITS = 3  # of what moves a little with every page: rows that look the same are not written
ROWS_AT_ONCE = 20_000
WRITTEN_AT_ONCE = 500  # a crawl wants to write, too
_COUNTED = (
    "hosts", "pages", "relevant", "relevance_sum", "failed", "refused", "waiting", "evidence_sum",
    "density_low", "density_high", "predicted",
)  # fmt: skip
_PAGES = """
SELECT site, COUNT(CASE WHEN outcome = %s THEN 1 END),
  COUNT(CASE WHEN outcome = %s AND relevance >= %s THEN 1 END), COALESCE(SUM(relevance), 0),
  COUNT(CASE WHEN outcome NOT IN (%s, %s, %s, %s) THEN 1 END)
FROM crawler_page WHERE crawl_id = %s GROUP BY site
"""
_RELEVANCES = "SELECT number, relevance FROM crawler_page WHERE crawl_id = %s AND outcome = %s"
_WAITING = "SELECT host, found_on FROM crawler_frontierurl WHERE crawl_id = %s AND state = 0"

Numbers = npt.NDArray[np.float64]
log = structlog.get_logger("focusadmin.sites")


@dataclass
class _Site:
    hosts: int = 0
    refused: int = 0
    pages: int = 0
    relevant: int = 0
    relevance_sum: float = 0.0
    failed: int = 0
    waiting: int = 0
    evidence_sum: float = 0.0

    def values(self, crawl_mean: float) -> dict[str, int | float]:
        low, high = wilson_interval(self.relevant, self.pages)
        evidence = SiteEvidence(self.pages, self.relevance_sum, self.waiting, self.evidence_sum)
        return {
            **vars(self),
            "relevance_sum": round(self.relevance_sum, DIGITS),
            "evidence_sum": round(self.evidence_sum, DIGITS),
            "density_low": low,
            "density_high": high,
            "predicted": round(predicted_relevance(evidence, crawl_mean), DIGITS),
        }


def sites_count_due() -> None:
    """Every crawl that has moved on since its sites were counted; called every few seconds."""
    known = Q(site_count__seq=F("seq"), site_count__frontier_size=F("frontier_size"))
    known &= Q(site_count__ranked_revision=F("ranked_revision"))
    moved = Crawl.objects.filter(Q(seq__gt=0) | Q(frontier_size__gt=0)).exclude(known)
    for crawl in moved.select_related("site_count").order_by("pk"):
        if not _is_due(crawl):
            continue
        try:
            sites_count(crawl=crawl)
        except Exception:
            # One crawl's trouble must not keep the others waiting.
            log.exception("sites not counted", crawl=crawl.pk)


def _is_due(crawl: Crawl) -> bool:
    count = SiteCount.objects.filter(crawl=crawl).first()
    if count is None:
        return True
    pause = max(LEAST_SECONDS, TIMES_ITS_OWN * count.seconds)
    return timezone.now() >= count.at + timedelta(seconds=pause)


def sites_count(*, crawl: Crawl) -> None:
    """All figures of all sites; rows of which nothing changed stay as they are."""
    began = time.monotonic()
    crawl = Crawl.objects.get(pk=crawl.pk)
    _write(crawl, _counted(crawl))
    SiteCount.objects.update_or_create(
        crawl=crawl,
        defaults={
            "at": timezone.now(),
            "seconds": time.monotonic() - began,
            "seq": crawl.seq,
            "frontier_size": crawl.frontier_size,
            "ranked_revision": crawl.ranked_revision,
        },
    )


def _counted(crawl: Crawl) -> dict[str, _Site]:
    sites: dict[str, _Site] = {}
    names: dict[int, str] = {}
    hosts = CrawlHost.objects.filter(crawl=crawl).values_list("number", "site", "robots_denied")
    for number, name, denied in hosts.iterator(ROWS_AT_ONCE):
        names[number] = name
        site = sites.setdefault(name, _Site())
        site.hosts += 1
        site.refused += denied
    told: list[int | float | str] = [OK, OK, RELEVANT_FROM, OK, EXCLUDED, CAPPED, SEEN, crawl.pk]
    for name, pages, relevant, total, failed in _rows(_PAGES, told):
        site = sites.setdefault(name, _Site())
        site.pages, site.relevant, site.relevance_sum, site.failed = pages, relevant, total, failed
    waiting, evidence = _frontier(crawl)
    for number, count in waiting.items():
        site = sites.setdefault(names.get(number, ""), _Site())
        site.waiting += count
        site.evidence_sum += evidence[number]
    sites.pop("", None)
    return sites


def _frontier(crawl: Crawl) -> tuple[Counter[int], defaultdict[int, float]]:
    """By host: how many URLs wait, and the relevances of the pages on which they were found."""
    relevance = _relevance_by_number(crawl)
    waiting: Counter[int] = Counter()
    evidence: defaultdict[int, float] = defaultdict(float)
    for rows in _chunks(_WAITING, [crawl.pk]):
        hosts, found_on = np.array(rows, dtype=np.int64).T
        is_known = (found_on >= 0) & (found_on < len(relevance))
        values = np.where(is_known, relevance[np.where(is_known, found_on, 0)], np.nan)
        values = np.where(np.isnan(values), crawl.mean_relevance, values)
        for host, count in enumerate(np.bincount(hosts)):
            if count:
                waiting[host] += int(count)
        for host, total in enumerate(np.bincount(hosts, weights=values)):
            if total:
                evidence[host] += float(total)
    return waiting, evidence


def _relevance_by_number(crawl: Crawl) -> Numbers:
    rows = np.array(list(_rows(_RELEVANCES, [crawl.pk, OK])), dtype=np.float64).reshape(-1, 2)
    numbers = rows[:, 0].astype(np.int64)
    relevance = np.full(int(numbers.max()) + 1 if len(numbers) else 1, np.nan)
    relevance[numbers] = rows[:, 1]
    return relevance


def _write(crawl: Crawl, sites: dict[str, _Site]) -> None:
    known = {
        name: dict(zip(_COUNTED, values, strict=True))
        for name, *values in CrawlSite.objects.filter(crawl=crawl).values_list("site", *_COUNTED)
    }
    now = {name: site.values(crawl.mean_relevance) for name, site in sites.items()}
    changed = [
        CrawlSite(crawl=crawl, site=name, **values)
        for name, values in now.items()
        if known.get(name) != values
    ]
    for start in range(0, len(changed), WRITTEN_AT_ONCE):
        CrawlSite.objects.bulk_create(
            changed[start : start + WRITTEN_AT_ONCE],
            update_conflicts=True,
            unique_fields=["crawl", "site"],
            update_fields=_COUNTED,
        )


def _rows(
    query: str, values: Sequence[int | float | str]
) -> Iterator[tuple[str, int, int, float, int]]:
    for chunk in _chunks(query, values):
        yield from chunk


def _chunks(
    query: str, values: Sequence[int | float | str]
) -> Iterator[list[tuple[str, int, int, float, int]]]:
    with connection.cursor() as cursor:
        cursor.execute(query, values)
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            yield rows
