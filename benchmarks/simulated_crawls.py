"""Crawls that are nothing but numbers, to measure what the alarms promise.

A page is relevant or not, and relevance lies near 1 or near 0, as the 1999 paper shows in Fig. 5.
Relevant pages come in runs, in one of two ways: each page is like the one before (`runs` is the
correlation of neighbours), or pages come site by site, and every site has its own share of relevant
pages. A fall halves how often a page is relevant.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from crawler.core.alarms.tilt import RelevanceDetector

SITE_SPREAD = 3.0  # of a beta distribution: 0 would be sites all of one kind
STAYS = 0.8  # that the next page is of the same site: runs of five


@dataclass(frozen=True)
class SimulatedCrawl:
    """How often a page is relevant, and how much pages are like the one before."""

    level: float
    runs: float = 0.0
    by_site: bool = False

    @property
    def halved(self) -> "SimulatedCrawl":
        return replace(self, level=self.level / 2)

    @property
    def kind(self) -> str:
        return "sites" if self.by_site else f"runs {self.runs:g}"


def relevances(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> Iterator[float]:
    which = _by_site if crawl.by_site else _in_runs
    high, low = dice.beta(8, 1, pages), dice.beta(1, 20, pages)
    for is_relevant, if_relevant, if_not in zip(which(crawl, pages, dice), high, low, strict=True):
        yield float(if_relevant if is_relevant else if_not)


def _in_runs(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> Iterator[bool]:
    """A Markov chain of two states."""
    is_relevant = bool(dice.random() < crawl.level)
    for draw in dice.random(pages):
        is_relevant = bool(draw < crawl.level + crawl.runs * (is_relevant - crawl.level))
        yield is_relevant


def _by_site(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> Iterator[bool]:
    alpha, beta = crawl.level * SITE_SPREAD, (1 - crawl.level) * SITE_SPREAD
    share = 0.0
    for number, (moves, draw) in enumerate(dice.random((pages, 2))):
        if number == 0 or moves >= STAYS:
            share = dice.beta(alpha, beta)
        yield bool(draw < share)


def false_alarms(crawl: SimulatedCrawl, pages: int, seed: int) -> int:
    """Alarms on so many pages without a change; each one starts the detector anew."""
    detector, alarms = RelevanceDetector(), 0
    for relevance in relevances(crawl, pages, np.random.default_rng(seed)):
        detector.add(relevance)
        if detector.has_fallen:
            detector, alarms = RelevanceDetector(), alarms + 1
    return alarms


def pages_until_found(
    crawl: SimulatedCrawl, *, before: int, patience: int, seed: int
) -> int | None:
    """How many pages after a halving the alarm comes; None if not within `patience`."""
    dice = np.random.default_rng(seed)
    detector = _settled(crawl, before, dice)
    for number, relevance in enumerate(relevances(crawl.halved, patience, dice), 1):
        detector.add(relevance)
        if detector.has_fallen:
            return number
    return None


def _settled(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> RelevanceDetector:
    """After so many pages; a crawl with a false alarm among them is run again."""
    detector = RelevanceDetector()
    for relevance in relevances(crawl, pages, dice):
        detector.add(relevance)
        if detector.has_fallen:
            return _settled(crawl, pages, dice)
    return detector
