"""The frontier of one crawl in memory: about 70 bytes a URL, the best ones ready to be leased.

Every URL ever seen has a slot, numbered in the order of discovery, in a few arrays. The best
waiting ones also stand in a heap, ranked (tries ascending, priority descending, discovery first);
everything that ranks below the heap's floor stays in the arrays until the heap runs dry and is
filled again. URLs whose host is busy are parked with their host. So memory is bounded, the order is
exact, and a lease costs the same at ten thousand URLs as at three million.

Four verbs change a URL: admit, lease, settle (done or dead), release (back, nothing happened).
`take_changes` hands out what the ledger must write since the last time.
"""

import heapq
import math
from collections.abc import Sequence
from itertools import islice

import numpy as np
import numpy.typing as npt

from crawler.core.hosts import Host, Hosts, Rank
from crawler.core.keyindex import KeyIndex, Keys, Slots
from crawler.core.ranking import BOOST, best_ranked
from crawler.core.types import Merge
from crawler.core.urlrows import (
    FrontierChanges,
    FrontierRow,
    Lease,
    NewUrl,
    StoredFrontier,
    UrlState,
)

REFILL = 20_000
PARKED_MOST = 512
URLS_KEPT = 200_000
UNCLAIMED_SECONDS = 1.0
PATIENCE_SECONDS = 5.0
PATIENCE_HOSTS = 64
MUCH_BETTER = 2.0  # times the priority
_FIRST_CAPACITY = 4_096


