"""The topic tree as arrays, so that a whole batch is normalised level by level.

Topics stand in level order: the root first, parents before children, siblings side by side. A group
of siblings is then one segment, and `Pr[c|d, parent(c)]` for all topics is one pass per level.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from taxonomy.core.features import FloatArray, IntArray

Lineage = tuple[str, ...]  # names from the top topic down; () is the root

NO_EVIDENCE = -1e30  # score of a topic without examples: probability 0 beside any other topic


@dataclass(frozen=True)
class Level:
    """All topics of one depth: columns `start` to `stop`, cut into groups of siblings."""

    start: int
    stop: int
    group_starts: IntArray  # relative to `start`
    group_sizes: IntArray
    parents: IntArray  # one per group


@dataclass(frozen=True)
class TreeIndex:
    """Layout of a tree; `lineages[i]` is the topic of column i."""

    lineages: tuple[Lineage, ...]

    @classmethod
    def of(cls, topics: Iterable[Lineage]) -> "TreeIndex":
        """The tree spanned by `topics`; ancestors that were left out are added."""
        found = {topic[:depth] for topic in topics for depth in range(len(topic) + 1)} | {()}
        return cls(tuple(sorted(found, key=lambda lineage: (len(lineage), lineage))))

    def __len__(self) -> int:
        return len(self.lineages)

    @cached_property
    def columns(self) -> dict[Lineage, int]:
        return {lineage: column for column, lineage in enumerate(self.lineages)}

    @cached_property
    def parents(self) -> IntArray:
        """Column of each topic's parent; the root is its own."""
        return np.array([self.columns[lineage[:-1]] for lineage in self.lineages], dtype=np.int64)

    @cached_property
    def is_leaf(self) -> np.ndarray:
        flags = np.ones(len(self), dtype=bool)
        flags[self.parents[1:]] = False
        return flags

    @cached_property
    def levels(self) -> tuple[Level, ...]:
        """Levels below the root, from the top down."""
        depths = np.array([len(lineage) for lineage in self.lineages])
        return tuple(self._level(depths, depth) for depth in range(1, int(depths.max()) + 1))

    def _level(self, depths: IntArray, depth: int) -> Level:
        start, stop = np.searchsorted(depths, [depth, depth + 1])
        parents, starts, sizes = np.unique(
            self.parents[start:stop], return_index=True, return_counts=True
        )
        return Level(int(start), int(stop), starts, sizes, parents)

    def ancestry(self, column: int) -> list[int]:
        """Columns from the top topic down to `column`, the root left out."""
        lineage = self.lineages[column]
        return [self.columns[lineage[:depth]] for depth in range(1, len(lineage) + 1)]

    @cached_property
    def _children(self) -> dict[int, IntArray]:
        return {
            int(parent): np.arange(start, start + size)
            for level in self.levels
            for parent, start, size in zip(
                level.parents, level.start + level.group_starts, level.group_sizes, strict=True
            )
        }

    def children(self, column: int) -> IntArray:
        return self._children.get(column, np.zeros(0, dtype=np.int64))

    def subtree(self, column: int) -> IntArray:
        """`column` and everything below it."""
        lineage = self.lineages[column]
        depth = len(lineage)
        return np.array([i for i, other in enumerate(self.lineages) if other[:depth] == lineage])

    def mixture_scores(self, scores: FloatArray) -> FloatArray:
        """A topic's score is the log of the sum over its subtree: the mixture of its parts."""
        mixed = scores.copy()
        for level in reversed(self.levels):
            peaks, _, log_sums = _sibling_sums(mixed[:, level.start : level.stop], level)
            own = mixed[:, level.parents]
            mixed[:, level.parents] = np.logaddexp(own, peaks + log_sums)
        return mixed

    def log_probabilities(self, scores: FloatArray) -> FloatArray:
        """ln Pr[c|d] = ln Pr[parent(c)|d] + ln Pr[c|d, parent(c)], with Pr[root|d] = 1."""
        result = np.zeros_like(scores)
        for level in self.levels:
            part = slice(level.start, level.stop)
            _, shifted, log_sums = _sibling_sums(scores[:, part], level)
            inside = shifted - np.repeat(log_sums, level.group_sizes, axis=1)
            result[:, part] = inside + result[:, self.parents[part]]
        return result


def _sibling_sums(scores: FloatArray, level: Level) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Each group's peak, the scores below that peak, and the log of the sum of their exponentials.

    Peaks stay apart from the sums, so that a group without any evidence still shares evenly.
    """
    peaks = np.maximum.reduceat(scores, level.group_starts, axis=1)
    shifted = scores - np.repeat(peaks, level.group_sizes, axis=1)
    log_sums = np.log(np.add.reduceat(np.exp(shifted), level.group_starts, axis=1))
    return peaks, shifted, log_sums


def columns_of(tree: TreeIndex, lineages: Sequence[Lineage]) -> IntArray:
    """Columns of `lineages`; a KeyError names a topic the tree does not hold."""
    return np.array([tree.columns[lineage] for lineage in lineages], dtype=np.int64)
