"""How much is left? Capture and recapture with two halves of the start set, and held-back pages.

Every page was first found from one start page, along the links that led to it. Two disjoint halves
of the start set so make two crawls in one: A has caught a URL if a page that belongs to A links to
it (or is it), B likewise; `m` URLs were caught by both. With a, b, m counted in relevant pages,

    N = (a + 1)(b + 1) / (m + 1) - 1                                    (Chapman 1951)

estimates how many relevant pages can be reached at all. Fetched pages count as they were judged. A
waiting URL counts as often as fetched ones with equally relevant words around a link to them did.

The halves are no independent samples: both find what is cited everywhere, and neither what nobody
cites. So N is rather too low, and the share found rather too high. Half of the start set is drawn
several times; the interval covers all draws, the sampling error of each and of the waiting URLs.
"""

import math
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.core.diagnosis.record import RecordedPage
from crawler.core.intervals import Z, wilson_interval

EDGES = (0.05, 0.2, 0.4, 0.6, 0.8, 0.95)  # of the best context in which a URL was linked to
GROUPS = 60  # of start pages; a URL's finders are bits of a number
DRAWS = 9
LEAST_STARTS, LEAST_RELEVANT, LEAST_SHARED = 4, 20, 10
UNKNOWN = -1

Weights = npt.NDArray[np.float64]
Masks = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class Estimate:
    """A number or a share, with a 95 % interval."""

    value: float
    low: float
    high: float

    @property
    def in_percent(self) -> "Estimate":
        """Rounded so that nothing is promised: the low end down, the high end up."""
        whole = (round(100 * self.value), math.floor(100 * self.low), math.ceil(100 * self.high))
        return Estimate(*whole)


@dataclass(frozen=True)
class Remaining:
    """How many relevant pages there are, and how many of them the crawl has.

    `held_back` is the share of start pages that the others alone would have led to: each held back
    in turn, it is a known relevant page that the crawl had to find.
    """

    found: int
    total: Estimate
    recall: Estimate
    held_back: Estimate
    held_back_found: int
    starts: int
    shared: float  # relevant pages caught by both halves, in the middle draw
    waiting: float  # relevant pages among the URLs that wait


