"""What every ledger promises. The database's run on SQLite here, and on PostgreSQL at the end."""

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np
import pytest
from django.db import DatabaseError

from crawler import store
from crawler.core.hosts import Host, Hosts
from crawler.core.memory import MemoryLedger
from crawler.core.ports import OK, Batch, LeaseLostError, Ledger, PageRecord
from crawler.core.types import Merge
from crawler.core.urlrows import NewUrl, StoredFrontier, UrlState
from crawler.core.workingset import Frontier
from crawler.models import Crawl, CrawlHost, FrontierUrl, Page, PageBody
from tests.crawl_rows import expire, held, make_crawl
from tests.product import ROOT, clean_environment

THESE = ("tests/contracts/test_ledgers.py", "tests/contracts/test_leases.py")
in_a_database = pytest.mark.django_db(transaction=True)


class MemoryBook:
    """A ledger, and how to read again what was written in it."""

    def __init__(self) -> None:
        self.kept = MemoryLedger()
        self.ledger: Ledger = self.kept

    def frontier(self) -> StoredFrontier:
        rows = [self.kept.rows[number] for number in sorted(self.kept.rows)]
        return StoredFrontier(
            keys=np.array([row.key for row in rows], dtype=np.int64),
            hosts=np.array([row.host for row in rows], dtype=np.int32),
            states=np.array([row.state for row in rows], dtype=np.uint8),
            priorities=np.array([row.priority for row in rows], dtype=np.float64),
            tries=np.array([row.tries for row in rows], dtype=np.uint8),
            depths=np.array([row.depth for row in rows], dtype=np.uint16),
            not_before=np.array([row.not_before for row in rows], dtype=np.float64),
        )

    def pages(self) -> list[tuple[int, str, str]]:
        return [(seq, page.url, page.outcome) for seq, page in enumerate(self.kept.pages, 1)]


class DatabaseBook:
    def __init__(self, crawl: Crawl) -> None:
        self.crawl = held(crawl, "one")
        self.ledger: Ledger = ledger_of(self.crawl)

    def frontier(self) -> StoredFrontier:
        return store.frontier_load(self.crawl.pk)

    def pages(self) -> list[tuple[int, str, str]]:
        rows = Page.objects.filter(crawl=self.crawl).order_by("seq")
        return list(rows.values_list("seq", "url", "outcome"))


Book = MemoryBook | DatabaseBook


@pytest.fixture(params=["memory", pytest.param("database", marks=in_a_database)])
def book(request) -> Book:
    if request.param == "memory":
        return MemoryBook()
    return DatabaseBook(request.getfixturevalue("crawl"))


def ledger_of(crawl: Crawl) -> store.DatabaseLedger:
    return store.DatabaseLedger(
        crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=crawl.seq
    )


def url_at(number: int) -> str:
    return f"https://h{number % 3}.example/{number}"


def new(number: int) -> NewUrl:
    key = (-1) ** number * (2**62 + number)  # keys use all 64 bits, the sign too
    return NewUrl(key, url_at(number), priority=number / 7, depth=number % 4, found_on=number - 1)


def frontier_of(count: int) -> Frontier:
    frontier = Frontier(Hosts(0.0))
    frontier.admit([new(number) for number in range(count)])
    return frontier


def page(number: int, **changes: Any) -> PageRecord:
    values: dict[str, Any] = {
        "number": number, "key": new(number).key, "url": url_at(number), "host": number % 3,
        "site": f"h{number % 3}.example", "outcome": OK, "fetched_at": 1000.0 + number,
        "depth": number % 4, "title": f"Page {number}", "relevance": 0.75, "size_bytes": 100,
        "text": "Hügel und Täler",
    }  # fmt: skip
    return PageRecord(**{**values, **changes})


def batch(frontier: Frontier, *pages: PageRecord, hosts: Sequence[Host] = ()) -> Batch:
    return Batch(pages, frontier.take_changes(), hosts, 1.5, frontier.waiting, {"speed": 2})


def assert_same(stored: StoredFrontier, rows: Sequence[tuple[int, float, int, float]]) -> None:
    """States, priorities, tries and times, and with them what never changes."""
    assert stored.keys.tolist() == [new(number).key for number in range(len(rows))]
    assert stored.hosts.tolist() == [number % 3 for number in range(len(rows))]
    assert stored.depths.tolist() == [number % 4 for number in range(len(rows))]
    columns = (stored.states, stored.priorities, stored.tries, stored.not_before)
    assert list(zip(*(column.tolist() for column in columns), strict=True)) == list(rows)


