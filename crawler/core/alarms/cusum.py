"""Has a mean fallen for good, or is it noise? A one-sided CUSUM against the series' own past.

With y the mean of a batch, m and s its mean and spread in the past, and d the fall that matters:

    S = max(0, S + (m - d/2 - y) / s),   alarm when S > h

h comes from the length of a false-alarm-free run that is asked for (Siegmund's approximation), so
a noisy crawl gets a higher threshold than a quiet one. Batches since S last was 0 are held back
from the past; that zero is also where a fall began. For series of any unit; relevance has a sharper
test of its own (tilt.py).
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, Self

SIEGMUND = 1.166  # what the overshoot at the boundary adds to the threshold
STEEPEST = 0.35  # drift for which the threshold is set; higher ones trust the bell curve too far
DOUBT_FROM = 0.7  # of the threshold
LEAST_EVIDENCE = 4  # batches; however bad, a single one proves nothing
OVERFLOW = 1.25  # of the threshold; S stops there, so that a recovery is seen soon
PRIOR_BATCHES = 10  # how many batches the spread assumed at first is worth
PRIOR_RUNS = 1.6  # pages come in runs: batches spread so much wider than independent pages would
TIMIDITY = 0.25  # standard errors by which a short past is taken lower than it looks


@dataclass(frozen=True)
class Tuning:
    """What is watched for in a series."""

    batch: int  # values in a batch
    learn: int  # batches before anything is judged
    run_length: float  # batches between two false alarms, at least
    fall: float  # the one that matters, in the unit of the series
    least_spread: float  # of a batch: nothing is as steady as a short past looks


# Success falling by a fifth; half the speed, in logarithms.
SUCCESS = Tuning(batch=10, learn=10, run_length=2_500, fall=0.2, least_spread=0.15)
SPEED = Tuning(batch=1, learn=12, run_length=5_000, fall=math.log(2), least_spread=0.25)


@dataclass
class Past:
    """Sums over batches, from which mean and spread follow."""

    batches: int = 0
    total: float = 0.0
    squares: float = 0.0
    value_squares: float = 0.0  # of the single values

    def add(self, values: Sequence[float]) -> None:
        mean = sum(values) / len(values)
        self.batches += 1
        self.total += mean
        self.squares += mean * mean
        self.value_squares += sum(value * value for value in values) / len(values)

    def absorb(self, other: "Past") -> None:
        self.batches += other.batches
        self.total += other.total
        self.squares += other.squares
        self.value_squares += other.value_squares

    @property
    def mean(self) -> float:
        return self.total / self.batches if self.batches else 0.0

    def spread(self, tuning: Tuning) -> float:
        """Of the batch means; few batches are helped out by the spread of the single values."""
        count, square = self.batches, self.mean**2
        between = max(self.squares / count - square, 0.0) * count / max(count - 1, 1)
        alone = max(self.value_squares / count - square, 0.0) / tuning.batch
        assumed = PRIOR_RUNS * alone if tuning.batch > 1 else tuning.least_spread**2
        weight = PRIOR_BATCHES + count - 1
        blend = (PRIOR_BATCHES * assumed + (count - 1) * between) / weight
        return max(math.sqrt(max(blend, alone)), tuning.least_spread)


@lru_cache(maxsize=4096)
def threshold(drift: float, run_length: float) -> float:
    """h for which a CUSUM with this drift runs so long without a change (Siegmund 1985):

    L = (e^x - 1 - x) / 2k^2,   x = 2k (h + 1.166),   k the drift in units of the spread
    """
    low, high = 0.0, 500.0
    while high - low > 1e-3:
        middle = (low + high) / 2
        x = 2 * drift * (middle + SIEGMUND)
        too_short = x < 500 and (math.exp(x) - 1 - x) / (2 * drift**2) < run_length
        low, high = (middle, high) if too_short else (low, middle)
    return high


@dataclass
class FallDetector:
    """Learns what is usual, then watches for a lasting fall. Plain values, kept as JSON."""

    past: Past = field(default_factory=Past)
    held: Past = field(default_factory=Past)  # batches since the statistic was last 0
    statistic: float = 0.0
    limit: float = 0.0
    waiting: list[float] = field(default_factory=list)  # values of the batch that is being filled
    seen: int = 0

    def add(self, value: float, tuning: Tuning) -> None:
        self.seen += 1
        self.waiting.append(value)
        if len(self.waiting) == tuning.batch:
            self._take(tuning)
            self.waiting = []

    def _take(self, tuning: Tuning) -> None:
        past = self.past
        if past.batches < tuning.learn:
            past.add(self.waiting)
            return
        spread, fall = past.spread(tuning), tuning.fall
        drift = max(min(fall / 2 / spread, STEEPEST), 0.01)
        self.limit = threshold(round(drift, 3), tuning.run_length)
        usual = past.mean - TIMIDITY * spread / math.sqrt(past.batches)
        value = sum(self.waiting) / len(self.waiting)
        step = min((usual - fall / 2 - value) / spread, self.limit / LEAST_EVIDENCE)
        self.statistic = min(max(0.0, self.statistic + step), self.limit * OVERFLOW)
        self.held.add(self.waiting)
        if self.statistic == 0.0:
            past.absorb(self.held)
            self.held = Past()

    def knows(self, tuning: Tuning) -> bool:
        """Whether there is a past to compare with."""
        return self.past.batches >= tuning.learn

    @property
    def has_fallen(self) -> bool:
        return 0 < self.limit <= self.statistic

    @property
    def is_in_doubt(self) -> bool:
        return 0 < self.limit * DOUBT_FROM <= self.statistic

    def since(self, tuning: Tuning) -> int:
        """How many values ago the fall began."""
        return self.held.batches * tuning.batch + len(self.waiting)

    def forgive(self) -> None:
        """Somebody has done something about it: watch anew, against the same past."""
        self.statistic, self.held = 0.0, Past()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        past, held = Past(**stored["past"]), Past(**stored["held"])
        return cls(**{**stored, "past": past, "held": held})
