"""What the alarm for falling relevance promises, measured on simulated crawls.

False alarms per 10,000 pages without a change, and how soon a lasting halving is found. Goals: less
than one false alarm, and a halving found within 300 pages.
"""

import argparse
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from benchmarks.simulated_crawls import SimulatedCrawl, false_alarms, pages_until_found

LEVELS, RUNS = (0.2, 0.35, 0.5, 0.8), (0.0, 0.3, 0.5)
QUIET_PAGES, BEFORE_PAGES, PATIENCE, GOAL_PAGES = 10_000, 1_000, 1_500, 300


def measured(crawl: SimulatedCrawl, crawls: int) -> dict[str, object]:
    alarms = sum(false_alarms(crawl, QUIET_PAGES, seed) for seed in range(crawls))
    found = [
        pages_until_found(crawl, before=BEFORE_PAGES, patience=PATIENCE, seed=10_000 + seed)
        for seed in range(crawls)
    ]
    delays = [PATIENCE if delay is None else delay for delay in found]
    return {
        "relevant": crawl.level,
        "runs": crawl.runs,
        "crawls": crawls,
        "false alarms / 10,000 pages": alarms / crawls,
        "halving found, median": float(np.median(delays)),
        "nine of ten": float(np.quantile(delays, 0.9)),
        "within 300 pages": f"{np.mean([delay <= GOAL_PAGES for delay in delays]):.0%}",
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--crawls", type=int, default=60, help="of each kind")
    options = parser.parse_args()
    kinds = [SimulatedCrawl(level, runs) for level in LEVELS for runs in RUNS]
    report("alarms", "Falling relevance", [measured(kind, options.crawls) for kind in kinds])


if __name__ == "__main__":
    main()
