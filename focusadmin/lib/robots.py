"""robots.txt by RFC 9309: protego matches the rules; status codes, size and caching are ours.

| answer | meaning |
|---|---|
| 2xx | the rules in the first 500 KiB |
| more than five redirects, or a loop of them | no rules: everything may be visited |
| 4xx, but not 429 | no rules: everything may be visited |
| 429, 5xx, anything else, no answer at all | nothing may be visited; tried again later |

While a site does not answer, rules that are less than a day old stay in force.
"""

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from protego import Protego

from focusadmin.lib.clock import Clock, SystemClock
from focusadmin.lib.http import PRODUCT, Fetcher
from focusadmin.lib.limits import ROBOTS_LIMITS
from focusadmin.lib.outcomes import FetchFailure, Outcome, Reason
from focusadmin.lib.politeness import retry_after
from focusadmin.lib.urls import origin_of

MAX_RULE_BYTES = 500 * 1024
RULES_FRESH_SECONDS = 12 * 3600.0
RULES_LAST_SECONDS = 24 * 3600.0  # the RFC's limit; between the two, only while the site is down
RETRY_SECONDS = 600.0
NAME_RETRY_SECONDS = 30.0  # a name that is not known is most often a slip
MAX_SITEMAPS = 50
CACHED_CHARACTERS = 8_000_000  # of all rules; parsed, they take up to 20 times as many bytes
_NO_REDIRECT_ENDS = frozenset({Reason.TOO_MANY_REDIRECTS, Reason.REDIRECT_LOOP})


class Access(StrEnum):
    """What a robots.txt, or its absence, amounts to."""

    RULES = "rules"
    ALL = "all"
    NOTHING = "nothing"


@dataclass(frozen=True)
class Robots:
    """The rules of one origin, as they were at `fetched_at`. Can be stored and made again."""

    origin: str
    access: Access
    text: str
    fetched_at: float
    expires_at: float
    note: str  # for people: status or reason

    @cached_property
    def _rules(self) -> Protego:
        return Protego.parse(self.text if self.access is Access.RULES else "")

    def may_visit(self, url: str) -> bool:
        if self.access is not Access.RULES:
            return self.access is Access.ALL
        return bool(self._rules.can_fetch(url, PRODUCT))

    @property
    def crawl_delay_seconds(self) -> float | None:
        """What the site asks for, unbounded: see politeness.crawl_delay."""
        delay = self._rules.crawl_delay(PRODUCT)
        return None if delay is None else float(delay)

    @property
    def sitemaps(self) -> list[str]:
        return list(self._rules.sitemaps)[:MAX_SITEMAPS]


def robots_from(outcome: Outcome, origin: str, now: float) -> Robots:
    """What RFC 9309 makes of the answer to `origin`/robots.txt."""
    access, note = _access(outcome)
    text = _text(outcome) if access is Access.RULES else ""
    lasts = _retry_seconds(outcome, now) if access is Access.NOTHING else RULES_FRESH_SECONDS
    return Robots(origin, access, text, now, now + lasts, note)


def _retry_seconds(outcome: Outcome, now: float) -> float:
    if isinstance(outcome, FetchFailure):
        return NAME_RETRY_SECONDS if outcome.reason is Reason.NAME_NOT_FOUND else RETRY_SECONDS
    return max(RETRY_SECONDS, retry_after(outcome.headers, now=now) or 0.0)


def _access(outcome: Outcome) -> tuple[Access, str]:
    if isinstance(outcome, FetchFailure):
        no_end = outcome.reason in _NO_REDIRECT_ENDS
        return (Access.ALL if no_end else Access.NOTHING), outcome.reason.value
    if outcome.is_ok:
        return Access.RULES, f"status {outcome.status}"
    # 429 says "not now", which is no licence: it is treated like a server error.
    is_absent = 400 <= outcome.status < 500 and outcome.status != 429
    is_stray = outcome.status in {300, 301, 302, 303, 304, 307, 308}  # a redirect to nowhere
    return (Access.ALL if is_absent or is_stray else Access.NOTHING), f"status {outcome.status}"


def _text(outcome: Outcome) -> str:
    if isinstance(outcome, FetchFailure):
        return ""
    body = outcome.body[:MAX_RULE_BYTES]
    if len(outcome.body) > MAX_RULE_BYTES:
        body = body.rpartition(b"\n")[0]  # a rule cut in half could mean something else
    return body.decode("utf-8-sig", errors="replace").replace("\0", "")


class RobotsCache:
    """The rules of the origins that were asked lately; each is fetched once at a time."""

    def __init__(
        self, fetcher: Fetcher, *, clock: Clock | None = None, max_origins: int = 10_000
    ) -> None:
        self._fetcher, self._clock = fetcher, clock or SystemClock()
        self._max_origins = max_origins
        self._known: OrderedDict[str, Robots] = OrderedDict()
        self._characters = 0
        self._pending: dict[str, asyncio.Task[Robots]] = {}

    def remember(self, robots: Robots) -> None:
        """Put in what was stored before a restart, or what was just fetched."""
        self._forget(robots.origin)
        self._known[robots.origin] = robots
        self._characters += len(robots.text)
        while len(self._known) > self._max_origins or self._characters > CACHED_CHARACTERS:
            self._forget(next(iter(self._known)))

    def _forget(self, origin: str) -> None:
        gone = self._known.pop(origin, None)
        self._characters -= len(gone.text) if gone else 0

    def known(self, url: str) -> Robots | None:
        """The rules for `url`, if they are here and fresh."""
        found = self._known.get(origin_of(url))
        return found if found and found.expires_at > self._clock.now() else None

    async def for_url(self, url: str) -> Robots:
        """The rules for `url`, fetched when they are missing or old."""
        found = self.known(url)
        if found is not None:
            return found
        origin = origin_of(url)
        task = self._pending.get(origin)
        if task is None:
            task = self._pending[origin] = asyncio.create_task(self._renew(origin))
            task.add_done_callback(lambda _: self._pending.pop(origin, None))
        return await asyncio.shield(task)  # one waiter that gives up must not take it from others

    async def _renew(self, origin: str) -> Robots:
        outcome = await self._fetcher.fetch(f"{origin}/robots.txt", limits=ROBOTS_LIMITS)
        now = self._clock.now()
        fresh = robots_from(outcome, origin, now)
        self.remember(_stale_if_better(self._known.get(origin), fresh, now))
        return self._known[origin]


def _stale_if_better(old: Robots | None, fresh: Robots, now: float) -> Robots:
    if old is None or fresh.access is not Access.NOTHING or old.access is Access.NOTHING:
        return fresh
    if now - old.fetched_at > RULES_LAST_SECONDS:
        return fresh
    return replace(old, expires_at=min(fresh.expires_at, old.fetched_at + RULES_LAST_SECONDS))
