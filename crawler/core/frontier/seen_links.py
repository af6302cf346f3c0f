"""The links between the pages seen so far, both ways, for strategies that need the graph."""

from array import array
from collections.abc import Sequence

from crawler.core.types import ScoredLink, ScoredPage

_NO_TARGETS = array("q")
_NO_PARENTS: list[int] = []


class SeenLinks:
    """Edges without self-links; 8 bytes an edge and direction."""

    def __init__(self) -> None:
        self._targets: dict[int, array[int]] = {}
        self._parents: dict[int, list[int]] = {}
        self.edges = 0

    def __contains__(self, key: int) -> bool:
        """Whether this page has been fetched."""
        return key in self._targets

    @property
    def pages(self) -> int:
        """How many pages have been fetched."""
        return len(self._targets)

    @property
    def linked(self) -> int:
        """How many URLs have at least one known parent."""
        return len(self._parents)

    def add(self, page: ScoredPage) -> list[ScoredLink]:
        """Remember a page; returns those of its links that were not known of it before."""
        known = self._targets.setdefault(page.key, array("q"))
        skip = {page.key, *known}
        fresh = [link for link in page.links if link.key not in skip]
        known.extend([link.key for link in fresh])
        for link in fresh:
            self._parents.setdefault(link.key, []).append(page.key)
        self.edges += len(fresh)
        return fresh

    def targets(self, key: int) -> Sequence[int]:
        """What a fetched page links to."""
        return self._targets.get(key, _NO_TARGETS)

    def parents(self, key: int) -> list[int]:
        """The fetched pages that link to a URL, oldest first."""
        return self._parents.get(key, _NO_PARENTS)
