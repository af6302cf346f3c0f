"""A running crawl, and pages for it that were never fetched."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, CrawlHost, Page
from taxonomy.services.focuses import focus_create
from tests.crawl_rows import held, make_crawl
from tests.taxonomy.conftest import at, taxonomy

__all__ = ["at", "taxonomy"]
AddPages = Callable[..., Crawl]


@pytest.fixture
def crawl(taxonomy, owner, at) -> Crawl:
    focus = focus_create(
        name="Hills", taxonomy=taxonomy, by=owner, good=[at("/Recreation/Cycling")]
    )
    made = make_crawl(focus, started_by=owner, config=CrawlConfig().to_json())
    CrawlHost.objects.create(crawl=made, number=0, host="h0.example", site="h0.example")
    return held(made, "somebody")


@pytest.fixture
def add_pages(crawl: Crawl) -> AddPages:
    """More pages of one relevance, or of one failure."""

    def add(count: int, relevance: float | None = 0.6, outcome: str = "ok") -> Crawl:
        crawl.refresh_from_db()
        seqs = range(crawl.seq + 1, crawl.seq + count + 1)
        Page.objects.bulk_create(page_row(crawl, seq, relevance, outcome) for seq in seqs)
        crawl.seq += count
        crawl.fetched += count if relevance is not None else 0
        crawl.frontier_size = 1_000
        crawl.save()
        return crawl

    return add


def page_row(crawl: Crawl, seq: int, relevance: float | None, outcome: str = "ok") -> Page:
    return Page(
        crawl=crawl,
        seq=seq,
        number=seq,
        url_key=seq,
        url=f"https://h0.example/{seq}",
        host=0,
        site=f"s{seq % 7}.example",
        outcome=outcome,
        relevance=relevance,
        fetched_at=timezone.now().timestamp(),
    )