def remaining(pages: Sequence[RecordedPage], waiting: Collection[int]) -> Remaining | None:
    """None while there is too little to say anything."""
    graph = _FoundGraph(pages, waiting)
    found = sum(page.is_relevant for page in pages)
    if len(graph.starts) < LEAST_STARTS or found < LEAST_RELEVANT:
        return None
    likely, low, high = graph.weights()
    draws = sorted(graph.draws(likely), key=lambda draw: draw.total)
    middle = draws[len(draws) // 2]
    if middle.shared < LEAST_SHARED:
        return None
    least = min(draw.low for draw in [*draws, *graph.draws(low)])
    most = max(draw.high for draw in [*draws, *graph.draws(high)])
    total = Estimate(max(middle.total, found), max(least, found), max(most, found))
    again = graph.starts_found_by_others()
    return Remaining(
        found=found,
        total=total,
        recall=Estimate(found / total.value, found / total.high, found / total.low),
        held_back=Estimate(again / len(graph.starts), *wilson_interval(again, len(graph.starts))),
        held_back_found=again,
        starts=len(graph.starts),
        shared=middle.shared,
        waiting=float(likely[graph.is_waiting].sum()),
    )


@dataclass(frozen=True)
class _Draw:
    """What one division of the start set makes of it."""

    total: float
    low: float
    high: float
    shared: float


def recaptured(a: float, b: float, shared: float) -> _Draw:
    """Chapman's estimate; the interval is log-normal for what neither has seen (Chao 1987)."""
    total = (a + 1) * (b + 1) / (shared + 1) - 1
    seen = a + b - shared
    variance = (a + 1) * (b + 1) * (a - shared) * (b - shared)
    variance /= (shared + 1) ** 2 * (shared + 2)
    unseen = max(total - seen, 0.0)
    if unseen < 1e-9 or variance <= 0:
        return _Draw(max(total, seen), seen, max(total, seen), shared)
    factor = math.exp(Z * math.sqrt(math.log1p(variance / unseen**2)))
    return _Draw(total, seen + unseen / factor, seen + unseen * factor, shared)


class _FoundGraph:
    """Which URLs are linked to from which half, and how relevant each of them is."""

    def __init__(self, pages: Sequence[RecordedPage], waiting: Collection[int]) -> None:
        fetched = [page for page in pages if page.is_ok]
        self._pages = fetched
        self.starts = [page.number for page in fetched if page.found_on == UNKNOWN]
        self._roots = _roots(pages)
        size = 1 + max((n for page in pages for n in (page.number, *page.targets)), default=0)
        self._relevant = np.zeros(size)
        self._is_fetched = np.zeros(size, dtype=bool)
        self.is_waiting = np.zeros(size, dtype=bool)
        self.is_waiting[[number for number in waiting if number < size]] = True
        self._best = np.full(size, -1.0)
        self._finders: Masks = np.zeros(size, dtype=np.uint64)
        for page in fetched:
            self._note(page)
        self.is_waiting &= self._best >= 0

    def _note(self, page: RecordedPage) -> None:
        bit = np.uint64(1) << np.uint64(self._group(page.number))
        targets = list(page.targets)
        self._relevant[page.number] = page.is_relevant
        self._is_fetched[page.number] = True
        self._finders[[page.number, *targets]] |= bit
        self._best[targets] = np.maximum(self._best[targets], page.contexts)

    def _group(self, number: int) -> int:
        return self._roots[number] % GROUPS

    def weights(self) -> tuple[Weights, Weights, Weights]:
        """How relevant each URL is, likely, at least and at most."""
        starts = np.zeros_like(self._is_fetched)
        starts[self.starts] = True
        bands = np.searchsorted(EDGES, self._best, side="right")
        known = self._is_fetched & ~starts & (self._best >= 0)
        tries = np.bincount(bands[known], minlength=len(EDGES) + 1)
        relevant = known & (self._relevant > 0)
        hits = np.bincount(bands[relevant], minlength=len(EDGES) + 1)
        rates = np.array(list(_band_rates(hits, tries)))
        likely, low, high = (
            np.where(self.is_waiting, rates[bands, column], self._relevant) for column in range(3)
        )
        return likely, low, high

    def draws(self, weights: Weights) -> Iterator[_Draw]:
        groups = sorted({self._group(number) for number in self.starts})
        for seed in range(DRAWS):
            chosen = np.random.default_rng(seed).permutation(groups)[: len(groups) // 2]
            half = np.uint64(sum(1 << int(group) for group in chosen))
            in_a = (self._finders & half) != 0
            in_b = (self._finders & ~half) != 0
            yield recaptured(
                float(weights[in_a].sum()),
                float(weights[in_b].sum()),
                float(weights[in_a & in_b].sum()),
            )

    def starts_found_by_others(self) -> int:
        """Start pages to which a page that another start page led to has a link."""
        targets = set(self.starts)
        found = {
            target
            for page in self._pages
            for target in targets.intersection(page.targets)
            if self._roots[page.number] != self._roots[target]
        }
        return len(found)


def _roots(pages: Sequence[RecordedPage]) -> dict[int, int]:
    """By page: the start page at the end of the links that led to it first."""
    parents = {page.number: page.found_on for page in pages}
    roots: dict[int, int] = {}
    for number in parents:
        way = []
        while number not in roots and parents.get(number, UNKNOWN) != UNKNOWN:
            way.append(number)
            number = parents[number]
        root = roots.setdefault(number, number)
        roots.update(dict.fromkeys(way, root))
    return roots


def _band_rates(
    hits: npt.NDArray[np.intp], tries: npt.NDArray[np.intp]
) -> Iterator[tuple[float, float, float]]:
    """By band: share of relevant pages, likely, at least and at most.

    Where nothing was fetched yet, anything from nothing to the share of the next better band is
    possible, and half of that is taken. A worse band is never better than a better one; above the
    best band that was tried, its share is unknown and bounds nothing.
    """
    rates: list[tuple[float, float, float]] = []
    above, was_tried = (1.0, 0.0, 1.0), False
    for hit, tried in zip(hits[::-1], tries[::-1], strict=True):
        if tried:
            low, high = wilson_interval(int(hit), int(tried))
            likely = min(hit / tried, above[0])
            above = (likely, min(low, likely), max(min(high, above[2]), likely))
            was_tried = True
        elif was_tried:
            above = (above[0] / 2, 0.0, above[2])
        rates.append(above)
    yield from reversed(rates)
