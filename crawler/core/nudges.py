"""Wishes for a frontier: of the distiller, which wants hubs and their links, and of people.

A nudge raises a URL above everything that a strategy asks for (`BOOST`), or makes a page due again.
The raised priority is the URL's own from then on, so it is stored like any other and outlives
restarts; strategies can add to it or name a lower one, and it stays (`Frontier.merge`).

To take a nudge in twice changes nothing: a URL that waits is raised to where it is, and within one
process each is taken in once. It counts as applied in the transaction that writes what it did.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from crawler.core.ranking import BOOST
from crawler.core.types import Merge
from crawler.core.urlrows import UrlState
from crawler.core.workingset import Frontier


class NudgeKind(StrEnum):
    """What is wanted of a URL."""

    VISIT = "visit"  # before all others, if it waits
    REVISIT = "revisit"  # once more, though it was fetched or given up
    DEEPER = "deeper"  # before what the strategy asks for, behind the other wishes


PEOPLE_FIRST, HUBS, SITES = 4 * BOOST, 2 * BOOST, BOOST


@dataclass(frozen=True, slots=True)
class Nudge:
    """One wish. `forgives`: earlier failures of the URL don't count, as somebody asked for it."""

    id: int
    number: int
    kind: NudgeKind
    priority: float
    forgives: bool


class Nudging:
    """Takes each nudge into the frontier once, and knows which the ledger must mark."""

    def __init__(self, frontier: Frontier) -> None:
        self.frontier = frontier
        self._taken: set[int] = set()
        self._unwritten: list[int] = []

    def take(self, pending: Iterable[Nudge]) -> bool:
        """All that the ledger has as not applied; says whether one of them was new."""
        found = {nudge.id: nudge for nudge in pending}
        self._taken &= found.keys()  # what the ledger shows no more was marked
        self._taken.update(self._unwritten)
        fresh = [nudge for nudge in found.values() if nudge.id not in self._taken]
        for nudge in fresh:
            apply(self.frontier, nudge)
        self._taken.update(nudge.id for nudge in fresh)
        self._unwritten += [nudge.id for nudge in fresh]
        return bool(fresh)

    def to_write(self) -> list[int]:
        """Those whose effect is among the frontier's changes of this moment."""
        written, self._unwritten = self._unwritten, []
        return written


def apply(frontier: Frontier, nudge: Nudge) -> None:
    slot = nudge.number
    if not 0 <= slot < len(frontier):
        return
    frontier.wake(slot)
    if frontier.state(slot) not in (UrlState.DONE, UrlState.DEAD):
        if nudge.forgives:
            frontier.forgive(slot)
        frontier.merge(np.array([slot], dtype=np.int32), [nudge.priority], Merge.MAX)
    elif nudge.kind is NudgeKind.REVISIT:
        frontier.renew(slot, nudge.priority)
