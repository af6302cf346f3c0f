"""Short forms for tests that fetch."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.limits import PAGE_LIMITS, Limits
from focusadmin.lib.outcomes import Outcome
from tests.sites.web import LoopbackWeb

T = TypeVar("T")
IDENTITY = Identity("tests@example.org")


def with_fetcher(web: LoopbackWeb, use: Callable[[HttpxFetcher], Awaitable[T]]) -> T:
    """Run `use` with a fetcher that knows this web's names and may visit its hosts only."""

    async def run() -> T:
        async with HttpxFetcher(IDENTITY, policy=web.policy, resolver=web.resolver) as fetcher:
            return await use(fetcher)

    return asyncio.run(run())


def fetch(web: LoopbackWeb, url: str, limits: Limits = PAGE_LIMITS) -> Outcome:
    return with_fetcher(web, lambda fetcher: fetcher.fetch(url, limits=limits))
