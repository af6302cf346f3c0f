"""One page on a person's request: robots.txt first, then through the guard, read in a child.

Crawls keep a fetcher and a parsing pool for long; a person who pastes one address has neither.
"""

import asyncio
from dataclasses import dataclass

from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.clock import SystemClock
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.html import PageContent
from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.outcomes import FetchFailure, FetchResult
from focusadmin.lib.pages import read_page_in
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import WorkFailure
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.robots import Access, Robots, RobotsCache
from focusadmin.lib.text import isolated
from focusadmin.lib.urls import canonical_url


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
    canonical = canonical_url(url)
    if canonical is None:
        raise PageUnreachableError("This is not a web address. Give one with http:// or https://.")
    return asyncio.run(_visit(canonical, identity, policy, resolver))


async def _visit(
    url: str, identity: Identity, policy: AddressPolicy | None, resolver: Resolver | None
) -> SinglePage:
    async with HttpxFetcher(identity, policy=policy, resolver=resolver) as fetcher:
        robots = RobotsCache(fetcher, clock=SystemClock())

        async def may_visit(target: str) -> bool:
            return (await robots.for_url(target)).may_visit(target)

        if not await may_visit(url):
            raise _kept_out(await robots.for_url(url))
        outcome = await fetcher.fetch(url, hop_check=may_visit)
    return SinglePage(_answer(outcome).final_url, await _content(_answer(outcome)))


def _kept_out(robots: Robots) -> PageUnreachableError:
    if robots.access is Access.NOTHING:
        return PageUnreachableError(
            "The site can't be reached, or its robots.txt can't be read; then we stay away."
        )
    return PageUnreachableError("The site's robots.txt asks us not to visit this page.")


def _answer(outcome: FetchResult | FetchFailure) -> FetchResult:
    if isinstance(outcome, FetchFailure):
        raise PageUnreachableError(f"The page can't be fetched: {isolated(outcome.detail)}.")
    if not outcome.is_ok:
        raise PageUnreachableError(f"The site answered with the status {outcome.status}.")
    return outcome


async def _content(page: FetchResult) -> PageContent:
    async with ParsingPool(workers=1) as pool:
        read = await read_page_in(pool, page.body, page.final_url, page.headers)
    if isinstance(read, WorkFailure):
        raise PageUnreachableError(f"The page can't be read: {isolated(read.detail)}.")
    return read.content