# Every ledger


def test_what_was_committed_is_loaded_again(book):
    book.ledger.commit(batch(frontier_of(20)))
    assert_same(book.frontier(), [(0, number / 7, 0, 0.0) for number in range(20)])


def test_changes_of_later_batches_are_applied(book):
    frontier = frontier_of(4)
    book.ledger.commit(batch(frontier))
    assert [lease.slot for lease in map(frontier.lease, (0.0, 0.0, 0.0)) if lease] == [3, 2, 1]
    frontier.settle(3, UrlState.DONE, priority=0.125)
    frontier.settle(2, UrlState.DEAD)
    frontier.retry(1, at=77.5)
    frontier.merge(np.array([0], dtype=np.int32), [0.5], Merge.ADD)
    book.ledger.commit(batch(frontier, page(3)))
    expected = [(0, 0.5, 0, 0.0), (0, 1 / 7, 1, 77.5), (2, 2 / 7, 0, 0.0), (1, 0.125, 0, 0.0)]
    assert_same(book.frontier(), expected)


def test_a_frontier_loaded_again_goes_on_where_it_was(book):
    frontier = frontier_of(10)
    book.ledger.commit(batch(frontier))
    for slot in (9, 8, 7):
        assert (lease := frontier.lease(0.0)) is not None
        assert lease.slot == slot
    frontier.settle(9, UrlState.DONE)
    frontier.retry(8, at=50.0)
    book.ledger.commit(batch(frontier, page(9)))  # 7 is in flight: it will be fetched again
    again = Frontier(Hosts(0.0, frontier.hosts.all), book.frontier())
    assert (len(again), again.waiting, again.in_flight) == (10, 9, 0)
    order = [lease.slot for lease in iter(lambda: again.lease(60.0), None)]
    assert order == [7, 6, 5, 4, 3, 2, 1, 0, 8]


def test_pages_are_numbered_through_over_all_batches(book):
    frontier = frontier_of(5)
    assert book.ledger.commit(batch(frontier, page(0), page(1, outcome="timeout"))) == 2
    assert book.ledger.commit(batch(frontier)) == 2
    assert book.ledger.commit(batch(frontier, page(2))) == 3
    expected = [(1, url_at(0), OK), (2, url_at(1), "timeout"), (3, url_at(2), OK)]
    assert book.pages() == expected


def test_urls_are_told_for_the_numbers_that_exist(book):
    book.ledger.commit(batch(frontier_of(1200)))
    assert book.ledger.urls([3, 1199, 5000]) == {3: url_at(3), 1199: url_at(1199)}
    assert book.ledger.urls([]) == {}
    assert len(book.ledger.urls(range(1200))) == 1200


# Those in a database


@in_a_database
def test_an_empty_crawl_is_loaded_as_an_empty_frontier(crawl):
    assert len(Frontier(Hosts(0.0), store.frontier_load(crawl.pk))) == 0


@in_a_database
def test_crawls_do_not_see_each_others_urls(focus):
    first, second = (DatabaseBook(make_crawl(focus)) for _ in range(2))
    first.ledger.commit(batch(frontier_of(5), page(0)))
    second.ledger.commit(batch(frontier_of(3)))
    assert len(first.frontier().keys) == 5
    assert len(second.frontier().keys) == 3
    assert second.pages() == []
    assert second.ledger.urls([4]) == {}


@in_a_database
def test_hosts_are_written_once_and_renewed_afterwards(crawl):
    ledger = DatabaseBook(crawl).ledger
    frontier = frontier_of(2)
    hosts = frontier.hosts.all
    ledger.commit(batch(frontier, hosts=hosts))
    hosts[1].pages, hosts[1].crawl_delay, hosts[1].not_before = 4, 2.5, 99.0
    hosts[1].robots_note, hosts[1].address = "disallowed", "192.0.2.7"
    ledger.commit(batch(frontier, hosts=[hosts[1]]))
    loaded = store.hosts_load(crawl.pk)
    assert [host_row(host) for host in loaded] == [host_row(host) for host in hosts]
    assert CrawlHost.objects.filter(crawl=crawl).count() == 2


def host_row(host: Host) -> list[object]:
    kept = (field.name for field in fields(host) if field.name not in NOT_STORED)
    return [getattr(host, name) for name in kept]


NOT_STORED = {"in_flight", "parked", "parked_floor", "is_asleep"}


