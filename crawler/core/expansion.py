"""From judged pages to changes of the frontier: what the strategy wants, as far as rules allow."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from crawler.core.admission import Admission
from crawler.core.frontier.base import FrontierStrategy
from crawler.core.keyindex import UNKNOWN, Slots
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage
from crawler.core.urlrows import NewUrl
from crawler.core.workingset import Frontier


@dataclass(frozen=True, slots=True)
class LearntPage:
    """A page, its slot, and what the strategy said about it."""

    slot: int
    page: ScoredPage
    expansion: Expansion


def learn(strategy: FrontierStrategy, slot: int, page: ScoredPage) -> LearntPage:
    return LearntPage(slot, page, strategy.learn(page))


def expand(
    frontier: Frontier, admission: Admission, merge: Merge, learnt: Sequence[LearntPage]
) -> None:
    """Merge the priorities of known URLs, admit new ones, reopen pages that are due again."""
    changes = [change for one in learnt for change in one.expansion.changes]
    slots = frontier.find([change.key for change in changes])
    is_known = slots != UNKNOWN
    if is_known.any():
        known = [c.priority for c, k in zip(changes, is_known, strict=True) if k]
        frontier.merge(slots[is_known], known, merge)
    if not is_known.all():
        unknown = {c.key for c, k in zip(changes, is_known, strict=True) if not k}
        frontier.admit(_new_urls(admission, merge, learnt, unknown))
    _reopen(frontier, [change for one in learnt for change in one.expansion.revisits])


def _new_urls(
    admission: Admission, merge: Merge, learnt: Sequence[LearntPage], unknown: set[int]
) -> list[NewUrl]:
    found: dict[int, NewUrl | None] = {}
    for one in learnt:
        urls = {link.key: link.url for link in one.page.links}
        for change in one.expansion.changes:
            if change.key not in unknown:
                continue
            known = found.get(change.key)
            if known is not None:
                found[change.key] = _merged(known, change, merge)
            elif change.key not in found and change.key in urls:
                found[change.key] = _admitted(admission, one, change, urls[change.key])
    return [new for new in found.values() if new is not None]


def _admitted(
    admission: Admission, one: LearntPage, change: PriorityChange, url: str
) -> NewUrl | None:
    depth = one.page.depth + 1
    if admission.why_not(url, depth):
        return None
    return NewUrl(change.key, url, change.priority, depth, one.slot)


def _merged(new: NewUrl, change: PriorityChange, merge: Merge) -> NewUrl:
    if merge is Merge.MAX:
        priority = max(new.priority, change.priority)
    elif merge is Merge.ADD:
        priority = new.priority + change.priority
    else:
        priority = change.priority
    return NewUrl(new.key, new.url, priority, new.depth, new.found_on)


def _reopen(frontier: Frontier, revisits: Sequence[PriorityChange]) -> None:
    for slot, change in zip(frontier.find([c.key for c in revisits]), revisits, strict=True):
        if slot != UNKNOWN:
            frontier.reopen(int(slot), change.priority)


def link_slots(frontier: Frontier, page: ScoredPage) -> tuple[Slots, np.ndarray]:
    """Slots of the page's links that the crawl knows, and which of the links those are."""
    slots = frontier.find([link.key for link in page.links])
    return slots[slots != UNKNOWN], slots != UNKNOWN
