"""One holder at a time: who may work on a crawl. Run on PostgreSQL by test_ledgers.py."""

import threading
from collections.abc import Callable

import pytest
from django.db import connection

from crawler.core.ports import Batch
from crawler.core.urlrows import FrontierChanges
from crawler.models import Crawl
from crawler.store import DatabaseLedger, lease_give_up, lease_renew, lease_take
from tests.crawl_rows import expire, held, make_crawl

pytestmark = pytest.mark.django_db(transaction=True)


def test_a_crawl_that_is_held_is_not_given_away_before_the_lease_ends(crawl):
    held(crawl, "one")
    assert lease_take(crawl.pk, "two") is None
    expire(crawl)
    taken = lease_take(crawl.pk, "two")
    assert taken is not None
    assert (taken.fence, taken.lease_owner) == (2, "two")


@pytest.mark.parametrize("state", list(Crawl.State))
def test_only_crawls_that_should_be_at_work_can_be_taken(focus, state):
    crawl = make_crawl(focus, state=state)
    assert (lease_take(crawl.pk, "one") is not None) == crawl.is_active


def test_a_commit_renews_the_lease(crawl):
    mine = held(crawl, "one")
    expire(crawl)
    ledger = DatabaseLedger(crawl_id=crawl.pk, fence=mine.fence, owner="one", seq=0)
    ledger.commit(Batch([], FrontierChanges([], []), [], 0.0, 0, {}))
    assert lease_take(crawl.pk, "two") is None


def test_a_lease_can_be_renewed_and_given_up_by_its_holder_only(crawl):
    first = held(crawl, "one")
    expire(crawl)
    assert lease_renew(first)
    assert lease_take(crawl.pk, "two") is None
    lease_give_up(first)
    held(crawl, "two")
    assert not lease_renew(first)
    lease_give_up(first)
    assert lease_take(crawl.pk, "three") is None


def test_of_ten_that_reach_for_a_crawl_at_once_one_gets_it(crawl):
    winners = at_once(10, lambda number: lease_take(crawl.pk, f"worker {number}"))
    won = [taken for taken in winners if taken is not None]
    assert len(won) == 1
    crawl.refresh_from_db()
    assert (crawl.fence, crawl.lease_owner) == (1, won[0].lease_owner)


def at_once(count: int, act: Callable[[int], Crawl | None]) -> list[Crawl | None]:
    start = threading.Barrier(count)
    results: list[Crawl | None] = []
    failures: list[Exception] = []

    def run(number: int) -> None:
        try:
            start.wait()
            results.append(act(number))
        except Exception as error:  # noqa: BLE001 - told to the test
            failures.append(error)
        finally:
            connection.close()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    return results
