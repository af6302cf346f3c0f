"""How long the list of a crawl's sites takes: 100,000 pages on 10,000 sites, a million URLs wait.

Sites have from one to some hundred pages; a hundredth of them are decided. Measured are the lists
by every order and filter, the first screenfuls one behind the other, and the count beside them;
CPU time is told, too, since a busy machine makes the other one long.
"""

import html
import os
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-bench-")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.db import connection
from django.test import Client
from django.utils import timezone

from benchmarks.frontier_crawl import new_ledger
from benchmarks.report import report
from crawler.models import Crawl, CrawlSite, SiteDecision
from crawler.services.sitecounts import sites_count
from focusadmin.accounts.models import User
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed

PAGES = int(os.environ.get("PAGES", "100000"))
SITES = int(os.environ.get("SITES", "10000"))
URLS = int(os.environ.get("URLS", "1000000"))
ROUNDS = 12
GOAL_MILLISECONDS = 300.0
_NEXT = re.compile(r'href="\?([^"]*)"\s+rel="next"')
_NUMBERS = (
    "WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < %s)"
)
# The square of the place makes a few sites large and most of them small.
_HOST = "(CAST({n} * 7919 %% 100003 AS BIGINT) * (n * 7919 %% 100003) * %s / 10000600009)"
_PAGES = f"""{_NUMBERS}
INSERT INTO crawler_page (crawl_id, seq, number, url_key, url, host, site, outcome, detail, status,
  title, language, relevance, priority_relevance, topic, topic_probability, is_on_topic,
  content_similarity, depth, size_bytes, fetched_at)
SELECT %s, n, n, n, 'https://host' || {_HOST.format(n="n")} || '.example/' || n,
  {_HOST.format(n="n")}, 'host' || {_HOST.format(n="n")} || '.example',
  CASE WHEN n %% 12 = 0 THEN 'status_404' ELSE 'ok' END, '', 200, 'Page ' || n, 'en',
  CASE WHEN n %% 12 = 0 THEN NULL ELSE (n * 31 %% 10007) / 10007.0 END, NULL,
  '/Recreation/Cycling', 0.9, 1, 0.0, 3, 15000, 1760000000.0 + n / 50.0
FROM numbers
"""
_URLS = f"""{_NUMBERS}
INSERT INTO crawler_frontierurl (crawl_id, number, url_key, url, host, state, priority, tries,
  depth, not_before, found_on)
SELECT %s, n, n, 'https://host' || (n * 31 %% %s) || '.example/section/page-' || n, n * 31 %% %s,
  CASE WHEN n <= %s THEN 1 ELSE 0 END, 0.5, 0, 3, 0.0, n %% %s
FROM numbers
"""
_HOSTS = f"""{_NUMBERS}
INSERT INTO crawler_crawlhost (crawl_id, number, host, site, address, not_before, pages,
  relevance_sum, failures, robots_note, robots_denied, requests, first_asked, last_asked,
  last_error, last_error_at)
SELECT %s, n - 1, 'host' || (n - 1) || '.example', 'host' || (n - 1) || '.example', '', 0.0, 9,
  4.0, 0, 'status 200', CASE WHEN n %% 50 = 0 THEN 3 ELSE 0 END, 10, 0.0, 0.0, '', 0.0
FROM numbers
"""
ADDRESSES = {
    "by density": "",
    "by prediction": "sort=predicted",
    "by pages": "sort=pages",
    "by waiting URLs": "sort=waiting",
    "to decide": "state=new&sort=predicted",
    "out": "state=out",
    "refused": "refused=1",
    "part of a name": "q=host12",
    "rare name": "q=host1234.",
    "no such name": "q=nowhere",
}


def filled() -> Crawl:
    crawl_id = new_ledger().crawl_id
    with connection.cursor() as cursor:
        cursor.execute(_PAGES, [PAGES, crawl_id, SITES, SITES, SITES])
        cursor.execute(_URLS, [URLS, crawl_id, SITES, SITES, PAGES, PAGES])
        cursor.execute(_HOSTS, [SITES, crawl_id])
    Crawl.objects.filter(pk=crawl_id).update(
        seq=PAGES, fetched=PAGES, relevance_sum=PAGES / 2, frontier_size=URLS - PAGES
    )
    return Crawl.objects.get(pk=crawl_id)


def decide(crawl: Crawl, user: User) -> None:
    sites = CrawlSite.objects.filter(crawl=crawl).order_by("id")
    for number, site in enumerate(sites[: SITES // 100]):
        value = ("in", "out", "undecided")[number % 3]
        SiteDecision.objects.create(
            crawl=crawl, site=site.site, value=value, by=user, at=timezone.now()
        )
        CrawlSite.objects.filter(pk=site.pk).update(state=value)


def measured(client: Client, address: str, query: str) -> tuple[list[float], list[float], int]:
    """The first screenfuls, one behind the other: time, CPU time, and the most sites shown."""
    taken, worked, shown, more = [], [], 0, query
    for _ in range(ROUNDS):
        began, began_work = time.perf_counter(), time.process_time()
        answer = client.get(f"{address}?{more}")
        taken.append((time.perf_counter() - began) * 1000)
        worked.append((time.process_time() - began_work) * 1000)
        assert answer.status_code == 200
        content = answer.content.decode()
        shown = max(shown, content.count('class="sites__what"'))
        following = _NEXT.search(content)
        more = html.unescape(following[1]) if following else query
    return taken, worked, shown


def main() -> None:
    crawl = filled()
    began = time.perf_counter()
    sites_count(crawl=crawl)
    counted = time.perf_counter() - began
    began = time.perf_counter()
    sites_count(crawl=crawl)
    again = time.perf_counter() - began
    collect_static_if_changed()
    client = Client(HTTP_HOST="localhost")
    user = first_user_ensure()
    decide(crawl, user)
    client.force_login(user)
    address = f"/crawls/{crawl.pk}/sites/"
    client.get(address)
    every, every_work, rows = [], [], []
    for name, query in ADDRESSES.items():
        taken, worked, shown = measured(client, address, query)
        every += taken
        every_work += worked
        rows.append(
            {
                "list": name,
                "median, ms": statistics.median(taken),
                "slowest, ms": max(taken),
                "median CPU, ms": statistics.median(worked),
                "sites shown": shown,
            }
        )
    report("sites", f"The list of {SITES:,} sites of {PAGES:,} pages", rows)
    p95 = statistics.quantiles(every, n=20)[-1]
    summary = {
        "requests": len(every),
        "p95, ms": p95,
        "p95 CPU, ms": statistics.quantiles(every_work, n=20)[-1],
        "goal, ms": GOAL_MILLISECONDS,
    }
    report("sites_p95", "Over all of them", [summary])
    counts = {"URLs": URLS, "first count, s": counted, "count again, s": again}
    report("sites_count", "Counting the sites in the background", [counts])


if __name__ == "__main__":
    main()
