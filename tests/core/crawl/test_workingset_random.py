"""Random operations on the frontier and on a model of it; they must agree after each."""

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from crawler.core.hosts import Hosts
from crawler.core.types import Merge
from crawler.core.urlrows import Lease, UrlState
from crawler.core.workingset import Frontier
from tests.core.crawl.frontier_model import Known, Model, merged, new, slots, url_at

PRIORITIES = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])
STEPS = st.sampled_from([0.25, 0.5, 1.0, 3.0])  # exact in binary, as all times here


class FrontierMachine(RuleBasedStateMachine):
    """Random operations on both; they must agree after each."""

    delay = 0.0
    hosts = 40

    def __init__(self) -> None:
        super().__init__()
        self.frontier = Frontier(Hosts(self.delay))
        self.model = Model(self.delay)
        self.now = 0.0
        self.stored: dict[int, tuple[int, float, int, float]] = {}

    def pick(self, data: st.DataObject, *states: UrlState) -> int:
        return data.draw(st.sampled_from(self.model.in_state(*states)), label="slot")

    def has(self, *states: UrlState) -> bool:
        return bool(self.model.in_state(*states))

    @initialize(count=st.integers(10, 50), data=st.data())
    def begin(self, count, data):
        urls = data.draw(
            st.lists(
                st.tuples(st.integers(0, self.hosts - 1), PRIORITIES),
                min_size=count,
                max_size=count,
            )
        )
        self.admit(urls)

    @rule(urls=st.lists(st.tuples(st.integers(0, 39), PRIORITIES), min_size=1, max_size=8))
    def admit(self, urls):
        first = len(self.model.urls)
        known = [Known(host % self.hosts, priority) for host, priority in urls]
        self.model.urls += known
        given = [
            new(slot, host=one.host, priority=one.priority) for slot, one in enumerate(known, first)
        ]
        assert self.frontier.admit(given) == range(first, first + len(urls))

    @rule(data=st.data(), how=st.sampled_from(Merge), priority=PRIORITIES)
    def merge(self, data, how, priority):
        slot = self.pick(data, *UrlState)
        known = self.model.urls[slot]
        moved = merged(known.priority, priority, how) != known.priority
        known.priority = merged(known.priority, priority, how)
        counted = self.frontier.merge(slots(slot), [priority], how)
        assert counted == int(moved and known.state is UrlState.WAITING)

    @rule()
    def lease(self):
        self.check_lease(self.frontier.lease(self.now), self.model.next(self.now))

    @rule(step=STEPS)
    def wait(self, step):
        self.now += step

    def check_lease(self, lease: Lease | None, expected: int | None) -> None:
        assert (None if lease is None else lease.slot) == expected
        if lease is None or expected is None:
            return
        known = self.model.urls[lease.slot]
        assert (lease.url, lease.tries) == (url_at(lease.slot, known.host), known.tries)
        self.model.lease(lease.slot, self.now)

    @precondition(lambda self: self.has(UrlState.LEASED))
    @rule(data=st.data(), state=st.sampled_from([UrlState.DONE, UrlState.DEAD]))
    def settle(self, data, state):
        slot = self.pick(data, UrlState.LEASED)
        self.frontier.settle(slot, state)
        self.model.urls[slot].state = state

    @precondition(lambda self: self.has(UrlState.LEASED))
    @rule(data=st.data())
    def release(self, data):
        slot = self.pick(data, UrlState.LEASED)
        self.frontier.release(slot)
        self.model.urls[slot].state = UrlState.WAITING

    @precondition(lambda self: self.has(UrlState.LEASED))
    @rule(data=st.data(), after=STEPS, counts=st.booleans())
    def retry(self, data, after, counts):
        slot = self.pick(data, UrlState.LEASED)
        self.frontier.retry(slot, self.now + after, counts=counts)
        known = self.model.urls[slot]
        known.state, known.not_before = UrlState.LATER, self.now + after
        known.tries += counts

    @precondition(lambda self: self.has(UrlState.DONE))
    @rule(data=st.data(), priority=PRIORITIES)
    def reopen(self, data, priority):
        slot = self.pick(data, UrlState.DONE)
        self.frontier.reopen(slot, priority)
        self.model.urls[slot].state = UrlState.WAITING
        self.model.urls[slot].priority = priority

    @rule(data=st.data())
    def kill(self, data):
        slot = self.pick(data, *UrlState)
        known = self.model.urls[slot]
        is_waiting = known.state in (UrlState.WAITING, UrlState.LATER)
        assert self.frontier.kill(slots(slot)) == int(is_waiting)
        if is_waiting:
            known.state, known.not_before = UrlState.DEAD, 0.0

    @rule(data=st.data())
    def absorb(self, data):
        slot = self.pick(data, *UrlState)
        known = self.model.urls[slot]
        self.frontier.absorb(slot)
        if known.state in (UrlState.WAITING, UrlState.LATER):
            known.state, known.not_before = UrlState.DONE, 0.0

    @rule()
    def take_changes(self):
        """What was written adds up to the frontier; what was written once is not written again."""
        changes = self.frontier.take_changes()
        for row in changes.new:
            assert row.number not in self.stored
            self.stored[row.number] = (row.state, row.priority, row.tries, row.not_before)
        for number, state, priority, tries, not_before in changes.updated:
            self.stored[number] = (state, priority, tries, not_before)
        assert list(self.stored) == list(range(len(self.model.urls)))
        for slot, known in enumerate(self.model.urls):
            state, priority, tries, not_before = self.stored[slot]
            assert (state, tries) == (stored_state(known), known.tries)
            if known.state is not UrlState.DEAD:  # whose priority means nothing any more
                assert priority == known.priority
            if known.state in (UrlState.WAITING, UrlState.LATER):
                assert not_before == known.not_before
        again = self.frontier.take_changes()
        assert (again.new, again.updated) == ([], [])

    @invariant()
    def counts_agree(self):
        waiting = self.model.in_state(UrlState.WAITING, UrlState.LATER)
        assert self.frontier.waiting == len(waiting)
        assert self.frontier.in_flight == len(self.model.in_state(UrlState.LEASED))
        assert len(self.frontier) == len(self.model.urls)

    def teardown(self):
        """Nothing was lost: all that waits can be had, each once, within reasonable time."""
        for slot in self.model.in_state(UrlState.LEASED):
            self.frontier.settle(slot, UrlState.DONE)
        waiting = set(self.model.in_state(UrlState.WAITING, UrlState.LATER))
        got: list[int] = []
        for _ in range(5 * len(waiting) + 5):
            self.now += max(self.delay, 1.0)
            while lease := self.frontier.lease(self.now):
                got.append(lease.slot)
                self.frontier.settle(lease.slot, UrlState.DONE)
        assert sorted(got) == sorted(waiting)
        assert (self.frontier.waiting, self.frontier.in_flight) == (0, 0)


