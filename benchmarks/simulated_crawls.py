"""Crawls that are nothing but numbers, to measure what the alarms promise.

A page is relevant or not; relevant ones come in runs (a two-state Markov chain with the correlation
`runs` between neighbours), and relevance lies near 1 or near 0, as the 1999 paper shows in Fig. 5.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from crawler.core.alarms.cusum import RELEVANCE, FallDetector


@dataclass(frozen=True)
class SimulatedCrawl:
    """How often a page is relevant, and how much pages are like the one before."""

    level: float
    runs: float


def relevances(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> Iterator[float]:
    is_relevant = dice.random() < crawl.level
    draws = dice.random(pages)
    high, low = dice.beta(8, 1, pages), dice.beta(1, 20, pages)
    for draw, if_relevant, if_not in zip(draws, high, low, strict=True):
        is_relevant = draw < crawl.level + crawl.runs * (is_relevant - crawl.level)
        yield float(if_relevant if is_relevant else if_not)


def false_alarms(crawl: SimulatedCrawl, pages: int, seed: int) -> int:
    """Alarms on so many pages without a change; each one starts the detector anew."""
    detector, alarms = FallDetector(), 0
    for relevance in relevances(crawl, pages, np.random.default_rng(seed)):
        detector.add(relevance, RELEVANCE)
        if detector.has_fallen:
            detector, alarms = FallDetector(), alarms + 1
    return alarms


def pages_until_found(
    crawl: SimulatedCrawl, *, before: int, patience: int, seed: int
) -> int | None:
    """How many pages after a halving the alarm comes; None if not within `patience`."""
    dice = np.random.default_rng(seed)
    detector = _settled(crawl, before, dice)
    halved = SimulatedCrawl(crawl.level / 2, crawl.runs)
    for number, relevance in enumerate(relevances(halved, patience, dice), 1):
        detector.add(relevance, RELEVANCE)
        if detector.has_fallen:
            return number
    return None


def _settled(crawl: SimulatedCrawl, pages: int, dice: np.random.Generator) -> FallDetector:
    """After so many pages; a crawl with a false alarm among them is run again."""
    detector = FallDetector()
    for relevance in relevances(crawl, pages, dice):
        detector.add(relevance, RELEVANCE)
    return _settled(crawl, pages, dice) if detector.has_fallen else detector
