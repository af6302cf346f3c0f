"""Many bad servers at once: memory stays bounded, and the good ones are served meanwhile."""

import asyncio
import gc
from dataclasses import replace
from pathlib import Path

from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.limits import PAGE_LIMITS
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome
from tests.hostile.fetching import with_fetcher
from tests.sites.answers import head
from tests.sites.behaviours import Bomb, Drips, Endless, HeaderFlood, Pages, Silent
from tests.sites.web import Behaviour, LoopbackWeb

LIMITS = replace(
    PAGE_LIMITS,
    total_seconds=3.0,
    connect_seconds=1.0,
    first_byte_seconds=1.0,
    rate_window_seconds=1.0,
    max_raw_bytes=500_000,
    max_body_bytes=1_000_000,
)


def resident_bytes() -> int:
    status = Path("/proc/self/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith("VmRSS"))
    return int(line.split()[1]) * 1024


def test_two_hundred_bad_connections_do_not_stop_twenty_good_ones(web: LoopbackWeb):
    bad: dict[str, Behaviour] = {
        "crowd-silent.test": Silent(),
        "crowd-drip.test": Drips(head(), b"x"),
        "crowd-headers.test": Drips(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"),
        "crowd-bomb.test": Bomb(),
        "crowd-flood.test": HeaderFlood(5_000),
        "crowd-endless.test": Endless(piece=b"x" * 50_000),
    }
    for number, (name, behaviour) in enumerate(bad.items()):
        web.add(name, behaviour, f"127.50.0.{number + 1}")
    web.add("crowd-good.test", Pages(), "127.50.0.100")

    async def crowd(fetcher: HttpxFetcher) -> tuple[list[Outcome], list[Outcome]]:
        names = [name for name in bad for _ in range(34)]
        bad_ones = [
            asyncio.create_task(fetcher.fetch(web.url(name), limits=LIMITS)) for name in names
        ]
        await asyncio.sleep(0.2)
        good = [await fetcher.fetch(web.url("crowd-good.test")) for _ in range(20)]
        return await asyncio.gather(*bad_ones), good

    gc.collect()
    before = resident_bytes()
    bad_outcomes, good_outcomes = with_fetcher(web, crowd)
    assert all(isinstance(outcome, FetchFailure) for outcome in bad_outcomes)
    assert all(isinstance(outcome, FetchResult) for outcome in good_outcomes)
    assert resident_bytes() - before < 150 * 1024 * 1024  # the server's own memory included
