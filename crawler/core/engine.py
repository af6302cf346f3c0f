"""The crawl's loop and its life cycle; the work itself is in the stages (pipeline, expansion).

Four kinds of tasks share one event loop. The dispatcher leases the best URLs and starts a visit for
each. Readers take fetched pages, some at a time, to the parsing children and take in what comes
back: the strategy learns, the frontier changes. The committer writes both down together, twenty
pages or a quarter of a second at a time; while it can't, nothing more is leased. The pulse asks
whether somebody wants something else.
"""

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import chain, repeat
from typing import Any, TypeVar

from crawler.core import pipeline
from crawler.core.admission import Admission
from crawler.core.config import CrawlConfig
from crawler.core.events import End, Ending
from crawler.core.frontier.base import FrontierStrategy
from crawler.core.hosts import Host, is_own
from crawler.core.intake import Intake
from crawler.core.nudges import Nudging
from crawler.core.pipeline import JudgedVisit, Visited
from crawler.core.ports import Batch, LeaseLostError, Ledger, LedgerDownError
from crawler.core.reading import PageReader
from crawler.core.sitemap_reading import admit_listed, has_proved, read_sitemaps
from crawler.core.status import StatusBoard
from crawler.core.turns import Hops, PacedFetcher
from crawler.core.urlrows import Lease
from crawler.core.workingset import Frontier
from focusadmin.lib.clock import Clock
from focusadmin.lib.http import Fetcher
from focusadmin.lib.parsing_worker import WorkFailure
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.robots import Robots, RobotsCache
from focusadmin.lib.urls import host_of

PAGES_AT_ONCE = 16  # in one job of a parsing child
COMMIT_PAGES = 20
COMMIT_SECONDS = 0.25
PULSE_SECONDS = 0.5
DRAIN_SECONDS = 10.0
LONGEST_NAP_SECONDS = 1.0
QUIET_SECONDS = 5.0  # nothing to do for longer than this: the crawl waits for its hosts
UNWRITTEN_MOST = 100  # pages taken in that the ledger does not have yet
LEDGER_PATIENCE_SECONDS = 60.0
LEDGER_PAUSES = (0.5, 1.0, 2.0, 5.0)

T = TypeVar("T")


@dataclass(frozen=True)
class Parts:
    """What the engine is made of; the lab puts in other ones."""

    frontier: Frontier
    strategy: FrontierStrategy
    admission: Admission
    fetcher: Fetcher
    robots: RobotsCache
    reader: PageReader
    ledger: Ledger
    clock: Clock
    resolver: Resolver | None = None  # with it, hosts of one address share its pace from the start


Control = Callable[[str], Ending | None]  # given the mood; tells how to end, if anybody wants that


