"""Wishes for the frontier: above what any strategy asks for, and harmless when repeated."""

import numpy as np
import pytest

from crawler.core.hosts import Hosts
from crawler.core.nudges import HUBS, PEOPLE_FIRST, SITES, Nudge, NudgeKind, Nudging
from crawler.core.ranking import BOOST
from crawler.core.types import Merge, url_key
from crawler.core.urlrows import NewUrl, UrlState
from crawler.core.workingset import Frontier

WAITING, FETCHED, DEAD, FAILED_ONCE = range(4)


@pytest.fixture
def frontier() -> Frontier:
    """One URL that waits, one fetched, one given up, one tried once; then ten better ones."""
    made = Frontier(Hosts(0.0))
    urls = [f"https://h{number}.example/" for number in range(14)]
    made.admit([NewUrl(url_key(url), url, 0.1, 1, -1) for url in urls[:4]])
    leases = {lease.slot for _ in range(4) if (lease := made.lease(0.0))}
    assert leases == {0, 1, 2, 3}
    made.release(WAITING)
    made.settle(FETCHED, UrlState.DONE)
    made.settle(DEAD, UrlState.DEAD)
    made.retry(FAILED_ONCE, 0.0)
    made.admit([NewUrl(url_key(url), url, 0.9, 1, -1) for url in urls[4:]])
    made.take_changes()
    return made


def wish(slot: int, kind: NudgeKind = NudgeKind.VISIT, priority: float = HUBS, **more) -> Nudge:
    return Nudge(**{"id": slot + 1, "forgives": False, **more}, number=slot, kind=kind,
                 priority=priority)  # fmt: skip


def order(frontier: Frontier) -> list[int]:
    slots = []
    while (lease := frontier.lease(10.0)) is not None:
        slots.append(lease.slot)
    return slots


def test_a_wish_comes_before_all_that_the_strategy_asks_for(frontier):
    assert Nudging(frontier).take([wish(WAITING)])
    assert order(frontier)[0] == WAITING


def test_people_come_before_hubs_and_hubs_before_sites(frontier):
    wishes = [wish(4, NudgeKind.DEEPER, SITES), wish(5), wish(6, priority=PEOPLE_FIRST)]
    Nudging(frontier).take(wishes)
    assert order(frontier)[:3] == [6, 5, 4]


def test_who_asks_for_a_url_that_failed_gets_it_first(frontier):
    frontier.lease(1.0)  # lets the retry wake
    Nudging(frontier).take([wish(FAILED_ONCE, priority=PEOPLE_FIRST, forgives=True)])
    assert order(frontier)[0] == FAILED_ONCE


@pytest.mark.parametrize("slot", [FETCHED, DEAD])
def test_only_a_wish_to_see_it_again_opens_what_is_settled(frontier, slot):
    state = frontier.state(slot)
    Nudging(frontier).take([wish(slot)])
    assert frontier.state(slot) is state
    waiting = frontier.waiting
    Nudging(frontier).take([wish(slot, NudgeKind.REVISIT)])
    assert frontier.state(slot) is UrlState.WAITING
    assert frontier.waiting == waiting + 1
    assert order(frontier)[0] == slot


@pytest.mark.parametrize("how", list(Merge))
def test_no_strategy_takes_a_wish_away_or_overtakes_it(frontier, how):
    Nudging(frontier).take([wish(WAITING)])
    frontier.merge(np.array([WAITING, 4], dtype=np.int32), [0.3, 1e200], how)
    assert frontier.priority(WAITING) >= BOOST
    assert order(frontier)[0] == WAITING


def test_a_wish_is_taken_once_and_told_to_the_ledger_once(frontier):
    nudging = Nudging(frontier)
    pending = [wish(FETCHED, NudgeKind.REVISIT)]
    assert nudging.take(pending)
    assert order(frontier)[0] == FETCHED
    assert nudging.to_write() == [FETCHED + 1]
    frontier.settle(FETCHED, UrlState.DONE)
    assert not nudging.take(pending)  # asked before the commit, answered after the visit
    assert frontier.state(FETCHED) is UrlState.DONE
    assert nudging.to_write() == []


def test_a_wish_is_fulfilled_by_the_visit(frontier):
    Nudging(frontier).take([wish(WAITING)])
    order(frontier)
    frontier.settle(WAITING, UrlState.DONE)
    assert frontier.priority(WAITING) == 0.0


def test_numbers_of_no_url_are_ignored(frontier):
    Nudging(frontier).take([wish(99)])
    assert frontier.take_changes().updated == []
