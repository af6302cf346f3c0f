"""Has relevance fallen for good? A CUSUM of likelihood ratios against the crawl's own past.

Of all distributions with a lower mean, the one hardest to tell from the past f is f "tilted":

    g(x) = f(x) e^(-t x) / M(t),   M(t) = sum over x of f(x) e^(-t x),   t so that g has that mean

so its likelihood ratio is what every page is weighed with:

    S = max(0, S + (-t x - ln M(t)) / v),   alarm when S > h

It is linear in x, so any fall to that mean moves S by as much, and without a fall e^S has mean 1 at
most, whatever f looks like: no bell curve is assumed. Pages come in runs, v says by how much: the
variance of blocks of pages over what independent pages would have. Pages since S last was 0 are
held back from the past; that zero is also where a fall began. The 1999 paper (section 4.2) names
the problem: "to distinguish between a noisy vs. systematic drop in relevance".
"""

import math
from dataclasses import asdict, dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float64]

LEVELS = 20
CENTRES: Levels = (np.arange(LEVELS) + 0.5) / LEVELS
# The fall that is looked for. Half as many relevant pages bring the mean down to some 0.6, because
# the others are not quite 0.
FALL_TO = 0.6
LEARN_PAGES = 100  # before anything is judged
LEAST_MEAN = 0.05  # below it there is nothing that could fall
RENEW_PAGES = 10  # how often the past is looked at anew
BLOCK_PAGES = 20
RUN_LENGTH = 13_000.0  # e^h is so many pages times the information in one; the goal is 10,000
OVERSHOOT = 0.5  # S jumps over h, so h may be lower
YOUTH = 2.0  # what h is higher while the past is only LEARN_PAGES long
RUNS_CAUTION = 0.9  # for each e-fold of the inflation, which is but an estimate
TIMIDITY = 0.25  # standard errors by which the past is taken lower than it looks
SMOOTHING = 5.0  # pages, spread over all levels: what was never seen may come
PRIOR_INFLATION, PRIOR_BLOCKS, MOST_INFLATION = 1.5, 10.0, 8.0
LEAST_EVIDENCE = 50  # pages; however bad, fewer prove nothing
LEAST_DELAY = 80.0  # pages; where a page tells much, there is time to be surer
DOUBT_FROM = 0.7  # of the threshold
OVERFLOW = 1.25  # of the threshold; S stops there, so that a recovery is seen soon


@dataclass
class Sample:
    """How often each level of relevance came, and how sums over blocks of pages scatter."""

    counts: list[int] = field(default_factory=lambda: [0] * LEVELS)
    total: float = 0.0
    blocks: int = 0
    block_total: float = 0.0
    block_squares: float = 0.0

    def add(self, relevance: float) -> None:
        self.counts[level_of(relevance)] += 1
        self.total += relevance

    def add_block(self, total: float) -> None:
        self.blocks += 1
        self.block_total += total
        self.block_squares += total * total

    def absorb(self, other: "Sample") -> None:
        self.counts = [mine + more for mine, more in zip(self.counts, other.counts, strict=True)]
        self.total += other.total
        self.blocks += other.blocks
        self.block_total += other.block_total
        self.block_squares += other.block_squares

    @property
    def pages(self) -> int:
        return sum(self.counts)

    @property
    def mean(self) -> float:
        return self.total / self.pages if self.pages else 0.0

    def inflation(self, variance: float) -> float:
        """Scatter of blocks over that of independent pages; a few blocks are not trusted."""
        count = max(self.blocks, 1)
        scatter = max(self.block_squares / count - (self.block_total / count) ** 2, 0.0)
        seen = scatter * count / max(count - 1, 1) / (variance * BLOCK_PAGES)
        blend = seen * self.blocks + PRIOR_INFLATION * PRIOR_BLOCKS
        return min(max(blend / (self.blocks + PRIOR_BLOCKS), 1.0), MOST_INFLATION)


def level_of(relevance: float) -> int:
    return min(max(int(relevance * LEVELS), 0), LEVELS - 1)


def tilted(shape: Levels, tilt: float) -> tuple[Levels, float]:
    """The tilted distribution, and ln M."""
    weights = shape * np.exp(-tilt * CENTRES)
    mass = float(weights.sum())
    return weights / mass, math.log(mass)


