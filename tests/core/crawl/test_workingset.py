"""The frontier in memory: its order, its manners, and the life of a URL."""

import random

import numpy as np
import pytest

from crawler.core import workingset
from crawler.core.hosts import CONCURRENT_WITHOUT_PAUSE, Hosts
from crawler.core.types import Merge
from crawler.core.urlrows import FrontierChanges, StoredFrontier, UrlState
from crawler.core.workingset import Frontier
from tests.core.crawl.frontier_model import Known, Model, new, slots


def frontier_of(*hosts: int, delay: float = 0.0) -> Frontier:
    """A frontier with a URL at each of these hosts, in this order."""
    frontier = Frontier(Hosts(delay))
    frontier.admit([new(number, host=host) for number, host in enumerate(hosts)])
    return frontier


def leased(frontier: Frontier, now: float = 0.0) -> list[int]:
    """Everything that can be had at this moment."""
    taken = []
    while lease := frontier.lease(now):
        taken.append(lease.slot)
    return taken


def crawled(frontier: Frontier, *, until: float, fetch_seconds: float = 0.0) -> dict[int, float]:
    """Fetch all there is, asleep when the frontier says so; when each URL was leased."""
    begun: dict[int, float] = {}
    now = 0.0
    while frontier.waiting and now <= until:
        while lease := frontier.lease(now):
            assert lease.slot not in begun, "leased twice"
            begun[lease.slot] = now
            now += fetch_seconds
            frontier.settle(lease.slot, UrlState.DONE)
        at = frontier.next_at()
        assert at is not None or not frontier.waiting, "URLs wait, and nothing will wake them"
        now = max(now, at or now)
    return begun


# Order


def test_urls_never_tried_come_first_then_the_better_then_those_found_earlier():
    frontier = Frontier(Hosts(0.0))
    frontier.admit([new(n, priority=p) for n, p in enumerate([0.2, 0.9, 0.9, 0.5])])
    first = frontier.lease(0.0)
    assert first is not None
    assert first.slot == 1
    frontier.retry(1, at=0.0)
    assert leased(frontier) == [2, 3, 0, 1]


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(20))
def test_a_large_frontier_is_leased_in_the_order_of_sorting(seed):
    dice = random.Random(seed)
    priorities = [dice.choice([0.1, 0.2, 0.3, 0.4]) for _ in range(60)]
    frontier = Frontier(Hosts(0.0))
    frontier.admit([new(n, priority=p) for n, p in enumerate(priorities)])
    assert leased(frontier) == sorted(range(60), key=lambda slot: (-priorities[slot], slot))


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(20))
def test_of_the_hosts_that_are_free_the_best_url_is_leased(seed):
    """Many hosts and a long frontier: each lease is what a look at every URL would choose."""
    dice = random.Random(seed)
    frontier, model = Frontier(Hosts(1.0)), Model(1.0)
    model.urls = [Known(dice.randrange(12), dice.choice([0.1, 0.5, 0.9])) for _ in range(80)]
    frontier.admit([new(n, host=u.host, priority=u.priority) for n, u in enumerate(model.urls)])
    for now in np.arange(0.0, 30.0, 0.5).tolist():
        while (expected := model.next(now)) is not None:
            lease = frontier.lease(now)
            assert lease is not None
            assert lease.slot == expected
            model.lease(expected, now)
            frontier.settle(expected, UrlState.DONE)
            model.urls[expected].state = UrlState.DONE
        assert frontier.lease(now) is None
    assert frontier.waiting == 0


@pytest.mark.parametrize(
    ("how", "order"),
    [(Merge.MAX, [1, 0, 2]), (Merge.ADD, [0, 1, 2]), (Merge.REPLACE, [1, 2, 0])],
)
def test_a_url_found_again_moves_as_the_strategy_says(how, order):
    frontier = Frontier(Hosts(0.0))
    frontier.admit([new(n, priority=p) for n, p in enumerate([0.5, 0.6, 0.4])])
    assert frontier.merge(slots(0), [0.3], how) == (0 if how is Merge.MAX else 1)
    assert leased(frontier) == order


