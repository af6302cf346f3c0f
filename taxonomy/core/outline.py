"""The shape of a tree while it is read from a file: every topic once, parents before children.

Holds about 350 bytes a topic while it grows and 100 once it is closed, so that a directory of
700,000 topics fits in memory; examples don't pass through here.
"""

from array import array
from dataclasses import dataclass, field
from functools import lru_cache

from taxonomy.core.tree import name_key

ROOT = 0
_key = lru_cache(maxsize=65_536)(name_key)  # names of upper levels come again and again


@dataclass
class Outline:
    """Topics by number in order of appearance; number 0 is the root."""

    names: list[str] = field(default_factory=lambda: [""])
    parents: "array[int]" = field(default_factory=lambda: array("l", [-1]))
    steps: "array[int]" = field(default_factory=lambda: array("l", [0]))  # place among siblings
    child_counts: "array[int]" = field(default_factory=lambda: array("l", [0]))
    example_counts: "array[int]" = field(default_factory=lambda: array("l", [0]))
    _last: tuple[tuple[str, ...], int] = ((), ROOT)
    _numbers: dict[tuple[int, str], int] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.names)

    def number_of(self, path: tuple[str, ...]) -> int:
        """The topic's number; it and its ancestors are added when they are new.

        Names that differ only in case or width are one topic, under the spelling that came first.
        """
        if path != self._last[0]:  # files list the examples of a topic one after another
            number = ROOT
            for name in path:
                number = self._child(number, name)
            self._last = path, number
        return self._last[1]

    def add_example(self, number: int) -> None:
        self.example_counts[number] += 1

    def close(self) -> None:
        """No more topics come: what finds them by name is most of the memory, and can go."""
        self._numbers, self._last = {}, ((), ROOT)

    def subtree_counts(self) -> "array[int]":
        """Examples of each topic and everything under it (children have higher numbers)."""
        totals = array("l", self.example_counts)
        for number in range(len(totals) - 1, ROOT, -1):
            totals[self.parents[number]] += totals[number]
        return totals

    def _child(self, parent: int, name: str) -> int:
        key = (parent, _key(name))
        number = self._numbers.get(key)
        if number is None:
            number = self._numbers[key] = len(self.names)
            self.child_counts[parent] += 1
            self.names.append(name)
            self.parents.append(parent)
            self.steps.append(self.child_counts[parent])
            self.child_counts.append(0)
            self.example_counts.append(0)
        return number
