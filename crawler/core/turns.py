"""Turns for requests that are no leases: sitemaps, and what redirects lead to."""

import asyncio

from crawler.core.config import CrawlConfig
from crawler.core.hosts import Host
from crawler.core.workingset import Frontier
from focusadmin.lib.clock import Clock
from focusadmin.lib.http import Fetcher, HopCheck
from focusadmin.lib.limits import PAGE_LIMITS, Limits
from focusadmin.lib.outcomes import Outcome
from focusadmin.lib.robots import RobotsCache

LONGEST_NAP_SECONDS = 1.0
BUSY_NAP_SECONDS = 0.05


class PacedFetcher:
    """Waits for a host's turn before each request to it, as leases do."""

    def __init__(self, fetcher: Fetcher, frontier: Frontier, clock: Clock) -> None:
        self._fetcher, self._frontier, self._clock = fetcher, frontier, clock

    async def fetch(
        self, url: str, *, limits: Limits = PAGE_LIMITS, hop_check: HopCheck | None = None
    ) -> Outcome:
        hosts = self._frontier.hosts
        host = hosts.of_url(url)
        await self._turn(host)
        now = self._clock.now()
        hosts.note_request(host, now)
        hosts.note_asked(host, now)
        try:
            return await self._fetcher.fetch(url, limits=limits, hop_check=hop_check)
        finally:
            self._frontier.note_end(host)

    async def _turn(self, host: Host) -> None:
        while True:
            now = self._clock.now()
            free_at = self._frontier.hosts.free_at(host, now)
            if free_at is not None and free_at <= now:
                return
            nap = BUSY_NAP_SECONDS if free_at is None else free_at - now
            await asyncio.sleep(min(nap, LONGEST_NAP_SECONDS))


class Hops:
    """Whether a redirect may be followed, and when: its target is a request like any other."""

    def __init__(
        self, config: CrawlConfig, frontier: Frontier, robots: RobotsCache, clock: Clock
    ) -> None:
        self._config, self._frontier = config, frontier
        self._robots, self._clock = robots, clock

    def note_asked(self, host: Host) -> None:
        """A request of a lease, which has had its turn already."""
        self._frontier.hosts.note_asked(host, self._clock.now())

    async def may_visit(self, target: str) -> bool:
        if self._config.is_excluded(target):
            return False
        rules = self._robots.known(target)
        if rules is None:
            await self._pause(target)
            rules = await self._robots.for_url(target)
        if not rules.may_visit(target):
            return False
        await self._pause(target)
        return True

    async def _pause(self, target: str) -> None:
        """The host may be the very one that sent us on: so only its pace counts."""
        hosts = self._frontier.hosts
        host = hosts.of_url(target)
        while True:
            wait = hosts.wait_seconds(host, self._clock.now())
            if wait <= 0:
                break
            await asyncio.sleep(wait)  # others may be faster then
        hosts.note_asked(host, self._clock.now())
