"""A crawl beside bad hosts: honest pages arrive, bad ones have an outcome, memory is bounded."""

import asyncio
import time
from dataclasses import dataclass
from pathlib import Path

import pytest

from crawler.core.config import CrawlConfig
from crawler.models import FrontierUrl, Page
from crawler.services import crawls as services
from tests.crawl.engines import PATIENCE_SECONDS, wait_for_pages
from tests.crawl.ledger_checks import assert_consistent, committed_urls
from tests.crawl.small_web import GOOD_WORDS, SmallWeb, host_of_url
from tests.product import wait_for
from tests.sites.answers import answer, head
from tests.sites.behaviours import (
    Bomb,
    Drips,
    Endless,
    HeaderFlood,
    Raw,
    Redirects,
    Resets,
    Says,
    Sequence,
    Silent,
)
from tests.sites.bombs import html_bombs
from tests.sites.web import Behaviour, LoopbackWeb, Visit

pytestmark = pytest.mark.process

MEMORY_MB = 600
SITE_CAP = 25
CONCURRENCY = 32
RETRIED = "waits for another try"
BAD: dict[str, tuple[Behaviour, set[str]]] = {
    "silent": (Silent(), {RETRIED}),
    "drips": (Drips(head(), b"x"), {RETRIED}),
    "half-headers": (Drips(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), {RETRIED, "headers_too_large"}),
    "resets": (Resets(), {RETRIED}),
    "endless": (Endless(), {"too_large"}),
    "bomb": (Bomb(), {"bomb", "too_large"}),
    "double-bomb": (Bomb(is_double=True), {"unknown_encoding"}),
    "flood": (HeaderFlood(5_000), {"headers_too_large", "broken_protocol"}),
    "babble": (Raw(b"\x00\x01\x02 no HTTP at all\r\n\r\n"), {"broken_protocol"}),
    "circle": (Redirects("/"), {"redirect_loop"}),
    "long-way": (Redirects("/{n}"), {"too_many_redirects"}),
    "inwards": (Redirects("http://10.0.0.1/"), {"redirect_declined", "forbidden_address"}),
    "picture": (Says(b"\x89PNG", content_type="image/png"), {"wrong_type"}),
    "gone": (Says(b"gone", status=410), {"status_410"}),
    "deep": (Says(html_bombs()["deep"]), {"ok"}),
    "options": (Says(html_bombs()["options"]), {"ok"}),
    "overloaded": (Says(status=503, headers=(("Retry-After", "3600"),)), {RETRIED}),
}


@dataclass
class OpenDoor:
    """No robots.txt, so that the bad page itself is met."""

    behaviour: Behaviour

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        if visit.target == "/robots.txt":
            writer.write(answer(b"none", status=404))
            return True
        return await self.behaviour.answer(visit, writer)


def test_honest_pages_all_arrive_beside_hostile_hosts(engines, new_crawl, web):
    small_web = SmallWeb.built(web, pages=80)
    bad = {name: web.add(f"{name}.localhost", OpenDoor(does)) for name, (does, _) in BAD.items()}
    shy = Sequence([Says(status=429, headers=(("Retry-After", "1"),)), Says(page("shy"))])
    shy_url = web.add("shy.localhost", OpenDoor(shy))
    trap_url = web.add("trap.localhost", OpenDoor(Calendar(web)))
    caps = {"max_pages_per_site": SITE_CAP}
    crawl = new_crawl(
        small_web.urls[0], *bad.values(), shy_url, trap_url, caps=caps, concurrency=CONCURRENCY
    )
    engine = engines.start(crawl)

    def missing() -> set[str]:
        numbers = list(Page.objects.filter(crawl=crawl).values_list("number", flat=True))
        rows = dict(FrontierUrl.objects.filter(crawl=crawl).values_list("number", "url"))
        met = {rows[number] for number in numbers}
        quick = {url for name, url in bad.items() if RETRIED not in BAD[name][1]}
        return {*small_web.urls, *quick, shy_url} - met

    wait_for(lambda: not missing(), seconds=PATIENCE_SECONDS, what="all honest and quick pages")
    peak_mb = peak_memory_mb(engine.pid)
    services.crawl_stop(crawl=crawl)
    assert engine.wait(PATIENCE_SECONDS) == 0, engines.said()
    assert_consistent(crawl)
    assert set(small_web.urls) | {shy_url} <= committed_urls(crawl)
    met = outcomes_of(crawl, bad)
    assert {name: outcome for name, outcome in met.items() if outcome not in BAD[name][1]} == {}
    trapped = Page.objects.filter(crawl=crawl, site="trap.localhost", outcome="ok").count()
    assert trapped <= SITE_CAP + CONCURRENCY  # those that were under way when it was reached
    assert peak_mb < MEMORY_MB


def outcomes_of(crawl, bad: dict[str, str]) -> dict[str, str]:
    """Of each bad host's front page; RETRIED where another try is due."""
    rows = {row.url: row for row in FrontierUrl.objects.filter(crawl=crawl)}
    outcomes = dict(Page.objects.filter(crawl=crawl).values_list("number", "outcome"))
    return {name: outcomes.get(rows[url].number, RETRIED) for name, url in bad.items()}


def page(words: str) -> bytes:
    return f"<title>{words}</title>{' '.join(GOOD_WORDS)} {words}".encode()


@dataclass
class Calendar:
    """Pages without end, each with links to three more."""

    web: LoopbackWeb

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        day = int(visit.target.strip("/").rpartition("-")[2] or 0)
        links = "".join(f'<a href="/day-{3 * day + n}">chain {n}</a>' for n in (1, 2, 3))
        writer.write(answer(page(f"day {day} word{day * 7919}") + links.encode()))
        return True


def peak_memory_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text(encoding="ascii")
    line = next(line for line in status.splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) / 1024


def test_an_excluded_host_is_left_alone_within_seconds(in_process, new_crawl, web):
    small_web = SmallWeb.built(web, pages=300, seconds=0.1)
    away = small_web.hosts[2]
    crawl = new_crawl(small_web.urls[0], concurrency=4)
    with in_process(crawl):
        wait_for_pages(crawl, 12)
        config = CrawlConfig.from_json(crawl.config)
        changed = services.config_with(config, {"exclusions": [away]})
        services.crawl_change(crawl=crawl, config=changed)
        at = time.monotonic()
    assert (crawl.state, crawl.reason) == ("finished", "frontier empty")
    late = [visit for visit in web.visits_of(away) if visit.at > at + 5.0]
    assert late == []
    assert any(visit.at > at + 5.0 for visit in web.visits), "the crawl went on for long enough"
    assert away in {host_of_url(url) for url in small_web.asked()}
