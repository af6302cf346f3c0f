"""Whole crawls against Scrapy: the same loopback web, politeness off, the same outputs stored.

We classify every page, score the context of every link and commit durably, under soft focus with
naive Bayes; Scrapy extracts and stores (see scrapy_spider.py for how it was tuned). Both ask every
host for robots.txt, which FocusAdmin always does. Goals, against tuned Scrapy on two cores: at most
half the CPU time a page, at least 2.5 times the pages a second.

Contenders take turns, so that other work on the machine hits all alike; `other cores busy` tells
how much of that there was, the web server included. Each is a process of its own; its CPU time is
what the system accounts to it and to the children it waited for. Starting up (imports, loading the
model) costs CPU once, not by page: runs that end after one page measure it, and it is taken off.
Pages a second count from the first page to the last in both, as they were taken in.

20,000 pages are the full figure (`--pages 20000`); 5,000 are the default, as they take four minutes
and not a quarter of an hour.
"""

import argparse
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.loopback_web import GOOD_TOPIC, Web, running_web
from benchmarks.report import report
from tests.product import clean_environment

OURS, TUNED, STRIPPED = "FocusAdmin", "Scrapy, tuned", "Scrapy, stripped"
TAXONOMY = "canonical"
OUR_CONCURRENCY, SCRAPY_CONCURRENCY = 32, 16
PATIENCE_SECONDS = 900.0
PREPARE = (
    "import django; django.setup(); "
    "from focusadmin.management.commands.run import prepare; prepare()"
)


@dataclass(frozen=True, slots=True)
class Finished:
    """What the system accounts to a process and to the children it waited for."""

    output: str
    cpu_seconds: float
    peak_mb: float
    other_cores: float


@dataclass(frozen=True, slots=True)
class Run:
    """One crawl of one contender."""

    pages: int
    pages_per_second: float
    process: Finished


# A crawl of so many pages; the folder is empty and the crawl's own.
Contender = Callable[[int, Path], Run]


def finished(command: Sequence[str], environment: dict[str, str] | None = None) -> Finished:
    """Run to the end; the peak is of the largest single process."""
    busy, began = busy_seconds(), time.monotonic()
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, env=environment, cwd=ROOT, stdout=output, stderr=errors)
        timer = threading.Timer(PATIENCE_SECONDS, process.kill)
        timer.start()
        _, status, used = os.wait4(process.pid, 0)
        timer.cancel()
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise SystemExit(
                f"{' '.join(command)}\nended with {process.returncode}:\n{errors.read()}"
            )
        cpu_seconds = used.ru_utime + used.ru_stime
        others = (busy_seconds() - busy - cpu_seconds) / (time.monotonic() - began)
        return Finished(output.read(), cpu_seconds, used.ru_maxrss / 1024, max(0.0, others))


def busy_seconds() -> float:
    """CPU time of the whole machine since it started."""
    user, nice, system, _idle, _waiting, *rest = (
        int(ticks) for ticks in Path("/proc/stat").read_text(encoding="ascii").split()[1:9]
    )
    return (user + nice + system + sum(rest)) / os.sysconf("SC_CLK_TCK")


def last_line(output: str) -> dict[str, float | str]:
    found: dict[str, float | str] = json.loads(output.strip().splitlines()[-1])
    return found


def scrapy(python: str, start_urls: Path, *options: str) -> Contender:
    script = str(ROOT / "benchmarks" / "scrapy_spider.py")
    shared = ["--robots", "--concurrency", str(SCRAPY_CONCURRENCY), *options]

    def crawl(pages: int, folder: Path) -> Run:
        output = str(folder / "pages.sqlite3")
        done = finished([python, script, str(start_urls), str(pages), output, *shared])
        measured = last_line(done.output)
        seconds = float(measured["seconds"])
        return Run(int(measured["pages"]), pages / seconds if seconds else 0.0, done)

    return crawl


def has_scrapy(python: str) -> bool:
    tried = subprocess.run(
        [python, "-c", "import scrapy, uvloop"], capture_output=True, check=False
    )
    return tried.returncode == 0


def manage(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments, "--json"]


def focusadmin_environment(data_dir: Path, port: int) -> dict[str, str]:
    """The fetcher reaches loopback only where it is told to."""
    return {
        **clean_environment(data_dir),
        "DJANGO_SETTINGS_MODULE": "focusadmin.settings",
        "FOCUSADMIN_ALLOWED_TARGETS": f"127.0.0.0/24:{port}",
        "FOCUSADMIN_CONTACT": "bench@example.org",
    }


def focusadmin_prepared(data_dir: Path, web: Web) -> str:
    """Schema, shipped topics, model and a focus, made once; the focus's slug."""
    environment = focusadmin_environment(data_dir, web.port)
    finished([sys.executable, "-c", PREPARE], environment)
    described = ["--name", "Bench", "--taxonomy", TAXONOMY, "--good", GOOD_TOPIC]
    command = manage("focus", "create", *described, "--start", *web.start_urls())
    return str(last_line(finished(command, environment).output)["focus"])


def focusadmin_command(focus: str, pages: int) -> list[str]:
    speed = ["--delay", "0", "--concurrency", str(OUR_CONCURRENCY)]
    limit = ["--max-pages", str(pages), "--wait"]
    return manage("crawl", "start", "--focus", focus, "--strategy", "soft_focus", *speed, *limit)