def test_a_url_added_to_twice_in_one_batch_gets_both():
    frontier = frontier_of(0)
    assert frontier.merge(slots(0, 0), [0.25, 0.125], Merge.ADD) == 1
    assert frontier.priority(0) == 0.875


# Politeness


def test_a_host_is_leased_once_per_pause_and_the_others_meanwhile():
    frontier = frontier_of(0, 0, 1, 0, delay=1.0)
    assert leased(frontier, 0.0) == [0, 2]
    frontier.settle(0, UrlState.DONE)
    assert leased(frontier, 0.5) == []
    assert leased(frontier, 1.0) == [1]


def test_a_host_that_still_answers_is_not_asked_again_however_long_it_takes():
    frontier = frontier_of(0, 0, delay=1.0)
    assert leased(frontier, 0.0) == [0]
    assert leased(frontier, 500.0) == []
    frontier.settle(0, UrlState.DONE)
    assert leased(frontier, 500.0) == [1]


def test_the_frontier_says_when_to_ask_again():
    frontier = frontier_of(0, 0, delay=1.0)
    assert leased(frontier, 5.0) == [0]
    assert leased(frontier, 5.0) == []
    frontier.settle(0, UrlState.DONE)
    assert frontier.next_at() == 6.0


def test_a_short_pause_is_no_longer_than_it_says():
    begun = crawled(frontier_of(*[0] * 10, delay=0.25), until=60.0, fetch_seconds=0.0625)
    assert list(begun.values()) == [0.25 * turn for turn in range(10)]


def test_without_a_pause_a_host_is_kept_as_busy_as_it_may_be():
    frontier = frontier_of(*[0] * (CONCURRENT_WITHOUT_PAUSE + 5))
    assert leased(frontier, 0.0) == list(range(CONCURRENT_WITHOUT_PAUSE))
    for slot in range(5):
        frontier.settle(slot, UrlState.DONE)
    assert len(leased(frontier, 0.25)) == 5


# Saturation


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("seed", range(10))
def test_a_host_with_more_urls_than_it_can_park_loses_none(seed):
    dice = random.Random(seed)
    frontier = Frontier(Hosts(1.0))
    sizes = {0: 50, 1: 20, 2: 3}
    hosts = [host for host, size in sizes.items() for _ in range(size)]
    dice.shuffle(hosts)
    frontier.admit([new(n, host=h, priority=dice.random()) for n, h in enumerate(hosts)])
    begun = crawled(frontier, until=500.0)
    assert sorted(begun) == list(range(73))
    assert max(begun.values()) < 60.0


@pytest.mark.usefixtures("small")
def test_urls_that_arrive_for_a_saturated_host_are_leased_too():
    frontier = frontier_of(*[0] * 12, delay=1.0)
    assert leased(frontier, 0.0) == [0]
    late = [new(n, host=0, priority=p) for n, p in ((12, 0.9), (13, 0.1))]
    frontier.admit(late)
    frontier.settle(0, UrlState.DONE)
    assert list(crawled(frontier, until=100.0)) == [12, *range(1, 12), 13]


@pytest.mark.usefixtures("small")
def test_a_new_crawl_that_outgrows_the_heap_at_once_goes_on():
    """Loaded empty, as a crawl that begins is."""
    empty = StoredFrontier(
        keys=np.zeros(0, dtype=np.int64),
        hosts=np.zeros(0, dtype=np.int32),
        states=np.zeros(0, dtype=np.uint8),
        priorities=np.zeros(0),
        tries=np.zeros(0, dtype=np.uint8),
        depths=np.zeros(0, dtype=np.uint16),
        not_before=np.zeros(0),
    )
    frontier = Frontier(Hosts(0.0), empty)
    count = 4 * workingset.REFILL + 1
    frontier.admit([new(n) for n in range(count)])
    assert leased(frontier) == list(range(count))


@pytest.mark.usefixtures("small")
def test_the_long_tail_of_a_saturated_host_does_not_overtake_better_urls_of_others():
    better = [*((0, 0.9) for _ in range(10)), *((host, 0.5) for host in range(1, 61))]
    tail = [(0, 0.1)] * 10
    frontier = Frontier(Hosts(1.0))
    frontier.admit([new(n, host=h, priority=p) for n, (h, p) in enumerate([*better, *tail])])
    order = []
    for now in range(100):
        for _ in range(2):
            if lease := frontier.lease(float(now)):
                order.append(lease.slot)
                frontier.settle(lease.slot, UrlState.DONE)
    assert sorted(order[:70]) == list(range(70))


