"""How long to leave a host alone, from what it says and what it does."""

import math
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

LONGEST_DELAY_SECONDS = 300.0
LONGEST_RETRY_SECONDS = 24 * 3600.0
SHORTEST_RETRY_SECONDS = 1.0


def crawl_delay(asked: float | None, *, own_seconds: float) -> float:
    """The pause between two requests: never less than our own, never more than five minutes.

    >>> crawl_delay(3600, own_seconds=1)
    300.0
    """
    if asked is None or not math.isfinite(asked):
        return own_seconds if asked is None or asked != math.inf else LONGEST_DELAY_SECONDS
    return max(own_seconds, min(asked, LONGEST_DELAY_SECONDS))


def retry_after(headers: Mapping[str, str], *, now: float) -> float | None:
    """Seconds to wait that a 429 or 503 asks for, within bounds; None when it does not say."""
    asked = headers.get("retry-after", "").strip()
    if not asked:
        return None
    seconds = _seconds(asked, now)
    if seconds is None or math.isnan(seconds):
        return None
    return max(SHORTEST_RETRY_SECONDS, min(seconds, LONGEST_RETRY_SECONDS))


def _seconds(asked: str, now: float) -> float | None:
    try:
        return float(asked)
    except ValueError:
        pass
    try:
        return parsedate_to_datetime(asked).timestamp() - now
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


@dataclass
class Pacing:
    """When each host and each address may be asked next. Many names on one address share a pace."""

    own_seconds: float = 1.0
    max_entries: int = 100_000
    quiet_until: float = 0.0  # nobody is asked before
    _next_at: OrderedDict[str, float] = field(default_factory=OrderedDict)

    def wait_seconds(self, host: str, address: str, now: float) -> float:
        """0 when both are free."""
        free_at = max(self._next_at.get(host, 0.0), self._next_at.get(address, 0.0))
        return max(0.0, free_at - now, self.quiet_until - now)

    def note_request(
        self, host: str, address: str, now: float, *, delay_seconds: float | None = None
    ) -> None:
        """A request begins now. A host's own delay does not slow its neighbours at the address."""
        self._set(host, now + max(self.own_seconds, delay_seconds or 0.0))
        if address:
            self._set(address, now + self.own_seconds)

    def note_rest(self, host: str, until: float) -> None:
        """The host asked to be left alone."""
        self._set(host, max(until, self._next_at.get(host, 0.0)))

    def _set(self, key: str, at: float) -> None:
        self._next_at[key] = at
        self._next_at.move_to_end(key)
        while len(self._next_at) > self.max_entries:
            self._next_at.popitem(last=False)
