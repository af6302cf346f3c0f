"""Writes a small crawl through the real ledger, page by page, without a web."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from crawler.core.hosts import Hosts
from crawler.core.keyindex import UNKNOWN
from crawler.core.ports import OK, Batch, PageRecord
from crawler.core.types import Merge, url_key
from crawler.core.urlrows import NewUrl, UrlState
from crawler.core.workingset import Frontier
from crawler.models import Crawl
from crawler.store import DatabaseLedger, frontier_load, hosts_load, lease_give_up
from tests.crawl_rows import held


@dataclass(frozen=True)
class Fetched:
    """A page to record; links are URLs, and all of them become known to the frontier."""

    url: str
    relevance: float | None = 0.9  # None: the fetch failed
    links: tuple[str, ...] = ()
    fields: dict[str, Any] = field(default_factory=dict)


def record(crawl: Crawl, *pages: Fetched, addresses: dict[str, str] | None = None) -> Crawl:
    """All pages in one batch, in this order; their links wait in the frontier."""
    crawl = held(crawl, "recorder")
    frontier = Frontier(Hosts(0.0, hosts_load(crawl.pk)), frontier_load(crawl.pk))
    urls = dict.fromkeys(url for page in pages for url in (page.url, *page.links))
    known = frontier.find([url_key(url) for url in urls]).tolist()
    new = [url for url, slot in zip(urls, known, strict=True) if slot == UNKNOWN]
    frontier.admit([NewUrl(url_key(url), url, 0.5, 0, -1) for url in new])
    slots = dict(zip(urls, frontier.find([url_key(url) for url in urls]).tolist(), strict=True))
    for host in frontier.hosts.all:
        host.address = (addresses or {}).get(host.name, "")
    records = [_record(frontier, slots, page) for page in pages]
    _settle(frontier, {slots[page.url]: page for page in pages})
    ledger = DatabaseLedger(
        crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=crawl.seq
    )
    changes = frontier.take_changes()
    ledger.commit(Batch(records, changes, frontier.hosts.all, 1.0, frontier.waiting, {}))
    lease_give_up(crawl)
    crawl.refresh_from_db()
    return crawl


def _settle(frontier: Frontier, pages: dict[int, Fetched]) -> None:
    """Lease everything, settle what was fetched, and give the rest back."""
    for slot in pages:
        frontier.reopen(slot, 1.0)
    frontier.merge(np.array(list(pages), dtype=np.int32), [1.0] * len(pages), Merge.REPLACE)
    for _ in pages:
        lease = frontier.lease(0.0)
        assert lease is not None
        was_fetched = pages[lease.slot].relevance is not None
        frontier.settle(lease.slot, UrlState.DONE if was_fetched else UrlState.DEAD)


def _record(frontier: Frontier, slots: dict[str, int], page: Fetched) -> PageRecord:
    host = frontier.hosts.of_url(page.url)
    targets = np.array([slots[url] for url in page.links], dtype=np.int32)
    given: dict[str, Any] = {
        "number": slots[page.url], "key": url_key(page.url), "url": page.url,
        "host": host.number, "site": host.site, "fetched_at": 1000.0 + slots[page.url],
        "depth": 0, "outcome": OK if page.relevance is not None else "timeout",
        "relevance": page.relevance, "priority_relevance": page.relevance,
        "title": page.url.rsplit("/", 1)[-1], "text": "A page about bicycles.",
        "topic": "/Recreation/Cycling", "targets": targets,
        "contexts": np.zeros(len(targets), dtype=np.float32), "anchors": ("link",) * len(targets),
    }  # fmt: skip
    return PageRecord(**{**given, **page.fields})
