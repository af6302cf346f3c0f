"""Does the monitor forget what it no longer shows? The heap of a browser over an hour of pages.

The page and its script are the product's; only the websocket's other end is played here, so that an
hour at 50 pages a second (180,000 in 14,400 batches) goes by as fast as the page can take it. The
page's timers run faster as well, so that it draws about as often. The heap is read after a forced
garbage collection. Goal: under 50 MB more after an hour.
"""

import argparse
import json
import math
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "focusadmin.settings")
os.environ["FOCUSADMIN_DATA_DIR"] = tempfile.mkdtemp(prefix="focusadmin-bench-")
os.environ["FOCUSADMIN_LOG_LEVEL"] = "ERROR"

import django

django.setup()

from django.conf import settings
from django.test import Client
from playwright.sync_api import Page, WebSocketRoute, sync_playwright

from benchmarks.frontier_crawl import new_ledger
from benchmarks.report import report
from benchmarks.serving import daphne
from crawler.models import Crawl
from crawler.selectors.figures import live_state
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed
from tests.crawl_rows import commit_pages
from tests.product import free_port

HOUR_POINTS, BATCH_POINTS, STATE_EVERY = 180_000, 12.5, 4  # 50 a second, four batches a second
OPENING_PAGES = 5_000  # as many as the chart holds, so that nothing but leaks can grow
FASTER = 8  # the timers of the page
AHEAD = 8  # batches, as our server would
MEASURES = 8
FAST_TIMERS = f"""
  const original = window.setTimeout;
  window.setTimeout = (call, delay, ...rest) => original(call, (delay ?? 0) / {FASTER}, ...rest);
"""
COUNT_DRAWINGS = """
  () => {
    const { react } = window.Plotly;
    window.drawings = 0;
    window.Plotly.react = (...all) => { window.drawings += 1; return react(...all); };
  }
"""


class Server:
    """The other end of the websocket."""

    def __init__(self, page: Page, crawl_id: int, seq: int, state: dict[str, object]) -> None:
        self.page, self.seq, self.seen, self.state = page, seq, seq, state
        self.socket: WebSocketRoute | None = None
        self.batches = 0
        page.route_web_socket(f"**/ws/crawls/{crawl_id}/**", self._opened)

    def _opened(self, socket: WebSocketRoute) -> None:
        self.socket = socket
        socket.on_message(self._heard)

    def _heard(self, message: str | bytes) -> None:
        self.seen = json.loads(message)["seen"]

    def send(self, points: int) -> None:
        """So many pages, no faster than they are taken in."""
        assert self.socket is not None
        until = self.seq + points
        while self.seq < until:
            self.batches += 1
            count = math.floor(BATCH_POINTS * self.batches) - math.floor(
                BATCH_POINTS * (self.batches - 1)
            )
            self.socket.send(json.dumps(self._points(count)))
            if self.batches % STATE_EVERY == 0:
                self.socket.send(json.dumps({**self.state, "type": "state", "seq": self.seq}))
            while self.seq - self.seen > AHEAD * BATCH_POINTS:
                self.page.wait_for_timeout(5)

    def _points(self, count: int) -> dict[str, object]:
        numbers = range(self.seq + 1, self.seq + count + 1)
        self.seq += count
        points = [_point(number) for number in numbers]
        return {"type": "points", "points": points, "average": [0.5] * count, "window": 100}


def _point(seq: int) -> dict[str, object]:
    is_read = seq % 10 > 0
    host = f"host{seq % 5000}.example"
    return {
        "seq": seq, "t": 1_760_000_000.0 + seq / 50, "url": f"https://www.{host}/page-{seq}",
        "title": f"A page about hills and valleys {seq}", "site": host, "status": 200,
        "relevance": round((seq * 7919 % 1000) / 1000, 4) if is_read else None,
        "topic": "/Recreation/Outdoors/Hiking", "outcome": "ok" if is_read else "status_404",
        "kind": "page" if is_read else "error",
    }  # fmt: skip


def measured(page: Page, server: Server, points: int) -> Iterator[dict[str, object]]:
    session = page.context.new_cdp_session(page)
    began, first, opened_at = time.monotonic(), 0.0, server.seq
    for part in range(MEASURES + 1):
        if part:
            server.send(points // MEASURES)
            page.wait_for_timeout(300)
        session.send("HeapProfiler.collectGarbage")
        heap = session.send("Runtime.getHeapUsage")["usedSize"] / 1024**2
        first = heap if part == 0 else first
        sent = server.seq - opened_at
        yield {
            "points": sent,
            "seconds": time.monotonic() - began,
            "drawings": page.evaluate("window.drawings"),
            "heap, MB": heap,
            "more, MB": heap - first,
            "MB / 10,000 points": (heap - first) / sent * 10_000 if sent else 0.0,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--points", type=int, default=HOUR_POINTS, help="180,000 are an hour")
    options = parser.parse_args()
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("Chromium is not installed (on Debian: apt install chromium).")
    crawl = Crawl.objects.get(pk=new_ledger().crawl_id)
    for _ in range(OPENING_PAGES // 500):
        commit_pages(crawl, [0.5] * 500)
    state = live_state(crawl)
    collect_static_if_changed()
    client, name, port = Client(), settings.SESSION_COOKIE_NAME, free_port()
    client.force_login(first_user_ensure())
    base = f"http://127.0.0.1:{port}"
    cookie = client.cookies[name].value
    with daphne(port), sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu"]
        )
        context = browser.new_context(base_url=base, reduced_motion="reduce")
        context.add_cookies([{"name": name, "value": cookie, "url": base}])
        page = context.new_page()
        page.set_default_timeout(180_000)
        page.add_init_script(FAST_TIMERS)
        server = Server(page, crawl.pk, crawl.seq, state)
        page.goto(f"/crawls/{crawl.pk}/?show=all")
        page.locator("[data-monitor][data-ready]").wait_for()
        page.evaluate(COUNT_DRAWINGS)
        server.send(2_000)  # everything is compiled, and the arrays have their size
        rows = list(measured(page, server, options.points))
        browser.close()
    report("heap", "The monitor's heap while pages come in", rows)


if __name__ == "__main__":
    main()
