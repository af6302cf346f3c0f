"""Scrapy at its best on the same work: fetch, extract, store. Prints one line of JSON.

    python benchmarks/scrapy_spider.py START_URLS_FILE PAGES OUTPUT.sqlite3 [--stripped]

Tuned (Scrapy 2.19, Python 3.11), and still a crawler for the real web:

- links, title and text straight from lxml, one parse a page; no Selector, no LinkExtractor;
- addresses already met are dropped by a set before a Request is made; no fingerprints;
- addresses within the host are joined by hand, `urljoin` only for the unusual;
- uvloop; 16 requests at once, which did as well as 32 and better than 64 and 128;
- the plain priority queue; statistics, telnet, cookies, retries and logging off;
- rows in batches into SQLite (write-ahead log) through one item pipeline.

Stripped, on top of that, of what a crawl of the real web needs:

- every middleware and extension but robots.txt: redirects, compression, proxies, error pages;
- Scrapy's own aiohttp downloader without Twisted's reactor;
- Python's garbage collector runs far more rarely (FocusAdmin gains nothing from that).

Not done: a scheduler of our own that holds plain addresses. It saved about a tenth when tried, but
little of Scrapy is left then to compare with.
"""

import argparse
import gc
import json
import logging
import resource
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from lxml import etree  # type: ignore[import-untyped]
from scrapy import Request, Spider
from scrapy.crawler import AsyncCrawlerProcess
from scrapy.exceptions import CloseSpider
from scrapy.http import Response
from scrapy.settings import default_settings

ROWS_A_COMMIT = 200
GARBAGE_THRESHOLDS = (50_000, 20, 100)
SCHEMA = """
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;
CREATE TABLE page (id INTEGER PRIMARY KEY, url TEXT, title TEXT, text TEXT);
CREATE TABLE link (page INTEGER, url TEXT);
"""

Page = dict[str, Any]


