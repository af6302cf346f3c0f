"""A crawl's row without the web around it, for tests of what is written under it."""

from collections.abc import Sequence
from datetime import timedelta
from typing import Any

from django.utils import timezone

from crawler.core.ports import OK, Batch, PageRecord
from crawler.core.urlrows import FrontierChanges
from crawler.models import Crawl
from crawler.store import DatabaseLedger, lease_take
from taxonomy.models import Focus, TrainedModel


def make_crawl(focus: Focus, **changes: Any) -> Crawl:
    """A running crawl of this focus, held by nobody."""
    model, _ = TrainedModel.objects.get_or_create(
        taxonomy=focus.taxonomy,
        version=1,
        defaults={"kind": "svm", "state": "ready", "taxonomy_revision": 0},
    )
    values: dict[str, Any] = {
        "focus": focus,
        "team": focus.team,
        "name": "A crawl",
        "slug": f"a-crawl-{Crawl.objects.count()}",
        "state": Crawl.State.RUNNING,
        "contact": "olga@example.org",
        "good": [["Recreation", "Cycling"]],
        "start_urls": ["https://h0.example/"],
        "model": model,
    }
    return Crawl.objects.create(**{**values, **changes})


def held(crawl: Crawl, owner: str) -> Crawl:
    """The crawl as its new holder has it."""
    taken = lease_take(crawl.pk, owner)
    assert taken is not None
    return taken


def expire(crawl: Crawl) -> None:
    """The holder has not been heard of for too long."""
    past = timezone.now() - timedelta(seconds=1)
    Crawl.objects.filter(pk=crawl.pk).update(lease_until=past)


def batch_of(
    crawl: Crawl, relevances: Sequence[float | None], *, at: float = 1_000.0, **changes: Any
) -> Batch:
    """The next pages of a crawl, a second apart; None failed."""
    numbers = range(crawl.seq, crawl.seq + len(relevances))
    pages = [
        PageRecord(
            **{
                "number": number,
                "key": number,
                "url": f"https://h{number % 7}.example/{number}",
                "host": number % 7,
                "site": f"h{number % 7}.example",
                "outcome": OK if relevance is not None else "status_404",
                "fetched_at": at + number,
                "depth": 1,
                "title": f"Page {number + 1}",
                "topic": "/Recreation/Cycling",
                "relevance": relevance,
                **changes,
            }
        )
        for number, relevance in zip(numbers, relevances, strict=True)
    ]
    return Batch(pages, FrontierChanges([], []), [], 1.0, 0, {"pages_per_minute": 60.0})


def commit_pages(crawl: Crawl, relevances: Sequence[float | None], **changes: Any) -> None:
    """Write the next pages of a crawl that somebody holds, in one batch."""
    crawl.refresh_from_db()
    ledger = DatabaseLedger(
        crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=crawl.seq
    )
    ledger.commit(batch_of(crawl, relevances, **changes))
    crawl.refresh_from_db()
