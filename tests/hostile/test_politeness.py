"""A whole crawl as the servers saw it: their access log says how polite we were."""

import asyncio
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path

import pytest

from crawler.core.events import End
from tests.hostile.crawling import crawl
from tests.sites.answers import answer
from tests.sites.web import LoopbackWeb, Visit

DELAY = 0.25
SLOW = 0.7  # what one host asks for in its robots.txt
REST = 2.0  # what another asks for with a 429
PAGES = 4


@dataclass
class Site:
    """A front page with links to its pages; robots.txt with a delay; the odd 429 and redirect."""

    crawl_delay: float = 0.0
    rests_after: int = 0  # the request that is answered with 429
    redirects: Mapping[str, str] = field(default_factory=dict)
    asked: int = 0

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        self.asked += 1
        writer.write(self._answer(visit))
        return True

    def _answer(self, visit: Visit) -> bytes:
        if self.asked == self.rests_after:
            return answer(b"", status=429, headers=[("Retry-After", f"{REST:g}")])
        if visit.target == "/robots.txt":
            rules = f"User-agent: *\nCrawl-delay: {self.crawl_delay}\n" if self.crawl_delay else ""
            return answer(rules.encode(), content_type="text/plain")
        if visit.target in self.redirects:
            location = self.redirects[visit.target]
            return answer(b"", status=302, headers=[("Location", location)])
        links = "".join(f"<a href=/{number}>racket serve</a> " for number in range(PAGES))
        return answer(f"<title>{visit.target}</title><p>racket serve volley {links}".encode())


@pytest.fixture(scope="module")
def log(web: LoopbackWeb, setup_file: Path) -> list[Visit]:
    """One crawl of six hosts on four addresses; three of them share one."""
    sites = {
        "plain.polite.test": ("127.60.0.1", Site()),
        "alias.polite.test": ("127.60.0.1", Site()),
        "third.polite.test": ("127.60.0.1", Site()),
        "slow.polite.test": ("127.60.0.2", Site(crawl_delay=SLOW)),
        "tired.polite.test": ("127.60.0.3", Site(rests_after=4)),
        "moved.polite.test": (
            "127.60.0.4",
            Site(redirects={"/1": "/new", "/2": web.url("plain.polite.test", "/new")}),
        ),
    }
    before = len(web.visits)
    starts = [web.add(name, site, address) for name, (address, site) in sites.items()]
    ending, _ = asyncio.run(crawl(web, setup_file, starts, DELAY))
    assert ending.end is End.FINISHED
    return web.visits[before:]


def pauses(visits: list[Visit]) -> list[float]:
    return [later.at - earlier.at for earlier, later in pairwise(visits)]


def assert_paced(visits: list[Visit], delay: float) -> None:
    """The mean tells it exactly; single pauses shrink when an arrival is noticed late."""
    assert visits[-1].at - visits[0].at >= (len(visits) - 1) * delay - delay / 2
    assert min(pauses(visits)) >= delay / 2


def test_every_page_was_asked_for_once(log: list[Visit]):
    asked = Counter((visit.host, visit.target) for visit in log)
    assert len({host for host, _ in asked}) == 6
    assert set(asked.values()) <= {1, 2}
    assert sum(count == 2 for count in asked.values()) <= 2  # after the 429; by link and redirect
    assert len(asked) > 6 * (PAGES + 1)


@pytest.mark.parametrize(
    ("host", "delay"),
    [
        ("plain.polite.test", DELAY),
        ("alias.polite.test", DELAY),
        ("tired.polite.test", DELAY),
        ("moved.polite.test", DELAY),
        ("slow.polite.test", SLOW),
    ],
)
def test_a_host_has_its_pause_between_all_requests(log: list[Visit], host: str, delay: float):
    assert_paced([visit for visit in log if visit.host == host], delay)


def test_hosts_that_share_an_address_share_its_pace(log: list[Visit]):
    assert_paced([visit for visit in log if visit.address == "127.60.0.1"], DELAY)


def test_a_host_that_asks_for_rest_gets_it_while_others_are_visited(log: list[Visit]):
    tired = [visit for visit in log if visit.host == "tired.polite.test"]
    refused, asked_again = tired[3], tired[4]
    assert asked_again.at - refused.at >= REST - DELAY / 2
    assert [v for v in log if v.host != refused.host and refused.at < v.at < asked_again.at]