@in_a_database
def test_a_page_is_kept_with_its_text_its_links_and_their_anchors(crawl):
    whole = page(
        0,
        targets=np.array([1, 2], dtype=np.int32),
        contexts=np.array([0.5, 0.25], dtype=np.float32),
        anchors=("to\nthe hills", "Täler"),
    )
    DatabaseBook(crawl).ledger.commit(batch(frontier_of(3), whole, page(1, outcome="timeout")))
    body = PageBody.objects.get(crawl=crawl)  # a fetch without a page has none
    assert (body.seq, store.unpacked_text(body.text)) == (1, "Hügel und Täler")
    assert np.frombuffer(body.targets, dtype="<i4").tolist() == [1, 2]
    assert np.frombuffer(body.contexts, dtype="<f4").tolist() == [0.5, 0.25]
    assert store.unpacked_text(body.anchors).split("\n") == ["to the hills", "Täler"]
    row = Page.objects.get(crawl=crawl, seq=1)
    assert (row.title, row.relevance, row.url_key) == ("Page 0", 0.75, new(0).key)


@in_a_database
def test_the_figures_of_the_crawl_follow_its_pages(crawl):
    ledger = DatabaseBook(crawl).ledger
    frontier = frontier_of(3)
    failed = page(2, outcome="timeout", relevance=None, size_bytes=0)
    ledger.commit(batch(frontier, page(0), page(1, relevance=0.25), failed))
    ledger.commit(batch(frontier))
    crawl.refresh_from_db()
    assert (crawl.seq, crawl.fetched, crawl.failed, crawl.relevant) == (3, 2, 1, 1)
    assert (crawl.relevance_sum, crawl.bytes_fetched, crawl.seconds_run) == (1.0, 200, 3.0)
    assert (crawl.frontier_size, crawl.status) == (3, {"speed": 2})


# Crashes and takeovers


def rows_written(crawl: Crawl) -> list[int]:
    tables = (Page, PageBody, FrontierUrl, CrawlHost)
    return [table.objects.filter(crawl=crawl).count() for table in tables]


@in_a_database
def test_a_batch_that_fails_half_way_leaves_nothing_and_can_be_followed_by_a_good_one(crawl):
    ledger = DatabaseBook(crawl).ledger
    frontier = frontier_of(3)
    broken = page(1, relevance=7.0)  # the table's own check refuses it, after the first page
    with pytest.raises(DatabaseError):
        ledger.commit(batch(frontier, page(0), broken, hosts=frontier.hosts.all))
    crawl.refresh_from_db()
    assert (rows_written(crawl), crawl.seq, crawl.fetched) == ([0, 0, 0, 0], 0, 0)
    assert ledger.commit(batch(frontier_of(3), page(0))) == 1


@in_a_database
def test_a_crash_after_the_last_statement_leaves_nothing(crawl, monkeypatch):
    def crash(name: str) -> None:
        if name == "inside_commit":
            raise KeyboardInterrupt

    ledger = DatabaseBook(crawl).ledger
    monkeypatch.setattr(store, "failpoint", crash)
    frontier = frontier_of(3)
    with pytest.raises(KeyboardInterrupt):
        ledger.commit(batch(frontier, page(0), hosts=frontier.hosts.all))
    crawl.refresh_from_db()
    assert (rows_written(crawl), crawl.seq) == ([0, 0, 0, 0], 0)


@in_a_database
def test_who_lost_the_crawl_writes_nothing_any_more(crawl):
    first = held(crawl, "one")
    ledger_of(first).commit(batch(frontier_of(2), page(0)))
    before = rows_written(crawl)
    expire(crawl)
    second = held(crawl, "two")
    assert second.fence == first.fence + 1
    frontier = frontier_of(6)
    with pytest.raises(LeaseLostError):
        ledger_of(first).commit(batch(frontier, page(1), hosts=frontier.hosts.all))
    assert rows_written(crawl) == before
    assert ledger_of(second).commit(batch(Frontier(Hosts(0.0)), page(1))) == 2


@in_a_database
def test_the_fence_holds_even_against_a_holder_of_the_same_name(crawl):
    first = held(crawl, "one")
    expire(crawl)
    held(crawl, "one")
    with pytest.raises(LeaseLostError):
        ledger_of(first).commit(batch(frontier_of(1)))
    assert rows_written(crawl) == [0, 0, 0, 0]


@pytest.mark.services
def test_all_of_this_holds_on_postgresql(postgresql_url, tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--reuse-db"]
    done = subprocess.run(
        [*command, "-m", "not services", *THESE],
        env={**clean_environment(tmp_path), "FOCUSADMIN_DB_URL": postgresql_url},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
