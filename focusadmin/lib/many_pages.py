"""Many pages on a person's request: hosts side by side, each host at its own pace.

    for url, outcome in pages_at(urls, identity, policy=policy, seconds=60):
        ...     # a SinglePage, or the PageUnreachableError that says why there is none

The event loop runs in a thread of its own, so that the caller may block on a database meanwhile.
"""

import asyncio
import threading
import time
from collections.abc import Generator, Iterator, Sequence
from queue import SimpleQueue

from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.http import Identity
from focusadmin.lib.politeness import crawl_delay
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.single_page import PageReader, PageUnreachableError, SinglePage
from focusadmin.lib.urls import host_of, origin_of

HOSTS_AT_ONCE = 8
DELAY_SECONDS = 1.0
OWN_MACHINE = "localhost"
OWN_MACHINE_SECONDS = 0.02

Visited = tuple[str, SinglePage | PageUnreachableError]


def pages_at(
    urls: Sequence[str],
    identity: Identity,
    *,
    seconds: float,
    policy: AddressPolicy | None = None,
    resolver: Resolver | None = None,
) -> Generator[Visited, None, None]:
    """Pages as they come; what was not begun after so many seconds is left out.

    Closing the iterator ends the work after the pages in flight.
    """
    tour = _Tour(urls, time.monotonic() + seconds)
    thread = threading.Thread(target=tour.run, args=(identity, policy, resolver))
    thread.start()
    try:
        yield from tour.visited()
    finally:
        tour.stopped.set()
        thread.join()


class _Tour:
    """What one thread does; pages go to the other through a queue, and a failure of ours too."""

    def __init__(self, urls: Sequence[str], deadline: float) -> None:
        self.stopped = threading.Event()
        self._deadline = deadline
        self._found: SimpleQueue[Visited | BaseException | None] = SimpleQueue()
        self._by_origin: dict[str, list[str]] = {}
        for url in urls:
            self._by_origin.setdefault(origin_of(url), []).append(url)

    def visited(self) -> Iterator[Visited]:
        while (found := self._found.get()) is not None:
            if isinstance(found, BaseException):
                raise found
            yield found

    def run(
        self, identity: Identity, policy: AddressPolicy | None, resolver: Resolver | None
    ) -> None:
        end: BaseException | None = None
        try:
            asyncio.run(self._visit_all(identity, policy, resolver))
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            end = error
        self._found.put(end)

    async def _visit_all(
        self, identity: Identity, policy: AddressPolicy | None, resolver: Resolver | None
    ) -> None:
        at_once = asyncio.Semaphore(HOSTS_AT_ONCE)
        async with PageReader(identity, policy=policy, resolver=resolver) as reader:

            async def visit(urls: list[str]) -> None:
                async with at_once:
                    await self._visit_host(reader, urls)

            await asyncio.gather(*map(visit, self._by_origin.values()))

    async def _visit_host(self, reader: PageReader, urls: list[str]) -> None:
        for number, url in enumerate(urls):
            if number and not await self._rested(await _pause(reader, url)):
                return
            if self.stopped.is_set() or time.monotonic() > self._deadline:
                return
            try:
                self._found.put((url, await reader.read(url)))
            except PageUnreachableError as error:
                self._found.put((url, error))

    async def _rested(self, seconds: float) -> bool:
        """Whether the host's pause is over in time."""
        if time.monotonic() + seconds > self._deadline:
            return False
        await asyncio.sleep(seconds)
        return True


async def _pause(reader: PageReader, url: str) -> float:
    own = OWN_MACHINE_SECONDS if host_of(url).endswith(OWN_MACHINE) else DELAY_SECONDS
    return crawl_delay(await reader.delay_asked(url), own_seconds=own)
