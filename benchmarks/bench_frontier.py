"""Time and memory of the frontier with its ledger, from ten thousand URLs to three million.

A page is a lease, a settle, 13 new URLs and 10 raised priorities; 20 pages are one commit, as in a
crawl. Each size has a process of its own, so that memory is that of this size alone. Once all are
filled they take turns, a hundred pages each: what else the machine does then hits all alike, and
the ratio is the median of the turns' ratios.
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

SIZES, FULL_SIZE = (10_000, 100_000, 1_000_000), 3_000_000
TURNS, PAGES, WARM_UP_PAGES, PAGES_A_COMMIT = 15, 100, 200, 20
NEW_URLS, RAISED, HOSTS = 13, 10, 5_000
CHUNK = 50_000
GOAL_RATIO, GOAL_MEGABYTES = 1.3, 600.0


class Contender:
    """A process with a frontier of one size, on a data folder of its own."""

    def __init__(self, size: int, folder: Path) -> None:
        self.size = size
        self._process = subprocess.Popen(
            [sys.executable, __file__, "--serve", str(size)],
            env={**os.environ, "FOCUSADMIN_DATA_DIR": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.filled = self._answer()["filled in s"]
        self.turns: list[dict[str, float]] = []

    def take_turn(self) -> None:
        print("go", file=self._process.stdin, flush=True)
        self.turns.append(self._answer())

    def close(self) -> None:
        self._process.communicate()

    def _answer(self) -> dict[str, float]:
        assert self._process.stdout
        line = self._process.stdout.readline()
        if not line:
            raise SystemExit(f"The frontier of {self.size:,} URLs ended; see its message above.")
        answer: dict[str, float] = json.loads(line)
        return answer


def serve(size: int) -> None:
    """Fill a frontier, then crawl on whenever asked to."""
    import django

    django.setup()
    from benchmarks.frontier_crawl import CrawlUnderWay

    crawl = CrawlUnderWay(hosts=HOSTS, dice=random.Random(5))
    began = time.perf_counter()
    for start in range(0, size, CHUNK):
        crawl.fill(min(CHUNK, size - start))
    filled = time.perf_counter() - began
    crawl.fetch(WARM_UP_PAGES, PAGES_A_COMMIT, NEW_URLS, RAISED)
    print(json.dumps({"filled in s": filled}), flush=True)
    for _ in sys.stdin:
        wall, cpu = time.perf_counter(), time.process_time()
        crawl.fetch(PAGES, PAGES_A_COMMIT, NEW_URLS, RAISED)
        cpu, wall = time.process_time() - cpu, time.perf_counter() - wall
        turn = {"cpu": cpu / PAGES * 1e6, "wall": wall / PAGES * 1e6, "peak": peak_megabytes()}
        print(json.dumps(turn), flush=True)


def peak_megabytes() -> float:
    """The most memory that was resident at any time."""
    lines = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    kilobytes = next(line.split()[1] for line in lines if line.startswith("VmHWM"))
    return int(kilobytes) / 1024


def compare(sizes: list[int]) -> None:
    from benchmarks.report import report

    with tempfile.TemporaryDirectory(prefix="focusadmin-bench-") as folder:
        contenders = [Contender(size, Path(folder) / str(size)) for size in sizes]
        for _ in range(TURNS):
            for contender in contenders:
                contender.take_turn()
        for contender in contenders:
            contender.close()
    goals = f"goals: ratio under {GOAL_RATIO}, memory under {GOAL_MEGABYTES:g} MB"
    rows = [row_of(contender, contenders[0]) for contender in contenders]
    report("frontier", f"Lease, settle and commit, {PAGES_A_COMMIT} pages each; {goals}", rows)


def row_of(contender: Contender, smallest: Contender) -> dict[str, object]:
    cpu, base = ([turn["cpu"] for turn in each.turns] for each in (contender, smallest))
    return {
        "URLs": f"{contender.size:,}",
        "CPU µs a page": median(cpu),
        "of the best turn": min(cpu),
        "wall µs a page": median(turn["wall"] for turn in contender.turns),
        "filled in s": contender.filled,
        "peak MB": contender.turns[-1]["peak"],
        "CPU ratio": median(own / other for own, other in zip(cpu, base, strict=True)),
        "of the best turns": min(cpu) / min(base),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sizes", nargs="*", type=int, default=list(SIZES))
    parser.add_argument("--full", action="store_true", help=f"{FULL_SIZE:,} URLs as well")
    parser.add_argument("--serve", type=int, metavar="SIZE", help="be one of the contenders")
    chosen = parser.parse_args()
    if chosen.serve:
        serve(chosen.serve)
    else:
        compare([*chosen.sizes, *([FULL_SIZE] if chosen.full else [])])


if __name__ == "__main__":
    main()