@dataclass
class CrawlEngine:
    """Runs one crawl until its time is up, or somebody or something ends it."""

    config: CrawlConfig
    parts: Parts
    board: StatusBoard
    readers: int = 2
    _ending: Ending | None = None
    _visits: set[asyncio.Task[None]] = field(default_factory=set)
    _unread: asyncio.Queue[Visited] = field(default_factory=asyncio.Queue)
    _sitemaps: set[asyncio.Task[None]] = field(default_factory=set)
    _reading: int = 0
    _writing: int = 0
    _is_home: bool = False
    _ledger_turn: asyncio.Lock = field(default_factory=asyncio.Lock)
    _wakeup: asyncio.Event = field(default_factory=asyncio.Event)
    _due: asyncio.Event = field(default_factory=asyncio.Event)
    _decided: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        parts = self.parts
        self._intake = Intake(parts, self.board, keeps_bodies=self.config.keep_bodies)
        self._nudging = Nudging(parts.frontier)
        self._hops = Hops(self.config, parts.frontier, parts.robots, parts.clock)
        # One thread for everything that blocks on the ledger: SQLite has one writer anyway.
        self._ledger_thread = ThreadPoolExecutor(1, thread_name_prefix="ledger")

    async def run(self, slice_seconds: float, control: Control) -> Ending:
        """Crawl; everything taken in is committed before this returns."""
        self._ends_at = self.parts.clock.monotonic() + slice_seconds
        lost: LeaseLostError | None = None
        try:
            await self._take_nudges()  # before the frontier is found empty
            async with asyncio.TaskGroup() as self._group:
                group = self._group
                group.create_task(self._dispatch())
                group.create_task(self._commit_regularly())
                helpers = [
                    group.create_task(self._pulse(control)),
                    *(group.create_task(self._read_pages()) for _ in range(self.readers)),
                ]
                group.create_task(self._close(helpers))
        except* LeaseLostError as group_error:
            lost = LeaseLostError(str(group_error.exceptions[0]))
        finally:
            self._ledger_thread.submit(self.parts.ledger.close)
            self._ledger_thread.shutdown(wait=True)
        if lost is not None:
            return Ending(End.LOST, str(lost))
        return self._ending or Ending(End.SLICE_OVER)

    def end(self, ending: Ending) -> None:
        """Lease nothing more; what is in flight is brought home."""
        self._ending = self._ending or ending
        self._decided.set()
        self._wakeup.set()

    @property
    def is_ending(self) -> bool:
        return self._ending is not None

    # the dispatcher

    async def _dispatch(self) -> None:
        while self._ending is None:
            self._wakeup.clear()
            leases = self._leases()
            if leases:
                await self._start_visits(leases)
            elif why := self._why_finished():
                self.end(Ending(End.FINISHED, why))
            else:
                await self._nap()

    def _leases(self) -> list[Lease]:
        frontier, now = self.parts.frontier, self.parts.clock.now()
        leases: list[Lease] = []
        if self._writing + len(self._intake.records) >= UNWRITTEN_MOST:
            return leases  # the ledger is slow or away: what can't be written must not be fetched
        while frontier.in_flight < self._room():
            lease = frontier.lease(now)
            if lease is None:
                break
            leases.append(lease)
        return leases

    def _room(self) -> int:
        """How many URLs may be in flight: never more than the budget has pages left."""
        most = self.config.concurrency
        left = self.config.budget.max_pages
        return most if left is None else min(most, left - self.board.fetched)

    async def _start_visits(self, leases: Sequence[Lease]) -> None:
        unknown = [lease.slot for lease in leases if lease.url is None]
        urls = await self._stored_urls(unknown) if unknown else {}
        for lease in leases:
            if self._ending is not None:  # meanwhile
                self.parts.frontier.release(lease.slot)
                continue
            task = self._group.create_task(self._visit(lease, lease.url or urls[lease.slot]))
            self._visits.add(task)
            task.add_done_callback(self._visit_ended)

    async def _stored_urls(self, slots: Sequence[int]) -> dict[int, str]:
        async with self._ledger_turn:  # a batch on its way may hold some of them
            return await self._in_ledger_thread(self.parts.ledger.urls, slots)

    async def _visit(self, lease: Lease, url: str) -> None:
        parts = self.parts
        if why := self.config.is_excluded(url):
            visited = Visited(lease, url, refusal=pipeline.EXCLUDED, detail=why)
        elif not parts.frontier.is_revisit(lease.slot) and (  # it takes no room of any cap
            why := parts.admission.why_full(lease.host, url)
        ):
            visited = Visited(lease, url, refusal=pipeline.CAPPED, detail=why)
        else:
            visited = await self._visited(lease, url)
        if pipeline.is_page(visited.outcome):
            self._unread.put_nowait(visited)
        else:
            self._intake.without_page(visited)
            self._note_progress()

    async def _visited(self, lease: Lease, url: str) -> Visited:
        parts = self.parts
        try:
            if await self._must_wait_for_neighbours(lease.host, url):
                return Visited(lease, url)
            return await pipeline.visit(parts.fetcher, parts.robots, self._hops, lease, url)
        except asyncio.CancelledError:
            parts.frontier.release(lease.slot)
            raise
        except Exception as error:  # noqa: BLE001 - no page may end the crawl
            return Visited(lease, url, refusal=pipeline.BROKEN, detail=repr(error))

    async def _must_wait_for_neighbours(self, host: Host, url: str) -> bool:
        """Learn a new host's address; another host there may have been asked just now."""
        hosts, resolver = self.parts.frontier.hosts, self.parts.resolver
        if host.address or resolver is None or not hosts.delay_seconds or is_own(host):
            return False
        try:
            found = await resolver.addresses(host_of(url).strip("[]"))
        except OSError:
            return False  # the fetch will say so
        host.address = found[0] if found else ""
        now = self.parts.clock.now()
        if hosts.address_wait_seconds(host, now) > 0:
            return True
        hosts.note_pace(host, now)
        return False

    def _visit_ended(self, task: asyncio.Task[None]) -> None:
        self._visits.discard(task)
        self._wakeup.set()

    def _why_finished(self) -> str | None:
        frontier, board = self.parts.frontier, self.board
        seconds = board.seconds_at(self.parts.clock.monotonic())
        if why := self.config.budget.why_spent(board.fetched, seconds, board.bytes):
            return why
        if why := self.config.why_enough(board.relevant):
            return why
        is_idle = not (frontier.in_flight or self._reading or self._sitemaps)
        return "frontier empty" if is_idle and not frontier.waiting else None

    async def _nap(self) -> None:
        """Until a visit ends, a host or a retry is due, or a second has passed."""
        due = self.parts.frontier.next_at()
        wait = LONGEST_NAP_SECONDS if due is None else due - self.parts.clock.now()
        try:
            async with asyncio.timeout(min(max(wait, 0.002), LONGEST_NAP_SECONDS)):
                await self._wakeup.wait()
        except TimeoutError:
            pass

    # the readers

    async def _read_pages(self) -> None:
        while True:
            visits = await self._some_unread()
            self._reading += len(visits)
            fetched = [pipeline.fetched_page(visit.outcome) for visit in visits]  # type: ignore[arg-type]
            read = await self.parts.reader.read(fetched)
            judged = []
            for visit, page in zip(visits, read, strict=True):
                if isinstance(page, WorkFailure):
                    self._intake.unreadable(visit, page)
                else:
                    judged.append(JudgedVisit(visit.lease, visit.url, visit.outcome, page))  # type: ignore[arg-type]
            self._intake.pages(judged)
            self._reading -= len(visits)
            self._note_progress()
            for host in {one.lease.host.number: one.lease.host for one in judged}.values():
                self._read_sitemap_of(host)

    def _read_sitemap_of(self, host: Host) -> None:
        """Once, when the host has proved relevant."""
        rules = self.parts.robots.known(f"http://{host.name}/") or self.parts.robots.known(
            f"https://{host.name}/"
        )
        if self._ending is None and rules and rules.sitemaps and has_proved(host):
            host.is_sitemap_read = True
            task = self._group.create_task(self._take_sitemap(host, rules))
            self._sitemaps.add(task)
            task.add_done_callback(self._sitemap_ended)

    def _sitemap_ended(self, task: asyncio.Task[None]) -> None:
        self._sitemaps.discard(task)
        self._wakeup.set()

    async def _take_sitemap(self, host: Host, rules: Robots) -> None:
        parts = self.parts
        fetcher = PacedFetcher(parts.fetcher, parts.frontier, parts.clock)
        urls = await read_sitemaps(fetcher, rules, host)
        admit_listed(parts.frontier, parts.admission, parts.strategy.merge, host, urls)

    async def _some_unread(self) -> list[Visited]:
        visits = [await self._unread.get()]
        while len(visits) < PAGES_AT_ONCE and not self._unread.empty():
            visits.append(self._unread.get_nowait())
        return visits

    def _note_progress(self) -> None:
        self._wakeup.set()
        if len(self._intake.records) >= COMMIT_PAGES:
            self._due.set()

    # the committer and the pulse

    async def _commit_regularly(self) -> None:
        """Until everything is home; then once more, with the last figures."""
        is_last = False
        while not is_last:
            try:
                async with asyncio.timeout(COMMIT_SECONDS):
                    await self._due.wait()
            except TimeoutError:
                pass
            self._due.clear()
            is_last = self._is_home
            batch = self._batch(is_last=is_last)
            if batch is not None:
                await self._commit(batch)

    async def _commit(self, batch: Batch) -> None:
        """Again and again while the ledger is away; after a minute a new process may try."""
        self._writing = len(batch.pages)
        until = self.parts.clock.monotonic() + LEDGER_PATIENCE_SECONDS
        async with self._ledger_turn:
            for pause in chain(LEDGER_PAUSES, repeat(LEDGER_PAUSES[-1])):
                try:
                    await self._in_ledger_thread(self.parts.ledger.commit, batch)
                    break
                except LedgerDownError:
                    if self.parts.clock.monotonic() > until:
                        raise
                    await asyncio.sleep(pause)
        self._writing = 0
        self._wakeup.set()

    def _batch(self, *, is_last: bool) -> Batch | None:
        frontier, hosts = self.parts.frontier, self.parts.frontier.hosts
        records, self._intake.records = self._intake.records, []
        changes, nudges = frontier.take_changes(), self._nudging.to_write()
        if not (records or changes.new or changes.updated or nudges or is_last):
            return None
        changed = [hosts.all[number] for number in sorted(hosts.changed)]
        hosts.changed.clear()
        now = self.parts.clock.monotonic()
        return Batch(
            records, changes, changed, self.board.take_seconds(now),
            frontier.waiting + frontier.resting,
            self.board.shown(frontier, self.parts.clock.now(), is_last=is_last), nudges,
        )  # fmt: skip

    async def _pulse(self, control: Control) -> None:
        while True:
            if self.parts.clock.monotonic() >= self._ends_at:
                self.end(Ending(End.SLICE_OVER))
            wanted = await self._in_ledger_thread(control, self._mood())
            if wanted is not None:
                if wanted.end is End.LOST:
                    raise LeaseLostError(wanted.reason)
                self.end(wanted)
            await self._take_nudges()
            await asyncio.sleep(PULSE_SECONDS)

    async def _take_nudges(self) -> None:
        if self._nudging.take(await self._in_ledger_thread(self.parts.ledger.nudges)):
            self._wakeup.set()

    def _mood(self) -> str:
        """What people should read: why nothing happens, when nothing happens for a while."""
        frontier, due = self.parts.frontier, self.parts.frontier.next_at()
        wait = 0.0 if due is None else due - self.parts.clock.now()
        if frontier.in_flight or not frontier.waiting or wait < QUIET_SECONDS:
            return ""
        return f"waiting for hosts that asked for a pause, {wait:.0f} s to go"

    async def _close(self, helpers: Sequence[asyncio.Task[Any]]) -> None:
        """Once the end is decided: let what is in flight come home, commit, end all tasks."""
        await self._decided.wait()
        for task in self._sitemaps:
            task.cancel()
        try:
            async with asyncio.timeout(DRAIN_SECONDS):
                while self._is_busy():
                    self._wakeup.clear()
                    await self._wakeup.wait()
        except TimeoutError:
            pass
        ending = [*self._visits, *helpers]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        self._is_home = True
        self._due.set()

    def _is_busy(self) -> bool:
        return bool(self._visits) or bool(self._reading) or not self._unread.empty()

    async def _in_ledger_thread(self, work: Callable[..., T], *arguments: Any) -> T:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._ledger_thread, work, *arguments)
