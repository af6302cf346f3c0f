"""A web of a few hundred pages in which every page can be reached, for whole crawls.

Page n links to 2n + 1 and 2n + 2, so all are within reach of page 0, and to one at random. The
words of pages differ, so that no host is taken for one of near-duplicates.
"""

import asyncio
import random
import time
from collections import Counter
from dataclasses import dataclass, field

from focusadmin.lib.urls import web_url
from tests.sites.answers import answer
from tests.sites.web import LoopbackWeb, Visit

GOOD_WORDS = [
    "peloton", "sprint", "derailleur", "cassette", "saddle", "climb", "cyclist", "wheel", "spoke",
    "chain",
]  # fmt: skip
OTHER_WORDS = [
    "aria", "soprano", "libretto", "tenor", "overture", "orchestra", "quartet", "saxophone",
    "swing", "jazz",
]  # fmt: skip
NAMES = ("chain", "spoke", "saddle", "pedal")


@dataclass
class Site:
    """One host: answers its pages after a short while, 404 for the rest.

    Who sets `seconds` to 0 lets those go that wait.
    """

    pages: dict[str, bytes] = field(default_factory=dict)
    seconds: float = 0.005
    redirects: dict[str, str] = field(default_factory=dict)

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        if visit.target in self.redirects:
            location = ("Location", self.redirects[visit.target])
            writer.write(answer(status=302, headers=[location]))
            return True
        body = self.pages.get(visit.target)
        began = time.monotonic()
        # Not an event: `seconds` is set by another thread.
        while body is not None and time.monotonic() < began + self.seconds:  # noqa: ASYNC110
            await asyncio.sleep(min(self.seconds, 0.02))
        writer.write(answer(body or b"none", status=404 if body is None else 200))
        return True


@dataclass
class SmallWeb:
    """Pages spread over a few hosts, and what visitors asked for."""

    web: LoopbackWeb
    hosts: tuple[str, ...]
    urls: list[str]
    sites: dict[str, Site]

    @classmethod
    def built(
        cls,
        web: LoopbackWeb,
        pages: int = 120,
        hosts: tuple[str, ...] = tuple(f"{name}.localhost" for name in NAMES),
        *,
        seconds: float = 0.005,
        good_share: float = 1.0,
    ) -> "SmallWeb":
        sites = {host: Site(seconds=seconds) for host in hosts}
        for host, site in sites.items():
            literal = host if host.startswith("127.") else "127.0.0.1"
            web.add(host, site, literal)
        urls = [web.url(hosts[n % len(hosts)], f"/p/{n}") for n in range(pages)]
        for number in range(pages):
            site = sites[hosts[number % len(hosts)]]
            site.pages[f"/p/{number}"] = page_body(number, urls, good_share)
        return cls(web, hosts, urls, sites)

    def set_seconds(self, seconds: float) -> None:
        for site in self.sites.values():
            site.seconds = seconds

    def url_of(self, host: str, path: str) -> str:
        return self.web.url(host, path)

    def asked(self, since: int = 0) -> list[str]:
        """The pages that were asked for, in order, robots.txt left out."""
        return [
            self.web.url(visit.host, visit.target)
            for visit in self.web.visits[since:]
            if visit.host in self.sites and visit.target != "/robots.txt"
        ]

    def asked_twice(self, since: int = 0) -> list[str]:
        return [url for url, times in Counter(self.asked(since)).items() if times > 1]


def page_body(number: int, urls: list[str], good_share: float = 1.0) -> bytes:
    dice = random.Random(number)
    words = GOOD_WORDS if dice.random() < good_share else OTHER_WORDS
    own = [f"{dice.choice(words)} word{dice.randrange(10_000)}" for _ in range(60)]
    targets = [2 * number + 1, 2 * number + 2, dice.randrange(len(urls))]
    links = " ".join(
        f'<a href="{urls[target]}">{dice.choice(words)} {target}</a> {dice.choice(words)}'
        for target in targets
        if target < len(urls)
    )
    text = " ".join(own)
    return f"<!doctype html><title>Page {number}</title><p>{text}</p><p>{links}</p>".encode()


def host_of_url(url: str) -> str:
    parts = web_url(url)
    assert parts is not None
    return parts.host