def stored_state(known: Known) -> int:
    return known.state if known.state in (UrlState.DONE, UrlState.DEAD) else UrlState.WAITING


class PoliteMachine(FrontierMachine):
    """Few hosts and a pause: most URLs wait for their host most of the time.

    A host that becomes free sends its best URL into the race; when that one is given up or
    outranked at just that time, the next follows a moment later. So the order is not asked for
    here, but everything else is.
    """

    delay = 1.0
    hosts = 3

    def check_lease(self, lease: Lease | None, expected: int | None) -> None:
        if lease is None:
            return
        known = self.model.urls[lease.slot]
        assert known.state is UrlState.WAITING
        assert self.model.is_free(known.host, self.now)
        super().check_lease(lease, lease.slot)


MACHINE_SETTINGS = settings(
    max_examples=60,
    stateful_step_count=60,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)


@pytest.mark.usefixtures("small")
def test_whatever_happens_the_best_url_is_leased_and_nothing_is_lost():
    run_state_machine_as_test(FrontierMachine, settings=MACHINE_SETTINGS)


@pytest.mark.usefixtures("small")
def test_whatever_happens_busy_hosts_are_left_alone_and_nothing_is_lost():
    run_state_machine_as_test(PoliteMachine, settings=MACHINE_SETTINGS)