def focusadmin(prepared: Path, web: Web) -> Contender:
    focus = focusadmin_prepared(prepared, web)

    def crawl(pages: int, folder: Path) -> Run:
        shutil.copytree(prepared, folder, dirs_exist_ok=True)
        environment = focusadmin_environment(folder, web.port)
        done = finished(focusadmin_command(focus, pages), environment)
        stored, seconds = stored_pages(folder)
        return Run(stored, stored / seconds if seconds else 0.0, done)

    return crawl


def stored_pages(data_dir: Path) -> tuple[int, float]:
    """How many pages are in the database, and the seconds between the first and the last."""
    with closing(sqlite3.connect(data_dir / "focusadmin.sqlite3")) as database:
        found = database.execute(
            "SELECT count(*), max(fetched_at) - min(fetched_at) FROM crawler_page "
            "JOIN crawler_pagebody USING (crawl_id, seq)"
        ).fetchone()
    return int(found[0]), float(found[1] or 0.0)


def measure(contenders: dict[str, Contender], pages: int, repeats: int, work: Path) -> None:
    starts: dict[str, list[Run]] = {name: [] for name in contenders}
    runs: dict[str, list[Run]] = {name: [] for name in contenders}
    for _ in range(repeats):
        for name, crawl in contenders.items():
            starts[name].append(run_once(crawl, 1, work))
            run = run_once(crawl, pages, work)
            if run.pages < pages:
                raise SystemExit(f"{name} stored only {run.pages:,} of {pages:,} pages.")
            runs[name].append(run)
    tables(starts, runs, pages)


def run_once(crawl: Contender, pages: int, work: Path) -> Run:
    with tempfile.TemporaryDirectory(dir=work) as folder:
        return crawl(pages, Path(folder))


def tables(starts: dict[str, list[Run]], runs: dict[str, list[Run]], pages: int) -> None:
    """Every run, then the best pages/s and the median CPU beside those of both Scrapys."""
    each = [
        row_of(name, starts[name], [run])
        for turn in zip(*runs.values(), strict=True)
        for name, run in zip(runs, turn, strict=True)
    ]
    report("crawl_runs", f"Crawls of {pages:,} pages, in the order they ran", each)
    rows = {name: row_of(name, starts[name], done) for name, done in runs.items()}
    for base in (TUNED, STRIPPED):
        if base in rows:
            shown = [compared(row, rows[base]) for row in rows.values()]
            title = (
                f"Best pages/s, median CPU; x is against {base} (goals: 2.5 x pages/s, 0.5 x CPU)"
            )
            report("crawl" if base == TUNED else "crawl_stripped", title, shown)
    if TUNED not in rows:
        report("crawl", "Best pages/s, median CPU", list(rows.values()))


def compared(row: dict[str, object], base: dict[str, object]) -> dict[str, object]:
    ratios = {
        "x pages/s": ratio(row, base, "pages/s"),
        "x CPU": ratio(row, base, "CPU s per 1,000"),
    }
    return row | ratios


def row_of(name: str, starts: Sequence[Run], runs: Sequence[Run]) -> dict[str, object]:
    """CPU a page without starting up, and with it."""
    begun = median(run.process.cpu_seconds for run in starts)
    whole = median(run.process.cpu_seconds / run.pages for run in runs)
    net = median((run.process.cpu_seconds - begun) / (run.pages - 1) for run in runs)
    return {
        "crawler": name,
        "pages/s": max(run.pages_per_second for run in runs),
        "CPU s per 1,000": 1_000 * net,
        "with start-up": 1_000 * whole,
        "peak MB": max(run.process.peak_mb for run in runs),
        "other cores busy": median(run.process.other_cores for run in runs),
    }


def ratio(row: dict[str, object], base: dict[str, object], key: str) -> float:
    return float(str(row[key])) / float(str(base[key]))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Crawl with FocusAdmin and with Scrapy in turn.")
    parser.add_argument("--pages", type=int, default=5_000)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--scrapy-python", default=sys.executable, help="a Python that has Scrapy")
    parser.add_argument("--only", choices=("scrapy", "focusadmin"), help="leave the other out")
    return parser.parse_args()


def main() -> None:
    chosen = arguments()
    with running_web() as web, tempfile.TemporaryDirectory() as folder:
        work = Path(folder)
        start_urls = work / "start-urls.txt"
        start_urls.write_text("\n".join(web.start_urls()), encoding="utf-8")
        contenders: dict[str, Contender] = {}
        if chosen.only != "focusadmin" and has_scrapy(chosen.scrapy_python):
            contenders[TUNED] = scrapy(chosen.scrapy_python, start_urls)
            contenders[STRIPPED] = scrapy(chosen.scrapy_python, start_urls, "--stripped")
        elif chosen.only != "focusadmin":
            print("Scrapy with uvloop is not installed: FocusAdmin runs alone, without ratios.")
        if chosen.only != "scrapy":
            prepared = work / "prepared"
            prepared.mkdir()
            contenders[OURS] = focusadmin(prepared, web)
        measure(contenders, chosen.pages, chosen.repeats, work)


if __name__ == "__main__":
    main()
