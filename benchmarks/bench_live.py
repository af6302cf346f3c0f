"""A hundred people watch a crawl of 50 pages a second: how late, at what cost, and who suffers.

One Daphne serves them; pages are committed from here, 20 at a time, as an engine does. Latency is
from the end of the commit to the frame in the client. Ordinary pages are asked for meanwhile, and
before, when nobody watches.
"""

import asyncio
import json
import os
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

import aiohttp
from django.conf import settings
from django.db import connections
from django.test import Client

from benchmarks.frontier_crawl import new_ledger
from benchmarks.report import report
from benchmarks.serving import daphne
from crawler.models import Crawl
from focusadmin.accounts.models import Membership, User
from focusadmin.accounts.services import first_user_ensure
from focusadmin.static_build import collect_static_if_changed
from tests.crawl_rows import commit_pages
from tests.product import free_port

PAGES_A_COMMIT, COMMITS_A_SECOND, SECONDS = 20, 2.5, 20.0
VIEWERS, PEOPLE = (0, 1, 10, 100), 10
ORDINARY_EVERY = 0.2
TICKS = os.sysconf("SC_CLK_TCK")


def cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


class Show:
    """One run with so many viewers."""

    def __init__(self, base: str, cookies: list[str], crawl: Crawl) -> None:
        crawl.refresh_from_db()  # here, where no event loop runs yet
        self.base, self.crawl, self.first = base, crawl, crawl.seq
        self.headers = [{"Cookie": cookie, "Origin": base} for cookie in cookies]
        self.committed: dict[int, float] = {}
        self.arrived: list[tuple[int, float]] = []
        self.pages: list[float] = []
        self.received = 0

    async def run(self, viewers: int) -> None:
        # Without a limit: a hundred viewers would keep the visitor from ever asking.
        connector = aiohttp.TCPConnector(limit=0)
        async with aiohttp.ClientSession(connector=connector) as session:
            tasks = [
                asyncio.create_task(self._view(session, self.first, number))
                for number in range(viewers)
            ]
            tasks.append(asyncio.create_task(self._visit(session)))
            await asyncio.sleep(2.0)
            self.pages.clear()
            await asyncio.to_thread(self._crawl)
            await asyncio.sleep(2.0)
            for task in tasks:
                task.cancel()
            for outcome in await asyncio.gather(*tasks, return_exceptions=True):
                if isinstance(outcome, Exception):  # a viewer or a visitor that broke off
                    raise outcome

    def _crawl(self) -> None:
        started = time.monotonic()
        try:
            for number in range(int(SECONDS * COMMITS_A_SECOND)):
                time.sleep(max(0.0, started + number / COMMITS_A_SECOND - time.monotonic()))
                commit_pages(
                    self.crawl, [0.5] * PAGES_A_COMMIT, title="A page about " + "hills " * 9
                )
                self.committed[self.crawl.seq] = time.monotonic()
        finally:
            connections.close_all()

    async def _view(self, session: aiohttp.ClientSession, after: int, number: int) -> None:
        address = f"{self.base}/ws/crawls/{self.crawl.pk}/?after={after}"
        headers = self.headers[number % PEOPLE]
        async with session.ws_connect(address, headers=headers) as socket:
            async for message in socket:
                if '"points"' not in message.data[:20]:
                    continue
                now, frame = time.monotonic(), json.loads(message.data)
                seqs = [point["seq"] for point in frame["points"]]
                self.received += len(seqs)
                await socket.send_str(f'{{"seen":{seqs[-1]}}}')
                self.arrived += [(seq, now) for seq in seqs]

    @property
    def late(self) -> list[float]:
        """Of the last page of each commit. A frame may be faster than our look at the clock."""
        committed = self.committed
        return [max(0.0, at - committed[seq]) for seq, at in self.arrived if seq in committed]

    async def _visit(self, session: aiohttp.ClientSession) -> None:
        while True:
            began = time.monotonic()
            async with session.get(f"{self.base}/crawls/", headers=self.headers[0]) as answer:
                assert answer.status == 200
                await answer.read()
            self.pages.append(time.monotonic() - began)
            await asyncio.sleep(ORDINARY_EVERY)


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[int(share * (len(values) - 1))] * 1000 if values else float("nan")


def cookie_of(number: int) -> str:
    """Of a person in the team; each has connections to spare."""
    user = User.objects.create_user(f"viewer-{number}")
    team = first_user_ensure().memberships.get().team
    Membership.objects.create(user=user, team=team, role="viewer")
    client = Client()
    client.force_login(user)
    return f"{settings.SESSION_COOKIE_NAME}={client.cookies[settings.SESSION_COOKIE_NAME].value}"


def main() -> None:
    crawl = Crawl.objects.get(pk=new_ledger().crawl_id)
    collect_static_if_changed()
    cookies = [cookie_of(number) for number in range(PEOPLE)]
    port, rows = free_port(), []
    with daphne(port) as pid:
        for viewers in VIEWERS:
            show = Show(f"http://127.0.0.1:{port}", cookies, crawl)
            used = cpu_seconds(pid)
            asyncio.run(show.run(viewers))
            used = cpu_seconds(pid) - used
            rows.append(
                {
                    "viewers": viewers,
                    "points received a second": show.received / SECONDS,
                    "commit to frame p50, ms": percentile(show.late, 0.5),
                    "p95, ms": percentile(show.late, 0.95),
                    "Daphne, cores": used / (SECONDS + 4.0),
                    "other pages p50, ms": statistics.median(show.pages) * 1000,
                    "p95 of them, ms": percentile(show.pages, 0.95),
                }
            )
    report("live", "Watching a crawl of 50 pages a second", rows)


if __name__ == "__main__":
    main()