class Frontier:
    """The working set; see the module's text."""

    def __init__(
        self, hosts: Hosts, stored: StoredFrontier | None = None, *, patience: int = 0
    ) -> None:
        """With `patience`, a URL waits while so many much better ones wait for their hosts.

        Without it, a polite crawl of few good hosts fills its time with pages nobody wants: on the
        demo web 1,000 pages had a mean relevance of 0.23 instead of 0.67.
        """
        self.hosts, self.patience = hosts, patience
        self.index = KeyIndex()
        self._make_columns(_FIRST_CAPACITY)
        self._size = self._committed = 0
        self._in_flight = self._waiting = self._resting = 0
        self._heap: list[Rank] = []
        self._floor: Rank | None = None
        self._is_dry = False  # a refill found nothing; another is useless until something changes
        self._later: list[tuple[float, int]] = []
        self._not_before: dict[int, float] = {}
        self._sleepers: list[tuple[float, int]] = []
        self._parking: dict[int, None] = {}  # hosts with parked URLs; a set that keeps its order
        self._saturated = np.zeros(64, dtype=bool)
        self._dirty: set[int] = set()
        self._urls: dict[int, str] = {}
        self._found_on: dict[int, int] = {}
        self._revisited: set[int] = set()
        if stored is not None:
            self._load(stored)

    def __len__(self) -> int:
        return self._size

    @property
    def waiting(self) -> int:
        """URLs that are still to be fetched, those in flight not among them."""
        return self._waiting

    @property
    def resting(self) -> int:
        """URLs that wait, but not for this process (`rest_below`)."""
        return self._resting

    @property
    def in_flight(self) -> int:
        return self._in_flight

    def find(self, keys: Sequence[int]) -> Slots:
        """The slot of each key; -1 for URLs that were never seen."""
        return self.index.find(np.array(keys, dtype=np.int64))

    def key(self, slot: int) -> int:
        return int(self._keys[slot])

    def keys_of(self, slots: Slots) -> Keys:
        return self._keys[slots]

    def state(self, slot: int) -> UrlState:
        return UrlState(int(self._states[slot]))

    def priority(self, slot: int) -> float:
        return float(self._priorities[slot])

    # admit

    def admit(self, urls: Sequence[NewUrl]) -> range:
        """Take in URLs that are all new; returns their slots."""
        slots = range(self._size, self._size + len(urls))
        if not urls:
            return slots
        self._reserve(slots.stop)
        part = slice(slots.start, slots.stop)
        hosts = [self.hosts.of_url(new.url) for new in urls]
        self._keys[part] = [new.key for new in urls]
        self._hosts[part] = [host.number for host in hosts]
        self._priorities[part] = [new.priority for new in urls]
        self._depths[part] = [new.depth for new in urls]
        self.index.add(self._keys[part], np.arange(slots.start, slots.stop, dtype=np.int32))
        self._size = slots.stop
        self._waiting += len(urls)
        self._reserve_hosts()
        for slot, new, host in zip(slots, urls, hosts, strict=True):
            self._urls[slot] = new.url
            self._found_on[slot] = new.found_on
            self._queue(slot, host)
        return slots

    def merge(self, slots: Slots, priorities: Sequence[float], how: Merge) -> int:
        """Give known URLs their new priorities; returns how many of them really moved.

        What was raised to `BOOST` or above is never lowered.
        """
        old = self._priorities[slots].copy()
        given = np.array(priorities, dtype=np.float64)
        given = np.where(old >= BOOST, np.maximum(old, given), given)
        if how is Merge.MAX:
            np.maximum.at(self._priorities, slots, given)
        elif how is Merge.ADD:
            np.add.at(self._priorities, slots, given)
        else:
            self._priorities[slots] = given
        is_moved = self._priorities[slots] != old
        moved = np.unique(slots[is_moved])
        open_ = moved[self._states[moved] == UrlState.WAITING]
        for slot in open_.tolist():
            self._queue(slot, self.hosts.all[self._hosts[slot]])
        self._dirty.update(moved[self._states[moved] != UrlState.DEAD].tolist())
        return len(open_)

    # lease, settle, release

    def lease(self, now: float) -> Lease | None:
        """The best URL whose host is free now; None when there is none at the moment."""
        self._wake(now)
        while True:
            while self._heap:
                rank = heapq.heappop(self._heap)
                if self._floor is not None and rank > self._floor and not self._is_dry:
                    heapq.heappush(self._heap, rank)  # better ones stand in the arrays
                    self._refill()
                    continue
                host = self.hosts.all[self._hosts[rank[2]]]
                free_at = self.hosts.free_at(host, now)
                is_free = free_at is not None and free_at <= now
                if not self._is_current(rank):
                    if is_free:  # it may have stood there for its parked neighbours
                        self._unpark(host)
                elif is_free:
                    if self.patience and self._has_better_soon(rank, now):
                        heapq.heappush(self._heap, rank)
                        return None
                    return self._leased(rank[2], host, now)
                else:
                    self._park(host, rank, free_at)
            if self._floor is None or self._is_dry or not self._refill():
                return None

    def next_at(self) -> float | None:
        """When a URL that waits for a time may be leased; None if nothing waits for the clock."""
        times = [heap[0][0] for heap in (self._later, self._sleepers) if heap]
        return min(times, default=None)

    def settle(self, slot: int, state: UrlState, *, priority: float | None = None) -> None:
        """The fetch has come to an end: DONE or DEAD."""
        self._end_lease(slot)
        self._states[slot] = state
        if priority is not None:
            self._priorities[slot] = priority
        elif self._priorities[slot] >= BOOST:
            self._priorities[slot] = 0.0  # the wish is fulfilled
        self._dirty.add(slot)

    def release(self, slot: int) -> None:
        """Back into the frontier as if it had never been leased."""
        self._end_lease(slot)
        self._to_waiting(slot)

    def retry(self, slot: int, at: float, *, counts: bool = True) -> None:
        """Another try, not before `at`."""
        self._end_lease(slot)
        self._tries[slot] += counts
        self._states[slot] = UrlState.LATER
        self._waiting += 1
        self._not_before[slot] = at
        heapq.heappush(self._later, (at, slot))
        self._dirty.add(slot)

    def kill(self, slots: Slots) -> int:
        """Give up URLs that wait (their site was excluded, say); returns how many."""
        waiting = slots[np.isin(self._states[slots], (UrlState.WAITING, UrlState.LATER))]
        self._states[waiting] = UrlState.DEAD
        self._is_parked[waiting] = False
        for slot in waiting.tolist():
            self._not_before.pop(slot, None)
        self._waiting -= len(waiting)
        self._dirty.update(waiting.tolist())
        return len(waiting)

    def reopen(self, slot: int, priority: float) -> None:
        """A fetched page is due again."""
        if self._states[slot] == UrlState.DONE:
            self._revisited.add(slot)
            self._priorities[slot] = priority
            self._to_waiting(slot)

    def renew(self, slot: int, priority: float) -> None:
        """A page that was fetched or given up is due, with all its tries before it."""
        if self._states[slot] in (UrlState.DONE, UrlState.DEAD):
            had_page = self._states[slot] == UrlState.DONE or slot in self._revisited
            self._states[slot] = UrlState.DONE
            self._tries[slot] = 0
            self.reopen(slot, priority)
            if not had_page:
                self._revisited.discard(slot)

    def revive(self, slot: int, priority: float) -> None:
        """A URL that was left out unasked (its site was excluded, say) waits again."""
        if self._states[slot] == UrlState.DEAD:
            self._tries[slot] = 0
            self._priorities[slot] = priority
            self._to_waiting(slot)

    def calm(self, slot: int, priority: float) -> None:
        """A wish was taken back: the only way down from `BOOST`."""
        if self._priorities[slot] >= BOOST:
            self._priorities[slot] = priority
            self._dirty.add(slot)
            if self._states[slot] == UrlState.WAITING:
                self._queue(slot, self.hosts.all[self._hosts[slot]])

    def forgive(self, slot: int) -> None:
        """Failures so far don't put a waiting URL back any more."""
        if self._tries[slot] and self._states[slot] == UrlState.WAITING:
            self._tries[slot] = 0
            self._dirty.add(slot)
            self._queue(slot, self.hosts.all[self._hosts[slot]])

    def is_revisit(self, slot: int) -> bool:
        """Whether it is due again, though there is a page."""
        return slot in self._revisited

    def note_revisits(self, slots: Sequence[int]) -> None:
        """URLs that an earlier process made due again."""
        self._revisited.update(slots)

    def rest_below(self, least: float) -> None:
        """Leave alone, for the life of this frontier, what waits with a lower priority."""
        open_ = self.waiting_slots()
        slots = open_[self._priorities[open_] < least]
        self._states[slots] = UrlState.RESTING
        self._is_parked[slots] = False
        self._waiting -= len(slots)
        self._resting += len(slots)

    def wake(self, slot: int) -> None:
        """Not left alone any more."""
        if self._states[slot] == UrlState.RESTING:
            self._resting -= 1
            self._not_before.pop(slot, None)
            self._to_waiting(slot)

    def mark_seen(self, new: NewUrl) -> int:
        """A URL that turned out to be a page we have: known from now on, never fetched."""
        slot = self.admit([new])[0]
        self._states[slot] = UrlState.DONE
        self._waiting -= 1
        return slot

    def absorb(self, slot: int) -> None:
        """A waiting URL whose page came by another way."""
        if self._states[slot] in (UrlState.WAITING, UrlState.LATER, UrlState.RESTING):
            if self._states[slot] == UrlState.RESTING:
                self.wake(slot)
            self._states[slot] = UrlState.DONE
            self._is_parked[slot] = False
            self._not_before.pop(slot, None)
            self._waiting -= 1
            self._dirty.add(slot)

    def note_end(self, host: Host) -> None:
        """The host has answered a request: its URLs may have their turn."""
        self.hosts.note_end(host)
        self._let_sleep(host, self.hosts.free_at(host, 0.0))

    # what the ledger and people want to know

    def take_changes(self) -> FrontierChanges:
        """Everything that was not written yet; from now on it counts as written."""
        new = [self._row(slot) for slot in range(self._committed, self._size)]
        updated = [
            self._stored_values(slot) for slot in sorted(self._dirty) if slot < self._committed
        ]
        self._committed = self._size
        self._dirty.clear()
        self._found_on.clear()
        if len(self._urls) > URLS_KEPT:
            self._urls.clear()
        return FrontierChanges(new, updated)

    def best(self, limit: int) -> list[int]:
        """Slots of the next URLs by rank, whether their hosts are free or not."""
        return self._best_of(self._states[: self._size] == UrlState.WAITING, limit)

    def bands(self, edges: Sequence[float]) -> list[int]:
        """How many waiting URLs have a priority in each band."""
        waiting = self._priorities[: self._size][self._states[: self._size] == UrlState.WAITING]
        waiting = np.where(waiting >= BOOST, edges[-1], waiting)
        counts, _ = np.histogram(waiting, bins=np.array(edges))
        return [int(count) for count in counts]

    def waiting_slots(self) -> Slots:
        """All that are still to be fetched, those whose retry is not due yet among them."""
        open_ = np.isin(self._states[: self._size], (UrlState.WAITING, UrlState.LATER))
        return np.flatnonzero(open_).astype(np.int32)

    def slots_on(self, hosts: Sequence[int]) -> Slots:
        """URLs of these hosts, in whatever state."""
        return np.flatnonzero(np.isin(self._hosts[: self._size], hosts)).astype(np.int32)

    def host_of(self, slot: int) -> Host:
        return self.hosts.all[int(self._hosts[slot])]

    # inside

    def _queue(self, slot: int, host: Host) -> None:
        """Put a waiting URL where it will be found: with its busy host, in the heap, or nowhere."""
        rank = self._rank(slot)
        if host.parked_floor is not None or self._is_parked[slot]:
            if host.parked_floor is None or rank < host.parked_floor or self._is_parked[slot]:
                self._is_parked[slot] = True
                heapq.heappush(host.parked, rank)
            self._let_sleep(host, self.hosts.free_at(host, 0.0))
            return
        if self._floor is None or rank < self._floor:
            heapq.heappush(self._heap, rank)
            if len(self._heap) > 4 * REFILL:
                self._heap = heapq.nsmallest(REFILL, filter(self._is_current, self._heap))
                self._floor = self._heap[-1] if self._heap else None
                self._is_dry = False
        else:
            self._is_dry = False

    def _rank(self, slot: int) -> Rank:
        return int(self._tries[slot]), -float(self._priorities[slot]), slot

    def _is_current(self, rank: Rank) -> bool:
        slot = rank[2]
        return (
            self._states[slot] == UrlState.WAITING
            and not self._is_parked[slot]
            and rank == self._rank(slot)
        )

    def _leased(self, slot: int, host: Host, now: float) -> Lease:
        self._states[slot] = UrlState.LEASED
        self._in_flight += 1
        self._waiting -= 1
        self.hosts.note_request(host, now)
        url = self._urls.get(slot)
        return Lease(slot, url, host, int(self._tries[slot]), int(self._depths[slot]))

    def _end_lease(self, slot: int) -> None:
        self._in_flight -= 1
        self.note_end(self.hosts.all[self._hosts[slot]])

    def _to_waiting(self, slot: int) -> None:
        self._states[slot] = UrlState.WAITING
        self._waiting += 1
        self._dirty.add(slot)
        self._queue(slot, self.hosts.all[self._hosts[slot]])

    def _park(self, host: Host, rank: Rank, free_at: float | None) -> None:
        if host.parked_floor is None and len(host.parked) >= PARKED_MOST:
            host.parked_floor = max(host.parked)
            self._saturated[host.number] = True
        if host.parked_floor is None or rank < host.parked_floor:
            self._is_parked[rank[2]] = True
            heapq.heappush(host.parked, rank)
        self._let_sleep(host, free_at)

    def _let_sleep(self, host: Host, free_at: float | None) -> None:
        """Wake the host when it is free; one that still answers is woken by the end of that."""
        if host.parked:
            self._parking[host.number] = None
        has_urls = bool(host.parked) or host.parked_floor is not None
        if free_at is not None and free_at < host.wakes_at and has_urls:
            host.wakes_at = free_at
            heapq.heappush(self._sleepers, (free_at, host.number))

    def _wake(self, now: float) -> None:
        while self._later and self._later[0][0] <= now:
            at, slot = heapq.heappop(self._later)
            if self._states[slot] == UrlState.LATER and self._not_before.get(slot) == at:
                del self._not_before[slot]
                self._waiting -= 1
                self._to_waiting(slot)
        while self._sleepers and self._sleepers[0][0] <= now:
            at, number = heapq.heappop(self._sleepers)
            host = self.hosts.all[number]
            if host.wakes_at != at:
                continue  # an earlier hour was set meanwhile
            host.wakes_at = math.inf
            free_at = self.hosts.free_at(host, now)
            if free_at is not None and free_at <= now:
                for _ in range(self.hosts.places(host)):
                    self._unpark(host)
                # The end of the next fetch wakes it, unless that URL drops out of the heap.
                free_at = now + UNCLAIMED_SECONDS
            self._let_sleep(host, free_at)

    def _has_better_soon(self, rank: Rank, now: float) -> bool:
        """Whether enough much better URLs only wait for their hosts' next turn."""
        better, limit = 0, MUCH_BETTER * rank[1] if rank[1] < 0 else rank[1]
        for number in islice(self._parking, PATIENCE_HOSTS):
            host = self.hosts.all[number]
            free_at = self.hosts.free_at(host, now)
            if free_at is not None and free_at > now + PATIENCE_SECONDS:
                continue  # that one rests for long
            for tries, minus_priority, slot in host.parked[: self.patience]:
                is_better = tries <= rank[0] and minus_priority < limit
                better += is_better and self._states[slot] == UrlState.WAITING
            if better >= self.patience:
                return True
        return False

    def _unpark(self, host: Host) -> None:
        """The best parked URL of a free host competes again."""
        if not host.parked and host.parked_floor is not None:
            self._park_again(host)
        if not host.parked:
            self._parking.pop(host.number, None)
        while host.parked:
            rank = heapq.heappop(host.parked)
            slot = rank[2]
            if self._states[slot] == UrlState.WAITING and rank == self._rank(slot):
                self._is_parked[slot] = False
                heapq.heappush(self._heap, rank)
                return
        if host.parked_floor is not None:
            self._unpark(host)

    def _park_again(self, host: Host) -> None:
        """Fill a host's own queue from the arrays, when it had more URLs than fit in there."""
        mine = (self._states[: self._size] == UrlState.WAITING) & (
            self._hosts[: self._size] == host.number
        )
        slots = self._best_of(mine, PARKED_MOST + 1)
        host.parked = [self._rank(slot) for slot in slots[:PARKED_MOST]]
        self._is_parked[slots[:PARKED_MOST]] = True
        has_more = len(slots) > PARKED_MOST
        host.parked_floor = host.parked[-1] if has_more else None
        self._saturated[host.number] = has_more

    def _refill(self) -> bool:
        size = self._size
        candidates = (self._states[:size] == UrlState.WAITING) & ~self._is_parked[:size]
        candidates &= ~self._saturated[self._hosts[:size]]
        slots = self._best_of(candidates, REFILL + 1)
        kept = [r for r in self._heap if self._saturated[self._hosts[r[2]]] and self._is_current(r)]
        self._heap = [self._rank(slot) for slot in slots[:REFILL]]
        self._floor = self._heap[-1] if len(slots) > REFILL else None
        for rank in kept:  # of hosts that are left out above
            heapq.heappush(self._heap, rank)
        self._is_dry = not slots
        return bool(slots)

    def _best_of(self, mask: npt.NDArray[np.bool_], limit: int) -> list[int]:
        slots = np.flatnonzero(mask)
        best = best_ranked(self._tries[slots], self._priorities[slots], limit)
        return [int(slot) for slot in slots[best]]

    def _row(self, slot: int) -> FrontierRow:
        _, state, priority, tries, not_before = self._stored_values(slot)
        return FrontierRow(
            number=slot,
            key=int(self._keys[slot]),
            url=self._urls[slot],
            host=int(self._hosts[slot]),
            state=state,
            priority=priority,
            tries=tries,
            depth=int(self._depths[slot]),
            not_before=not_before,
            found_on=self._found_on.get(slot, -1),
        )

    def _stored_values(self, slot: int) -> tuple[int, int, float, int, float]:
        state = int(self._states[slot])
        stored = state if state in (UrlState.DONE, UrlState.DEAD) else int(UrlState.WAITING)
        not_before = self._not_before.get(slot, 0.0)
        return slot, stored, float(self._priorities[slot]), int(self._tries[slot]), not_before

    def _load(self, stored: StoredFrontier) -> None:
        size = len(stored.keys)
        self._reserve(size)
        self._keys[:size], self._hosts[:size] = stored.keys, stored.hosts
        self._states[:size], self._priorities[:size] = stored.states, stored.priorities
        self._tries[:size], self._depths[:size] = stored.tries, stored.depths
        self.index.add(stored.keys, np.arange(size, dtype=np.int32))
        self._size = self._committed = size
        self._reserve_hosts()
        self._waiting = int((stored.states == UrlState.WAITING).sum())
        for slot in np.flatnonzero((stored.not_before > 0) & (stored.states == 0)).tolist():
            self._states[slot] = UrlState.LATER
            self._not_before[slot] = float(stored.not_before[slot])
            heapq.heappush(self._later, (self._not_before[slot], slot))
        self._refill()

    def _reserve(self, size: int) -> None:
        if size > len(self._keys):
            old, kept = self._columns(), self._size
            self._make_columns(max(size, len(self._keys) + len(self._keys) // 2))
            for column, new in zip(old, self._columns(), strict=True):
                new[:kept] = column[:kept]

    def _reserve_hosts(self) -> None:
        if len(self.hosts.all) > len(self._saturated):
            more = np.zeros(len(self.hosts.all), dtype=bool)
            self._saturated = np.concatenate([self._saturated, more])

    def _make_columns(self, size: int) -> None:
        self._keys: Keys = np.zeros(size, dtype=np.int64)
        self._priorities = np.zeros(size, dtype=np.float64)
        self._hosts = np.zeros(size, dtype=np.int32)
        self._depths = np.zeros(size, dtype=np.uint16)
        self._tries = np.zeros(size, dtype=np.uint8)
        self._states = np.zeros(size, dtype=np.uint8)
        self._is_parked = np.zeros(size, dtype=bool)

    def _columns(self) -> list[npt.NDArray[np.generic]]:
        return [
            self._keys, self._priorities, self._hosts, self._depths,
            self._tries, self._states, self._is_parked,
        ]  # fmt: skip
