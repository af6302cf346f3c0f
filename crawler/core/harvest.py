"""How well a crawl does: the harvest rate is the mean relevance of the pages fetched.

The 1999 paper (section 4.1) shows it as a moving average over the last 100 or 1,000 pages, because
the mean over all pages hides what is happening now.
"""

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import InitVar, dataclass

import numpy as np
import numpy.typing as npt

RELEVANT_FROM = 0.5  # R(d) from which a page counts as relevant
WINDOW_PAGES = 100

Curve = npt.NDArray[np.float64]


class MovingAverage:
    """Mean of the last `window` numbers, each step in constant time."""

    def __init__(self, window: int = WINDOW_PAGES) -> None:
        if window < 1:
            raise ValueError(f"a window has at least one page, not {window}")
        self.window = window
        self._latest: deque[float] = deque(maxlen=window)
        self._sum = 0.0
        self._steps = 0

    def add(self, number: float) -> float:
        """Take the number in and return the mean."""
        latest = self._latest
        if len(latest) == self.window:
            self._sum -= latest[0]
        latest.append(number)
        self._sum += number
        self._steps += 1
        if self._steps % self.window == 0:
            self._sum = sum(latest)  # rounding errors of the steps would add up for ever
        return self.mean

    @property
    def mean(self) -> float:
        """0 before the first number."""
        return self._sum / len(self._latest) if self._latest else 0.0


@dataclass
class Harvest:
    """Running figures of a crawl. A resumed one starts with the stored sums, its last pages among
    them, and with those pages' relevances as `latest`."""

    pages: int = 0
    relevant_pages: int = 0
    relevance_sum: float = 0.0
    window: int = WINDOW_PAGES
    latest: InitVar[Iterable[float]] = ()

    def __post_init__(self, latest: Iterable[float]) -> None:
        self._average = MovingAverage(self.window)
        for relevance in latest:
            self._average.add(relevance)

    def add(self, relevance: float) -> None:
        """A page was fetched and judged."""
        self.pages += 1
        self.relevant_pages += relevance >= RELEVANT_FROM
        self.relevance_sum += relevance
        self._average.add(relevance)

    @property
    def rate(self) -> float:
        """Mean relevance of all pages."""
        return self.relevance_sum / self.pages if self.pages else 0.0

    @property
    def relevant_share(self) -> float:
        return self.relevant_pages / self.pages if self.pages else 0.0

    @property
    def average(self) -> float:
        """Mean relevance of the last `window` pages."""
        return self._average.mean


def harvest_curve(relevances: Sequence[float] | Curve, window: int = WINDOW_PAGES) -> Curve:
    """The moving average after each page of a whole crawl; short windows at its beginning."""
    if window < 1:
        raise ValueError(f"a window has at least one page, not {window}")
    sums = np.concatenate(([0.0], np.cumsum(relevances, dtype=np.float64)))
    ends = np.arange(1, len(sums))
    starts = np.maximum(ends - window, 0)
    curve: Curve = (sums[ends] - sums[starts]) / (ends - starts)
    return curve
