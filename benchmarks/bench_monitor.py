"""How long the monitor takes to open, from ten thousand pages to a million.

The pages are generated. Summing them up as they are asked for is measured beside our buckets, which
are written a hundred pages at a time in the commit that completes them.
"""

import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-bench-")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.db import connection
from django.test import Client

from benchmarks.frontier_crawl import new_ledger
from benchmarks.report import report
from crawler.models import Crawl, Page
from crawler.store import buckets_renewed
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed

SIZES = (10_000, 100_000, 1_000_000)
ROUNDS = 7
GOAL_MILLISECONDS = 1000.0

_FILL = """
WITH RECURSIVE numbers(n) AS (SELECT %s UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)
INSERT INTO crawler_page (crawl_id, seq, number, url_key, url, host, site, outcome, detail, status,
  title, language, relevance, priority_relevance, topic, topic_probability, is_on_topic,
  content_similarity, depth, size_bytes, fetched_at)
SELECT %s, n, n, n, 'https://www.host' || (n %% 5000) || '.example/section/page-' || n, n %% 5000,
  'host' || (n %% 5000) || '.example', 'ok', '', 200, 'A page about hills and valleys ' || n, 'en',
  (n * 7919 %% 1000) / 1000.0, (n * 7919 %% 1000) / 1000.0, '/Recreation/Outdoors/Hiking', 0.9, 1,
  0.0, 3, 15000, 1760000000.0 + n / 50.0
FROM numbers
"""
_SUMMED_AS_ASKED = """
SELECT (seq - 1) / 2000, COUNT(relevance), SUM(relevance), MIN(relevance), MAX(relevance)
FROM crawler_page WHERE crawl_id = %s GROUP BY (seq - 1) / 2000
"""


def milliseconds(ask: Callable[[], object]) -> float:
    def once() -> float:
        began = time.perf_counter()
        ask()
        return (time.perf_counter() - began) * 1000

    once()
    return statistics.median(once() for _ in range(ROUNDS))


def grown_to(crawl: Crawl, size: int) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_FILL, [crawl.seq + 1, size, crawl.pk])
    Crawl.objects.filter(pk=crawl.pk).update(seq=size, fetched=size, relevance_sum=size / 2)
    crawl.refresh_from_db()
    buckets_renewed(crawl.pk, size)


def summed_as_asked(crawl: Crawl) -> object:
    with connection.cursor() as cursor:
        return cursor.execute(_SUMMED_AS_ASKED, [crawl.pk]).fetchall()


def measured(client: Client, crawl: Crawl) -> dict[str, object]:
    base = f"/crawls/{crawl.pk}/"

    def opened() -> None:
        assert client.get(base).status_code == 200
        assert len(json.loads(client.get(f"{base}opening/").content)["view"]["points"]["seq"]) > 0

    ours = milliseconds(opened)
    naive = milliseconds(lambda: summed_as_asked(crawl))
    return {
        "pages": Page.objects.filter(crawl=crawl).count(),
        "open, ms": ours,
        "all of it again, ms": milliseconds(
            lambda: client.get(f"{base}view/?first=1&last={crawl.seq}")
        ),
        "summed up as asked, ms": naive,
        "ratio": naive / ours,
        "goal, ms": GOAL_MILLISECONDS,
    }


def main() -> None:
    crawl = Crawl.objects.get(pk=new_ledger().crawl_id)
    collect_static_if_changed()
    client = Client(HTTP_HOST="localhost")
    client.force_login(first_user_ensure())
    rows = []
    for size in SIZES:
        grown_to(crawl, size)
        rows.append(measured(client, crawl))
    report("monitor", "Opening the monitor of a crawl", rows)


if __name__ == "__main__":
    main()
