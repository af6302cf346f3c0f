"""How long the list of a crawl's pages takes at a million pages, for filters common and rare.

Pages and words are generated: "common" stands in every page, "w<n>" in one of n. The goal is the
95th percentile over all kinds of addresses, from the first screenful and from the middle.
"""

import html
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-bench-")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.db import connection, transaction
from django.test import Client

from benchmarks.frontier_crawl import new_ledger
from benchmarks.report import report
from crawler.fulltext import words_add, words_prepare
from crawler.models import Crawl
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed

PAGES = int(os.environ.get("PAGES", "1000000"))
AT_ONCE = 10_000
ROUNDS = 12
GOAL_MILLISECONDS = 300.0
_NEXT = re.compile(r'href="\?([^"]*)"\s+rel="next"')

_FILL = """
WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)
INSERT INTO crawler_page (crawl_id, seq, number, url_key, url, host, site, outcome, detail, status,
  title, language, relevance, priority_relevance, topic, topic_probability, is_on_topic,
  content_similarity, depth, size_bytes, fetched_at, text_key, same_as)
SELECT %s, n, n, n, 'https://www.host' || (n * 31 %% 5000) || '.example/section/page-' || n,
  n * 31 %% 5000, 'host' || (n * 31 %% 5000) || '.example',
  CASE WHEN n %% 12 = 0 THEN 'status_404' ELSE 'ok' END, '', 200,
  'A page about hills and valleys ' || n,
  CASE WHEN n %% 5000 = 1 THEN 'fi' WHEN n %% 10 = 1 THEN 'de' ELSE 'en' END,
  CASE WHEN n %% 12 = 0 THEN NULL ELSE (n * 7919 %% 10007) / 10007.0 END,
  CASE WHEN n %% 12 = 0 THEN NULL ELSE (n * 7919 %% 10007) / 10007.0 END,
  CASE WHEN n %% 50000 = 7 THEN '/Arts/Rare' ELSE '/Recreation/T' || (n * 17 %% 300) END,
  0.9, 1, 0.0, n %% 9, 15000, 1760000000.0 + n / 50.0, n, CASE WHEN n %% 7 = 0 THEN n - 1 END
FROM numbers
"""
ADDRESSES = {
    "newest": "",
    "most relevant": "sort=relevance",
    "site": "site=host31.example",
    "site, relevance": "site=host31.example&sort=relevance",
    "no such site": "site=none.example",
    "topic": "topic=/Recreation/T17",
    "topic with its subtree": "topic=/Recreation&sort=relevance",
    "rare topic": "topic=/Arts",
    "relevance range": "least=0.31&most=0.32",
    "range by relevance": "least=0.31&most=0.32&sort=relevance",
    "rare language": "lang=fi",
    "rare language, relevance": "lang=fi&sort=relevance",
    "no such language": "lang=xx",
    "depth, no duplicates": "depth=1&unique=1",
    "failures": "outcome=error",
    "none of an outcome": "outcome=refused",
    "word of every page": "q=common",
    "the same, relevance": "q=common&sort=relevance",
    "word of 1 in 10": "q=w10&sort=relevance",
    "word of 1 in 100": "q=w100&sort=relevance",
    "rare word": "q=w100000&sort=relevance",
    "phrase": 'q="common w100"',
    "words and site": "q=w10&site=host31.example&sort=relevance",
    "words and language": "q=w10&lang=fi",
    "word that no page has": "q=nowhere&sort=relevance",
}


def filled() -> Crawl:
    crawl_id = new_ledger().crawl_id
    with connection.cursor() as cursor:
        cursor.execute(_FILL, [PAGES, crawl_id])
        words_prepare(cursor, crawl_id)
    for first in range(1, PAGES + 1, AT_ONCE):
        with transaction.atomic(), connection.cursor() as cursor:
            words_add(cursor, crawl_id, ((n, _text(n)) for n in range(first, first + AT_ONCE)))
    Crawl.objects.filter(pk=crawl_id).update(seq=PAGES, fetched=PAGES)
    return Crawl.objects.get(pk=crawl_id)


def _text(number: int) -> str:
    words = [f"w{size}" for size in (10, 100, 1_000, 100_000) if number % size == 3]
    return " ".join(["common", *words, f"filler{number * 37 % 20_000}"])


def measured(client: Client, address: str, name: str, query: str) -> tuple[list[float], Any]:
    """The first screenfuls, one behind the other."""
    taken, pages = [], 0
    is_unfinished = False
    more = query
    for _ in range(ROUNDS):
        began = time.perf_counter()
        answer = client.get(f"{address}?{more}")
        taken.append((time.perf_counter() - began) * 1000)
        assert answer.status_code == 200
        content = answer.content.decode()
        pages = max(pages, content.count('class="pages__what"'))
        is_unfinished |= "Go on looking" in content
        following = _NEXT.search(content)
        more = html.unescape(following[1]) if following else query
    return taken, {
        "list": name,
        "pages": PAGES,
        "median, ms": statistics.median(taken),
        "slowest, ms": max(taken),
        "pages shown": pages,
        "says it goes on": "yes" if is_unfinished else "",
    }


def main() -> None:
    crawl = filled()
    collect_static_if_changed()
    client = Client(HTTP_HOST="localhost")
    client.force_login(first_user_ensure())
    address = f"/crawls/{crawl.pk}/pages/"
    client.get(address)
    every, rows = [], []
    for name, query in ADDRESSES.items():
        taken, row = measured(client, address, name, query)
        every += taken
        rows.append(row)
    report("pages_list", "The list of a crawl's pages", rows)
    p95 = statistics.quantiles(every, n=20)[-1]
    summary = {"requests": len(every), "p95, ms": p95, "goal, ms": GOAL_MILLISECONDS}
    report("pages_list_p95", "Over all of them", [summary])


if __name__ == "__main__":
    main()