def tilt_to(shape: Levels, mean: float) -> float:
    """The tilt that gives a distribution this mean, by Newton's method: dm/dt is -variance."""
    tilt = 0.0
    for _ in range(12):
        now, _ = tilted(shape, tilt)
        off = float(now @ CENTRES)
        variance = max(float(now @ CENTRES**2) - off * off, 1e-5)
        step = (off - mean) / variance
        tilt += min(max(step, -3.0), 3.0)
        if abs(step) < 1e-3:
            break
    return tilt


@dataclass(frozen=True)
class Scale:
    """What a page is weighed with: S moves by charge - tilt x."""

    tilt: float = 0.0
    charge: float = 0.0
    limit: float = 0.0


def scale_of(past: Sample) -> Scale:
    """The likelihood ratio against this past, and the threshold of its sum."""
    counts, pages = np.array(past.counts, float), past.pages
    mean = float(counts @ CENTRES) / pages
    variance = max(float(counts @ CENTRES**2) / pages - mean * mean, 1e-3)
    inflation = past.inflation(variance)
    error = math.sqrt(variance * inflation / pages)
    usual = max(mean - TIMIDITY * error, 0.7 * mean)
    shape = (counts + SMOOTHING / LEVELS) / (pages + SMOOTHING)
    before, _ = tilted(shape, tilt_to(shape, usual))
    tilt = tilt_to(before, FALL_TO * usual)
    charge = -tilted(before, tilt)[1]
    caution = YOUTH * LEARN_PAGES / pages + RUNS_CAUTION * math.log(inflation)
    needed = _threshold(tilt * usual - charge) + caution
    speed = (charge - tilt * FALL_TO * usual) / inflation  # of S after the fall
    return Scale(tilt / inflation, charge / inflation, max(needed, LEAST_DELAY * speed))


def _threshold(information: float) -> float:
    """h from the length of a run without a false alarm, e^h = pages x nats a page."""
    return max(math.log(max(RUN_LENGTH * information, 3.0)) - OVERSHOOT, 1.5)


@dataclass
class RelevanceDetector:
    """Learns what is usual, then watches for a lasting fall. Plain values, kept as JSON."""

    past: Sample = field(default_factory=Sample)
    held: Sample = field(default_factory=Sample)  # pages since the statistic was last 0
    scale: Scale = field(default_factory=Scale)
    learnt_from: int = 0  # pages of the past when the scale was made
    statistic: float = 0.0
    seen: int = 0
    block: float = 0.0  # sum of the block that is being filled

    def add(self, relevance: float) -> None:
        self.seen += 1
        if self.knows:
            value = float(CENTRES[level_of(relevance)])
            moved = self.statistic + self.scale.charge - self.scale.tilt * value
            self.statistic = min(max(0.0, moved), self.scale.limit * OVERFLOW)
        self.held.add(relevance)
        self._fill_block(relevance)
        if self.statistic == 0.0:
            self.past.absorb(self.held)
            self.held = Sample()
        if self.seen % RENEW_PAGES == 0:
            self._renew()

    def _fill_block(self, relevance: float) -> None:
        self.block += relevance
        if self.seen % BLOCK_PAGES == 0:
            self.held.add_block(self.block)
            self.block = 0.0

    def _renew(self) -> None:
        pages = self.past.pages
        if pages >= LEARN_PAGES and pages != self.learnt_from:
            self.scale, self.learnt_from = scale_of(self.past), pages

    @property
    def knows(self) -> bool:
        """Whether there is a past to compare with."""
        return self.learnt_from > 0 and self.past.mean >= LEAST_MEAN

    @property
    def has_fallen(self) -> bool:
        return 0 < self.scale.limit <= self.statistic and self.since >= LEAST_EVIDENCE

    @property
    def is_in_doubt(self) -> bool:
        return 0 < self.scale.limit * DOUBT_FROM <= self.statistic

    @property
    def since(self) -> int:
        """How many pages ago the fall began."""
        return self.held.pages

    def forgive(self) -> None:
        """Somebody has done something about it: watch anew, against the same past."""
        self.statistic, self.held = 0.0, Sample()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, stored: dict[str, Any]) -> Self:
        if "scale" not in stored:  # kept by an older version: learn anew
            return cls()
        past, held = Sample(**stored["past"]), Sample(**stored["held"])
        return cls(**{**stored, "past": past, "held": held, "scale": Scale(**stored["scale"])})
