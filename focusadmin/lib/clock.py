"""Time, passed in, so that tests can move it."""

import time
from dataclasses import dataclass
from typing import Protocol


class Clock(Protocol):
    """Where a module learns what time it is."""

    def now(self) -> float:
        """Seconds since 1970: for what is stored or compared with a server's dates."""

    def monotonic(self) -> float:
        """Seconds that never jump: for durations and delays."""


class SystemClock:
    """The machine's own clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass
class ManualClock:
    """Stands still until told to move."""

    seconds: float = 1_700_000_000.0

    def now(self) -> float:
        return self.seconds

    def monotonic(self) -> float:
        return self.seconds

    def advance(self, seconds: float) -> None:
        self.seconds += seconds
