"""What a crawl tells about itself while it runs."""

from collections import deque
from dataclasses import dataclass, field
from typing import Any

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK, PageRecord
from crawler.core.workingset import Frontier

UPCOMING = 20
BANDS = (0.0, 0.1, 0.25, 0.5, 0.75, 1.0)
RENEW_SECONDS = 2.0
RENEW_LARGE_SECONDS = 15.0
LARGE = 300_000
SPEED_WINDOW_SECONDS = 60.0


@dataclass
class StatusBoard:
    """Running figures; starts with those of the slices before."""

    fetched: int = 0  # visits of pages that are there already among them: the budget counts both
    relevant: int = 0
    bytes: int = 0
    seconds_run: float = 0.0
    outcomes: dict[str, int] = field(default_factory=dict)
    retries: int = 0
    _counted_until: float | None = None
    _times: deque[float] = field(default_factory=deque)
    _shown: dict[str, Any] = field(default_factory=dict)
    _renew_at: float = 0.0

    def note(self, record: PageRecord) -> None:
        """A page that was visited again costs what any costs, and is found only once."""
        self.bytes += record.size_bytes
        if record.is_revisit:
            self.fetched += record.outcome == OK
            return
        self.outcomes[record.outcome] = self.outcomes.get(record.outcome, 0) + 1
        if record.outcome == OK:
            self.fetched += 1
            self.relevant += (record.relevance or 0.0) >= RELEVANT_FROM
            self._times.append(record.fetched_at)

    def note_retry(self) -> None:
        self.retries += 1

    def start(self, now: float) -> None:
        """The clock of this slice begins."""
        self._counted_until = now

    def seconds_at(self, now: float) -> float:
        """Time run until now, what was not taken yet among it."""
        since = now if self._counted_until is None else self._counted_until
        return self.seconds_run + now - since

    def take_seconds(self, now: float) -> float:
        """Time run since the last call, by the monotonic clock."""
        since = now if self._counted_until is None else self._counted_until
        self._counted_until = now
        self.seconds_run += now - since
        return now - since

    def shown(self, frontier: Frontier, now: float, *, is_last: bool = False) -> dict[str, Any]:
        """For the crawl's page; the dear parts are renewed every few seconds, and at the end."""
        if is_last or now >= self._renew_at:
            is_large = len(frontier) > LARGE
            self._renew_at = now + (RENEW_LARGE_SECONDS if is_large else RENEW_SECONDS)
            self._shown = self._renewed(frontier, now)
        return {
            **self._shown,
            "outcomes": self.outcomes,
            "retries": self.retries,
            "in_flight": frontier.in_flight,
            "pages_per_minute": self._speed(now),
        }

    def _renewed(self, frontier: Frontier, now: float) -> dict[str, Any]:
        hosts = frontier.hosts
        resting = [host for host in hosts.all if host.not_before > now]
        return {
            "urls_seen": len(frontier),
            "upcoming": [
                {"number": slot, "priority": frontier.priority(slot)}
                for slot in frontier.best(UPCOMING)
            ],
            "bands": {
                "edges": list(BANDS),
                "counts": frontier.bands(BANDS),
                "waiting": frontier.waiting,
            },
            "hosts": len(hosts.all),
            "hosts_resting": len(resting),
        }

    def _speed(self, now: float) -> float:
        while self._times and self._times[0] < now - SPEED_WINDOW_SECONDS:
            self._times.popleft()
        if not self._times:
            return 0.0
        span = max(now - self._times[0], 1.0)
        return round(60.0 * len(self._times) / span, 1)
