"""What the alarm for falling relevance promises, measured on simulated crawls.

False alarms per 10,000 pages without a change, and how soon a lasting halving is found. Goals: less
than one false alarm, and a halving found within 300 pages. The detector's constants were chosen on
other seeds.

Beside it the bound: a CUSUM of exact likelihood ratios that knows the crawl before and after the
change, with the threshold that gives it one false alarm per 10,000 pages. None is faster at that
rate (Moustakides 1986), so what it misses, every method misses.
"""

import argparse
import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from benchmarks.simulated_crawls import SimulatedCrawl, false_alarms, pages_until_found

LEVELS, RUNS = (0.1, 0.2, 0.35, 0.5, 0.8), (0.0, 0.3, 0.5)
QUIET_PAGES, BEFORE_PAGES, PATIENCE, GOAL_PAGES = 10_000, 1_000, 1_500, 300
BOUND_CRAWLS, BOUND_ROUNDS = 400, 9
SEEDS = 1_000_000  # of the report


class Oracle:
    """Many Markov chains at once, weighed by somebody who knows them."""

    def __init__(self, crawl: SimulatedCrawl, seed: int) -> None:
        self.crawl, self.dice = crawl, np.random.default_rng(seed)
        self.quiet = self._chains(crawl, QUIET_PAGES, self.dice.random(BOUND_CRAWLS) < crawl.level)

    def _chains(
        self, crawl: SimulatedCrawl, pages: int, state: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        found = np.empty((pages, state.size), bool)
        for row in found:
            state = self.dice.random(state.size) < crawl.level + crawl.runs * (state - crawl.level)
            row[:] = state
        return found

    def _ratios(self, pages: NDArray[np.bool_], first: NDArray[np.bool_]) -> NDArray[np.float64]:
        before = np.vstack([first, pages[:-1]])
        usual, fallen = (
            level + self.crawl.runs * (before - level)
            for level in (self.crawl.level, self.crawl.halved.level)
        )
        return np.where(pages, np.log(fallen / usual), np.log((1 - fallen) / (1 - usual)))

    def _alarms(self, ratios: NDArray[np.float64], limit: float) -> float:
        total, alarms = np.zeros(ratios.shape[1]), 0
        for row in ratios:
            total = np.maximum(0.0, total + row)
            is_alarm = total >= limit
            alarms += int(is_alarm.sum())
            total[is_alarm] = 0.0
        return alarms / BOUND_CRAWLS

    def found_in_time(self) -> float:
        """The share of halvings found within the goal at one false alarm per 10,000 pages."""
        quiet = self._ratios(self.quiet, self.quiet[0])
        low, high = 1.0, 12.0
        for _ in range(BOUND_ROUNDS):
            middle = (low + high) / 2
            too_many = self._alarms(quiet, middle) > 1
            low, high = (middle, high) if too_many else (low, middle)
        first = self.quiet[-1]
        fallen = self._ratios(self._chains(self.crawl.halved, GOAL_PAGES, first), first)
        total, is_found = np.zeros(BOUND_CRAWLS), np.zeros(BOUND_CRAWLS, bool)
        for row in quiet[-GOAL_PAGES:]:  # the sum that a fall meets
            total = np.maximum(0.0, total + row)
            total[total >= high] = 0.0
        for row in fallen:
            total = np.maximum(0.0, total + row)
            is_found |= total >= high
        return float(is_found.mean())


def measured(crawl: SimulatedCrawl, crawls: int) -> dict[str, object]:
    alarms = [false_alarms(crawl, QUIET_PAGES, SEEDS + seed) for seed in range(crawls)]
    found = [
        pages_until_found(crawl, before=BEFORE_PAGES, patience=PATIENCE, seed=2 * SEEDS + seed)
        for seed in range(2 * crawls)
    ]
    delays = [PATIENCE if delay is None else delay for delay in found]
    share = np.mean([delay <= GOAL_PAGES for delay in delays])
    return {
        "relevant": crawl.level,
        "kind": crawl.kind,
        "false alarms / 10,000 pages": float(np.mean(alarms)),
        "standard error": float(np.std(alarms) / np.sqrt(crawls)),
        "halving found, median": float(np.median(delays)),
        "within 300 pages": f"{share:.0%} ± {np.sqrt(share * (1 - share) / len(delays)):.1%}",
        "bound": "" if crawl.by_site else f"{Oracle(crawl, 3 * SEEDS).found_in_time():.0%}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crawls", type=int, default=30, help="of each kind")
    options = parser.parse_args()
    kinds = [SimulatedCrawl(level, runs) for level in LEVELS for runs in RUNS]
    kinds += [SimulatedCrawl(level, by_site=True) for level in LEVELS]
    report("alarms", "Falling relevance", [measured(kind, options.crawls) for kind in kinds])


if __name__ == "__main__":
    main()
