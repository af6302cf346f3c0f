"""A crawl without a web: the frontier and the ledger do what every page asks of them."""

import random
import time

import numpy as np
from django.core.management import call_command

from crawler.core.hosts import Hosts
from crawler.core.ports import OK, Batch, PageRecord
from crawler.core.types import Merge
from crawler.core.urlrows import NewUrl, UrlState
from crawler.core.workingset import Frontier
from crawler.store import DatabaseLedger, lease_take
from focusadmin.accounts.services import first_user_ensure
from taxonomy.core.records import TopicRecord
from taxonomy.services.focuses import focus_create
from taxonomy.services.imports import taxonomy_import
from tests.crawl_rows import make_crawl

TEXT = "A page about hills, valleys and the roads between them. " * 60


class CrawlUnderWay:
    """Keys and priorities come from the dice; the clock stands still while hosts never rest."""

    def __init__(self, *, hosts: int, dice: random.Random) -> None:
        self.hosts, self.dice = hosts, dice
        self.frontier = Frontier(Hosts(0.0))
        self.ledger = new_ledger()

    def fill(self, count: int) -> None:
        """Many URLs in one commit."""
        self.admit(count, found_on=-1)
        self.commit([])

    def admit(self, count: int, found_on: int) -> None:
        first = len(self.frontier)
        self.frontier.admit([self.new_url(first + more, found_on) for more in range(count)])

    def new_url(self, number: int, found_on: int) -> NewUrl:
        url = f"https://www.host{self.dice.randrange(self.hosts)}.example/section/page-{number}"
        key = self.dice.getrandbits(64) - 2**63  # a hash in a real crawl
        return NewUrl(key, url, self.dice.random(), 3, found_on)

    def fetch(self, pages: int, pages_a_commit: int, new_urls: int, raised: int) -> None:
        for _ in range(pages // pages_a_commit):
            self.commit([self.page(new_urls, raised) for _ in range(pages_a_commit)])

    def page(self, new_urls: int, raised: int) -> PageRecord:
        lease = self.frontier.lease(0.0)
        assert lease is not None
        known = [self.dice.randrange(len(self.frontier)) for _ in range(raised)]
        better = [self.raised(self.frontier.priority(slot)) for slot in known]
        self.frontier.merge(np.array(known, dtype=np.int32), better, Merge.MAX)
        self.admit(new_urls, found_on=lease.slot)
        self.frontier.settle(lease.slot, UrlState.DONE)
        url = lease.url or self.ledger.urls([lease.slot])[lease.slot]
        return PageRecord(
            number=lease.slot, key=self.frontier.key(lease.slot), url=url,
            host=lease.host.number, site=lease.host.site, outcome=OK, fetched_at=time.time(),
            depth=lease.depth, title="Hills", relevance=0.5, size_bytes=20_000, text=TEXT,
            targets=np.array(known, dtype=np.int32), contexts=np.zeros(raised, dtype=np.float32),
        )  # fmt: skip

    def raised(self, priority: float) -> float:
        """Always more, so that every size writes as many changes."""
        return priority + (1.0 - priority) * self.dice.random()

    def commit(self, pages: list[PageRecord]) -> None:
        hosts = self.frontier.hosts
        changed = [hosts.all[number] for number in sorted(hosts.changed)]
        hosts.changed.clear()
        changes = self.frontier.take_changes()
        self.ledger.commit(Batch(pages, changes, changed, 0.1, self.frontier.waiting, {}))


def new_ledger() -> DatabaseLedger:
    """In a fresh database, for a crawl that we hold."""
    call_command("migrate", verbosity=0)
    user = first_user_ensure()
    team = user.memberships.get().team
    records = [TopicRecord(("Hills",))]
    taxonomy = taxonomy_import(name="Small", team=team, records=records).taxonomy
    crawl = lease_take(make_crawl(focus_create(name="Hills", taxonomy=taxonomy, by=user)).pk, "us")
    assert crawl is not None
    return DatabaseLedger(crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=0)