class Meter:
    """Wall and CPU time from the first page to the last."""

    def __init__(self) -> None:
        self.pages = 0
        self.first = self.last = (0.0, 0.0)

    def count(self) -> int:
        self.last = (time.perf_counter(), time.process_time())
        if not self.pages:
            self.first = self.last
        self.pages += 1
        return self.pages

    def summary(self) -> dict[str, float]:
        (began, used), (ended, used_at_end) = self.first, self.last
        return {
            "pages": self.pages,
            "seconds": ended - began,
            "cpu_seconds": used_at_end - used,
            "rss_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        }


class Silence:
    """A log formatter without a word, so that no message is ever built."""

    def crawled(self, *_: object) -> None: ...

    scraped = dropped = item_error = spider_error = download_error = crawled


class RowsToSqlite:
    """The one pipeline: rows pile up and are written together."""

    def __init__(self, path: str) -> None:
        self.database = sqlite3.connect(path)
        self.database.executescript(SCHEMA)
        self.pages: list[tuple[int, str, str, str]] = []
        self.links: list[tuple[int, str]] = []
        self.stored = 0

    @classmethod
    def from_crawler(cls, crawler: Any) -> "RowsToSqlite":
        return cls(crawler.settings["OUTPUT"])

    def process_item(self, item: Page) -> Page:
        self.stored += 1
        self.pages.append((self.stored, item["url"], item["title"], item["text"]))
        self.links += [(self.stored, url) for url in item["links"]]
        if len(self.pages) >= ROWS_A_COMMIT:
            self.write()
        return item

    def close_spider(self) -> None:
        self.write()
        self.database.close()

    def write(self) -> None:
        with self.database:
            self.database.executemany("INSERT INTO page VALUES (?, ?, ?, ?)", self.pages)
            self.database.executemany("INSERT INTO link VALUES (?, ?)", self.links)
        self.pages, self.links = [], []


class BenchSpider(Spider):  # type: ignore[misc, unused-ignore]  # scrapy comes with make bench
    """Follows every link once until enough pages are stored."""

    name = "bench"
    limit: int
    meter: Meter

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.met = set(self.start_urls)
        self.parser = etree.HTMLParser(remove_comments=True, encoding="utf-8")

    def parse(self, response: Response) -> Iterator[Page | Request]:
        if self.meter.pages >= self.limit:
            return
        page = extracted(response.url, etree.fromstring(response.body, self.parser))
        is_last = self.meter.count() >= self.limit
        yield page
        if is_last:
            raise CloseSpider("enough pages")
        for url in page["links"]:
            if url not in self.met:
                self.met.add(url)
                yield Request(url, dont_filter=True)


def extracted(url: str, root: Any) -> Page:
    """Title, text without scripts and styles, and absolute links of a parsed page."""
    title = root.findtext(".//title") or ""
    hrefs = [href for a in root.iter("a") if (href := a.get("href"))]
    etree.strip_elements(root, "script", "style", with_tail=False)
    text = " ".join(etree.tostring(root, method="text", encoding="unicode").split())
    host = url[: url.find("/", 8)]
    links = [absolute(url, host, href) for href in hrefs]
    return {"url": url, "title": title, "text": text, "links": links}


def absolute(page_url: str, host: str, href: str) -> str:
    if href.startswith("/") and not href.startswith("//"):
        return host + href
    return href if href.startswith(("http://", "https://")) else urljoin(page_url, href)


def settings(chosen: argparse.Namespace) -> dict[str, Any]:
    return {
        "OUTPUT": chosen.output,
        "ITEM_PIPELINES": {RowsToSqlite: 1},
        "CONCURRENT_REQUESTS": chosen.concurrency,
        "CONCURRENT_REQUESTS_PER_DOMAIN": chosen.concurrency,
        "ASYNCIO_EVENT_LOOP": "uvloop.Loop",
        "TWISTED_REACTOR_ENABLED": not chosen.stripped,
        "ROBOTSTXT_OBEY": chosen.robots,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "TELNETCONSOLE_ENABLED": False,
        "DOWNLOADER_STATS": False,
        "STATS_CLASS": "scrapy.statscollectors.DummyStatsCollector",
        "DUPEFILTER_CLASS": "scrapy.dupefilters.BaseDupeFilter",
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.ScrapyPriorityQueue",
        "LOG_ENABLED": False,
        "LOG_FORMATTER": Silence,
        "WARN_ON_GENERATOR_RETURN_VALUE": False,
    } | (bare() if chosen.stripped else {})


def bare() -> dict[str, Any]:
    """Nothing around the engine but robots.txt, which does nothing unless it is obeyed."""
    downloading = dict.fromkeys(default_settings.DOWNLOADER_MIDDLEWARES_BASE)
    del downloading["scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"]
    return {
        "DOWNLOADER_MIDDLEWARES": downloading,
        "SPIDER_MIDDLEWARES": dict.fromkeys(default_settings.SPIDER_MIDDLEWARES_BASE),
        "EXTENSIONS": dict.fromkeys(default_settings.EXTENSIONS_BASE),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description="Crawl with Scrapy; print what it took.")
    parser.add_argument("start_urls", type=Path, help="a file, one address a line")
    parser.add_argument("pages", type=int)
    parser.add_argument("output", help="an SQLite file to be made")
    parser.add_argument("--concurrency", type=int, default=16)
    parser.add_argument("--robots", action="store_true", help="ask each host for robots.txt")
    parser.add_argument(
        "--stripped", action="store_true", help="no middlewares, no Twisted, less gc"
    )
    chosen = parser.parse_args()
    logging.disable(logging.CRITICAL)
    if chosen.stripped:
        gc.set_threshold(*GARBAGE_THRESHOLDS)
    meter = Meter()
    process = AsyncCrawlerProcess(settings(chosen))
    urls = chosen.start_urls.read_text(encoding="utf-8").split()
    process.crawl(BenchSpider, start_urls=urls, limit=chosen.pages, meter=meter)
    process.start()
    print(json.dumps(meter.summary()))


if __name__ == "__main__":
    main()
