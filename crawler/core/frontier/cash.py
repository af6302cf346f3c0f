"""Cash, the currency of the OPIC family (Abiteboul 2003, Guan 2008)."""

from collections.abc import Sequence
from math import fsum

from crawler.core.types import PriorityChange


class Cash:
    """What every known URL holds, fetched or not."""

    def __init__(self) -> None:
        self._held: dict[int, float] = {}

    def of(self, key: int) -> float:
        """What a URL holds now."""
        return self._held.get(key, 0.0)

    def give(self, key: int, amount: float) -> None:
        """Gains of the same URL add up."""
        self._held[key] = self._held.get(key, 0.0) + amount

    def take(self, key: int) -> float:
        """All that a URL holds; nothing stays."""
        return self._held.pop(key, 0.0)

    def share(self, keys: Sequence[int], amount: float) -> tuple[PriorityChange, ...]:
        """Give each key the same part of the amount."""
        parts = tuple(PriorityChange(key, amount / len(keys)) for key in keys)
        for part in parts:
            self.give(part.key, part.priority)
        return parts

    def total(self) -> float:
        """The sum over all URLs."""
        return fsum(self._held.values())
