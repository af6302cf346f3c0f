"""All strategies on the demo web: the same start URLs, the same number of pages, the same model.

Mean relevance is what the classifier says of the pages fetched; precision and recall are the truth,
which the demo web knows: the share of pages that are about the good topic, and how many of all
such pages were found. `x unfocused` is the mean relevance against that of the unfocused crawl.
"""

import argparse
import sqlite3
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from benchmarks.bench_crawl import PREPARE, TAXONOMY, finished, last_line, manage
from benchmarks.report import report
from crawler.core.demoweb.server import RunningDemoWeb, running_demo_web
from crawler.core.demoweb.vocabulary import is_within
from crawler.core.frontier.registry import KEYS
from tests.product import clean_environment

GOOD = "/Recreation/Cycling"
BASE = "unfocused"


def prepared(data_dir: Path, demo: RunningDemoWeb) -> dict[str, str]:
    """A data folder with a focus named bikes; the environment to work in it."""
    environment = {
        **clean_environment(data_dir),
        "DJANGO_SETTINGS_MODULE": "focusadmin.settings",
        "FOCUSADMIN_ALLOWED_TARGETS": f"*.localhost:{demo.port}",
    }
    finished([sys.executable, "-c", PREPARE], environment)
    start = demo.web.start_urls(demo.port, GOOD)
    described = ["--name", "Bikes", "--taxonomy", TAXONOMY, "--good", GOOD, "--start", *start]
    finished(manage("focus", "create", *described), environment)
    return environment


def crawled(
    strategy: str, pages: int, data_dir: Path, environment: dict[str, str], demo: RunningDemoWeb
) -> dict[str, object]:
    quick = ["--delay", "0", "--max-pages", str(pages), "--wait"]
    command = manage("crawl", "start", "--focus", "bikes", "--strategy", strategy, *quick)
    figures = last_line(finished(command, environment).output)
    truth = demo.web.truth(demo.port)
    good = {url for url, topic in truth.items() if is_within(topic, GOOD)}
    found = fetched_urls(data_dir, str(figures["crawl"]))
    return {
        "strategy": strategy,
        "pages": len(found),
        "mean relevance": float(figures["mean_relevance"]),
        "precision": len(found & good) / max(len(found), 1),
        "recall": len(found & good) / len(good),
        "pages/s": float(figures["pages_per_second"]),
        "ended": str(figures["reason"]),
    }


def fetched_urls(data_dir: Path, slug: str) -> set[str]:
    with sqlite3.connect(data_dir / "focusadmin.sqlite3") as database:
        rows = database.execute(
            "SELECT p.url FROM crawler_page p JOIN crawler_crawl c ON c.id = p.crawl_id "
            "WHERE c.slug = ? AND p.outcome = 'ok'",
            [slug],
        )
        return {url for (url,) in rows}


def main() -> None:
    parser = argparse.ArgumentParser(description="Crawl the demo web with every strategy.")
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--only", nargs="+", choices=KEYS, default=KEYS)
    chosen = parser.parse_args()
    with running_demo_web(slow_seconds=0.1) as demo, tempfile.TemporaryDirectory() as folder:
        data_dir = Path(folder)
        environment = prepared(data_dir, demo)
        rows = [crawled(key, chosen.pages, data_dir, environment, demo) for key in chosen.only]
    base = next((row["mean relevance"] for row in rows if row["strategy"] == BASE), None)
    for row in rows:
        ratio = float(str(row["mean relevance"])) / float(str(base)) if base else 0.0
        row["x unfocused"] = ratio
    rows.sort(key=lambda row: -float(str(row["mean relevance"])))
    report("strategies", f"Strategies over {chosen.pages:,} pages of the demo web", rows)


if __name__ == "__main__":
    main()