# The life of a URL


def test_a_retry_is_not_leased_before_its_time_and_counts_when_it_should():
    frontier = frontier_of(0, 1)
    assert leased(frontier, 0.0) == [0, 1]
    frontier.retry(0, at=10.0)
    frontier.retry(1, at=20.0, counts=False)
    assert frontier.next_at() == 10.0
    assert leased(frontier, 9.75) == []
    again = frontier.lease(10.0)
    later = frontier.lease(20.0)
    assert again is not None
    assert later is not None
    assert (again.slot, again.tries) == (0, 1)
    assert (later.slot, later.tries) == (1, 0)


def test_a_released_url_stands_where_it_stood():
    frontier = frontier_of(0, 1, 2)
    assert leased(frontier) == [0, 1, 2]
    frontier.release(1)
    frontier.release(0)
    assert leased(frontier) == [0, 1]


def test_killed_and_absorbed_urls_are_never_leased():
    frontier = frontier_of(0, 1, 2, 3)
    assert frontier.kill(slots(0, 1)) == 2
    frontier.absorb(2)
    assert leased(frontier) == [3]
    assert frontier.kill(slots(0, 3)) == 0
    states = [frontier.state(slot) for slot in range(4)]
    assert states == [UrlState.DEAD, UrlState.DEAD, UrlState.DONE, UrlState.LEASED]


def test_a_url_marked_seen_is_known_and_never_leased():
    frontier = frontier_of(0)
    assert frontier.mark_seen(new(1, host=1)) == 1
    assert frontier.find([1001, 1002]).tolist() == [1, -1]
    assert leased(frontier) == [0]
    assert [row.state for row in frontier.take_changes().new] == [UrlState.WAITING, UrlState.DONE]


def test_only_a_fetched_page_is_reopened():
    frontier = frontier_of(0, 1)
    frontier.kill(slots(1))
    assert leased(frontier) == [0]
    frontier.reopen(0, 0.9)  # still in flight
    frontier.reopen(1, 0.9)
    assert frontier.waiting == 0
    frontier.settle(0, UrlState.DONE)
    frontier.reopen(0, 0.9)
    assert leased(frontier) == [0]


def test_a_page_absorbed_while_it_waited_for_its_host_can_be_fetched_again():
    frontier = frontier_of(0, 0, delay=1.0)
    assert leased(frontier, 0.0) == [0]
    frontier.absorb(1)
    frontier.settle(0, UrlState.DONE)
    assert leased(frontier, 5.0) == []
    frontier.reopen(1, 0.9)
    assert leased(frontier, 10.0) == [1]


def test_a_page_absorbed_before_its_retry_is_stored_without_the_wait_when_due_again():
    frontier = frontier_of(0)
    assert leased(frontier) == [0]
    frontier.retry(0, at=900.0)
    frontier.absorb(0)
    frontier.reopen(0, 0.9)
    assert frontier.take_changes().new[0].not_before == 0.0


def test_each_change_is_handed_out_once():
    frontier = frontier_of(0, 1)
    assert [row.number for row in frontier.take_changes().new] == [0, 1]
    assert leased(frontier) == [0, 1]
    frontier.settle(0, UrlState.DONE, priority=0.25)
    frontier.retry(1, at=5.0)
    assert frontier.take_changes().updated == [(0, 1, 0.25, 0, 0.0), (1, 0, 0.5, 1, 5.0)]
    assert frontier.take_changes() == FrontierChanges([], [])


def test_people_see_the_next_urls_and_how_good_the_rest_is():
    frontier = Frontier(Hosts(1.0))
    frontier.admit([new(n, priority=p) for n, p in enumerate([0.1, 0.9, 0.6, 0.3])])
    assert frontier.best(3) == [1, 2, 3]
    assert frontier.bands([0.0, 0.5, 1.0]) == [2, 2]
    assert leased(frontier) == [1]
    assert frontier.waiting_slots().tolist() == [0, 2, 3]
