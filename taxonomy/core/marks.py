"""What each topic is to a focus, told from the good topics alone.

A person marks topics good. No good topic may be above another: the classifier sums the
probabilities of the good topics, and a page below both would count twice. Everything else follows.
"""

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, TypeVar

Step = TypeVar("Step", bound=Hashable)


class Mark(StrEnum):
    """The four things a topic can be to a focus."""

    GOOD = "good"
    PATH = "path"  # on the way from the root to a good topic
    SUBSUMED = "subsumed"  # below a good topic, and wanted with it
    NULL = "null"


@dataclass(frozen=True, slots=True)
class Conflict(Generic[Step]):
    """The good topics that must give way before another topic can become good."""

    ancestors: tuple[tuple[Step, ...], ...] = ()
    descendants: tuple[tuple[Step, ...], ...] = ()

    def __bool__(self) -> bool:
        return bool(self.ancestors or self.descendants)


def is_above(upper: tuple[Step, ...], lower: tuple[Step, ...]) -> bool:
    """Whether `upper` is a proper ancestor of `lower`."""
    return len(upper) < len(lower) and lower[: len(upper)] == upper


def derive_mark(path: tuple[Step, ...], good: Collection[tuple[Step, ...]]) -> Mark:
    """The mark of one topic."""
    if path in good:
        return Mark.GOOD
    if any(path[:depth] in good for depth in range(len(path))):
        return Mark.SUBSUMED
    return Mark.PATH if any(is_above(path, other) for other in good) else Mark.NULL


def conflicts(path: tuple[Step, ...], good: Collection[tuple[Step, ...]]) -> Conflict[Step]:
    """What stands in the way of marking this topic good: "replace sub-topics by their parent?"."""
    return Conflict(
        ancestors=tuple(other for other in good if is_above(other, path)),
        descendants=tuple(other for other in good if is_above(path, other)),
    )
