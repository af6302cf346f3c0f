"""When a crawl has had enough pages, time or data."""

import math
from dataclasses import dataclass, fields

from focusadmin.lib.errors import FocusAdminError

_MB = 1024 * 1024


@dataclass(frozen=True)
class Budget:
    """The most a crawl may use; None means no bound. `max_bytes` counts what came over the wire."""

    max_pages: int | None = None
    max_seconds: float | None = None
    max_bytes: int | None = None

    def __post_init__(self) -> None:
        for bound in fields(self):
            value = getattr(self, bound.name)
            if value is not None and not (value > 0 and math.isfinite(value)):
                raise FocusAdminError(f"{bound.name} must be more than 0 or none, not {value}.")

    def why_spent(self, pages: int, seconds: float, size_bytes: int) -> str | None:
        """The reason to stop, fit to show, or None while every bound has something left.

        >>> Budget(max_pages=500).why_spent(500, 12.0, 0)
        'budget: 500 pages fetched'
        """
        if self.max_pages is not None and pages >= self.max_pages:
            return f"budget: {_count(self.max_pages, 'page')} fetched"
        if self.max_seconds is not None and seconds >= self.max_seconds:
            return f"budget: {_duration(self.max_seconds)} of crawling"
        if self.max_bytes is not None and size_bytes >= self.max_bytes:
            return f"budget: {_size(self.max_bytes)} downloaded"
        return None

    def share_used(self, pages: int, seconds: float, size_bytes: int) -> float:
        """0 to 1, of the bound that is nearest; 0 without any bound."""
        used = ((pages, self.max_pages), (seconds, self.max_seconds), (size_bytes, self.max_bytes))
        shares = [amount / bound for amount, bound in used if bound is not None]
        return min(1.0, max(shares, default=0.0))


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _duration(seconds: float) -> str:
    for size, noun in ((3600, "hour"), (60, "minute")):
        if seconds >= size and seconds % size == 0:
            return _count(int(seconds // size), noun)
    return "1 second" if seconds == 1 else f"{seconds:,.10g} seconds"


def _size(size_bytes: int) -> str:
    if size_bytes < _MB:
        return _count(size_bytes, "byte")
    return f"{size_bytes / _MB:,.1f}".removesuffix(".0") + " MB"
