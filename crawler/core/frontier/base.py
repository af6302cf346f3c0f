"""What every strategy promises.

A strategy gives frontier URLs their priority. It sees fetched pages one by one, in the order in
which they are committed, and its state depends on nothing else: shown the same pages again, a new
instance is in the same state. That is how a crawl resumes after a crash, and how the frontier is
ranked anew when somebody changes the strategy of a running crawl.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage


@dataclass(frozen=True)
class NoParameters:
    """For strategies that have nothing to set."""


class FrontierStrategy(Protocol):
    """Order in the frontier is always: tries ascending, priority descending, discovery first."""

    merge: ClassVar[Merge]
    is_stateless: ClassVar[bool]  # true: nothing to rebuild from the pages fetched before

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        """Priorities of the start set, one for each key and in its order."""

    def learn(self, page: ScoredPage) -> Expansion:
        """Take a fetched page into account and say what to do with its links."""
