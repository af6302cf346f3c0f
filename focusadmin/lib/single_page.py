"""Pages on a person's request: robots.txt first, then through the guard, read in a child.

Crawls keep a fetcher and a parsing pool for long; a person who pastes addresses has neither.
"""

import asyncio
from dataclasses import dataclass
from types import TracebackType
from typing import Self

from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.clock import SystemClock
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.html import PageContent
from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.limits import ROBOTS_LIMITS
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from focusadmin.lib.pages import read_page_in
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import WorkFailure
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.robots import RobotsCache, robots_from
from focusadmin.lib.text import isolated
from focusadmin.lib.urls import canonical_url, origin_of, web_url

PATIENCE_SECONDS = 45.0

# For people; `place` is host and port of where it failed.
_SENTENCES = {
    Reason.BAD_URL: "The address leads to {place}, which is no web address.",
    Reason.FORBIDDEN_SCHEME: "The address leads away from http and https: {place}.",
    Reason.FORBIDDEN_ADDRESS: "{place} is not on the public Web, so it is not visited. "
    "Whoever runs FocusAdmin can allow it with FOCUSADMIN_ALLOWED_TARGETS.",
    Reason.NAME_NOT_FOUND: "There is no site at {place}: nobody knows the name.",
    Reason.CONNECT_FAILED: "Nothing answers at {place}.",
    Reason.CONNECT_TIMEOUT: "{place} does not answer. Try again later.",
    Reason.TLS_FAILED: "{place} can't prove that it is who it says: its certificate is not valid.",
    Reason.FIRST_BYTE_TIMEOUT: "{place} took too long to answer. Try again later.",
    Reason.TOO_SLOW: "{place} answers too slowly. Try again later.",
    Reason.DEADLINE: "{place} took too long to answer. Try again later.",
    Reason.BROKEN_PROTOCOL: "What {place} answers is not HTTP.",
    Reason.HEADERS_TOO_LARGE: "{place} sends more headers than any honest site.",
    Reason.CUT_OFF: "{place} broke off its answer. Try again later.",
    Reason.TOO_LARGE: "The page is too large.",
    Reason.BOMB: "The page grows beyond all measure when it is unpacked.",
    Reason.BROKEN_ENCODING: "The page can't be unpacked.",
    Reason.UNKNOWN_ENCODING: "The page is packed in a way that nobody asked for.",
    Reason.WRONG_TYPE: "This is not a page of text.",
    Reason.TOO_MANY_REDIRECTS: "The address redirects too often.",
    Reason.REDIRECT_LOOP: "The address redirects in a circle.",
    Reason.REDIRECT_DECLINED: "The page redirects to {place}, where we may not go.",
}


class PageUnreachableError(FocusAdminError):
    """No page came of an address; the text says why."""


@dataclass(frozen=True)
class SinglePage:
    """A page and where it was found in the end."""

    url: str
    content: PageContent


def single_page(
    url: str,
    identity: Identity,
    *,
    policy: AddressPolicy | None = None,
    resolver: Resolver | None = None,
) -> SinglePage:
    """The page at `url`, or an error that says what stands in the way. Blocks for some seconds."""

    async def visit() -> SinglePage:
        async with PageReader(identity, policy=policy, resolver=resolver) as reader:
            return await reader.read(url)

    return asyncio.run(visit())


class PageReader:
    """Reads pages one by one or side by side; how long a host is left alone is the caller's."""

    def __init__(
        self,
        identity: Identity,
        *,
        policy: AddressPolicy | None = None,
        resolver: Resolver | None = None,
    ) -> None:
        self._fetcher = HttpxFetcher(identity, policy=policy, resolver=resolver)
        self._clock = SystemClock()
        self._robots = RobotsCache(self._fetcher, clock=self._clock)
        self._refusals: dict[str, str] = {}  # by origin, told for each page there
        self._pool = ParsingPool(workers=1)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self._pool.__aexit__(kind, error, traceback)
        await self._fetcher.aclose()

    async def read(self, url: str) -> SinglePage:
        """The page at `url`, or a PageUnreachableError."""
        canonical = canonical_url(url)
        if canonical is None:
            raise PageUnreachableError(
                "This is not a web address. Give one with http:// or https://."
            )
        page = await self._visited(canonical)
        return SinglePage(page.final_url, await self._content(page))

    async def delay_asked(self, url: str) -> float | None:
        """The pause between two requests that the site's robots.txt asks for, in seconds."""
        return (await self._robots.for_url(url)).crawl_delay_seconds

    async def _visited(self, url: str) -> FetchResult:
        """robots.txt, the page, and every redirect, in as long as somebody may wait for it."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._ask_robots(url)
                if not await self._may_visit(url):
                    raise PageUnreachableError(self._refusals[origin_of(url)])
                return _answer(await self._fetcher.fetch(url, hop_check=self._may_visit))
        except TimeoutError:
            raise PageUnreachableError(
                f"The site took longer than {PATIENCE_SECONDS:g} seconds. Try again later."
            ) from None

    async def _ask_robots(self, url: str) -> None:
        """Here and not by the cache, which keeps what the rules are and not why."""
        origin = origin_of(url)
        if self._robots.known(url) is None or origin not in self._refusals:
            answer = await self._fetcher.fetch(f"{origin}/robots.txt", limits=ROBOTS_LIMITS)
            self._robots.remember(robots_from(answer, origin, self._clock.now()))
            self._refusals[origin] = str(_kept_out(answer))

    async def _may_visit(self, target: str) -> bool:
        return (await self._robots.for_url(target)).may_visit(target)

    async def _content(self, page: FetchResult) -> PageContent:
        read = await read_page_in(self._pool, page.body, page.final_url, page.headers)
        if isinstance(read, WorkFailure):
            raise PageUnreachableError(f"The page can't be read: {isolated(read.detail)}.")
        return read.content


def _kept_out(answer: Outcome) -> PageUnreachableError:
    if isinstance(answer, FetchFailure):  # it would be the same for the page
        return _unreachable(answer)
    if answer.is_ok:
        return PageUnreachableError("The site's robots.txt asks us not to visit this page.")
    return PageUnreachableError(
        f"The site answers with the status {answer.status} when asked for its robots.txt; "
        "until that can be read, we stay away."
    )


def _answer(outcome: Outcome) -> FetchResult:
    if isinstance(outcome, FetchFailure):
        raise _unreachable(outcome)
    if not outcome.is_ok:
        raise PageUnreachableError(f"The site answered with the status {outcome.status}.")
    return outcome


def _unreachable(failure: FetchFailure) -> PageUnreachableError:
    parts = web_url(failure.final_url)
    place = isolated(f"{parts.host}:{parts.port}" if parts else failure.final_url)
    return PageUnreachableError(_SENTENCES[failure.reason].format(place=place))
