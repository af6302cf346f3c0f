"""A frontier that is too simple to be wrong: every question is answered by looking at every URL."""

from dataclasses import dataclass

import numpy as np

from crawler.core.hosts import CONCURRENT_WITHOUT_PAUSE
from crawler.core.keyindex import Slots
from crawler.core.types import Merge
from crawler.core.urlrows import NewUrl, UrlState


def url_at(number: int, host: int) -> str:
    return f"https://h{host}.example/{number}"


def new(number: int, *, host: int = 0, priority: float = 0.5, depth: int = 0) -> NewUrl:
    return NewUrl(number + 1000, url_at(number, host), priority, depth, found_on=-1)


def slots(*numbers: int) -> Slots:
    return np.array(numbers, dtype=np.int32)


@dataclass
class Known:
    host: int
    priority: float
    state: UrlState = UrlState.WAITING
    tries: int = 0
    not_before: float = 0.0


class Model:
    def __init__(self, delay: float) -> None:
        self.delay = delay
        self.urls: list[Known] = []
        self.free_at: dict[int, float] = {}

    def in_state(self, *states: UrlState) -> list[int]:
        return [slot for slot, known in enumerate(self.urls) if known.state in states]

    def rank(self, slot: int) -> tuple[int, float, int]:
        known = self.urls[slot]
        return known.tries, -known.priority, slot

    def is_free(self, host: int, now: float) -> bool:
        busy = sum(self.urls[slot].host == host for slot in self.in_state(UrlState.LEASED))
        limit = 1 if self.delay else CONCURRENT_WITHOUT_PAUSE
        return busy < limit and self.free_at.get(host, 0.0) <= now

    def next(self, now: float) -> int | None:
        for known in self.urls:
            if known.state is UrlState.LATER and known.not_before <= now:
                known.state, known.not_before = UrlState.WAITING, 0.0
        waiting = self.in_state(UrlState.WAITING)
        free = [slot for slot in waiting if self.is_free(self.urls[slot].host, now)]
        return min(free, key=self.rank, default=None)

    def lease(self, slot: int, now: float) -> None:
        self.urls[slot].state = UrlState.LEASED
        self.free_at[self.urls[slot].host] = now + self.delay


def merged(old: float, given: float, how: Merge) -> float:
    return {Merge.MAX: max(old, given), Merge.ADD: old + given, Merge.REPLACE: given}[how]
