"""Fan-out to those who watch a crawl: one look-up loop a crawl and process, whoever watches.

The database is the truth: a look reads what was committed after the last one, and every viewer
gets each page once, because a batch is given only to viewers who have exactly what came before it.
Whoever lacks something reads the gap from the database, at a pace of its own. In distributed mode
the engine rings a bell over the channel layer; a bell that is lost costs a second, never a page.
"""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from typing import Any, ParamSpec, TypeVar

import structlog
from channels.db import database_sync_to_async
from channels.layers import BaseChannelLayer, get_channel_layer
from django.db import DatabaseError

from crawler.core.harvest import WINDOW_PAGES
from crawler.core.nudges import Nudge
from crawler.core.outcome_kinds import kind_of
from crawler.core.ports import Batch as PageBatch
from crawler.core.ports import Ledger
from crawler.models import Crawl
from crawler.selectors.figures import event_values, live_state
from crawler.selectors.monitor import Point, averages, events_of, lead_in, points_after

LOOK_SECONDS = 0.25  # between two batches of a viewer, too
BELL_LOOK_SECONDS = 1.0  # between two looks where a bell tells of commits
STATE_LOOKS = 4  # every so many looks, the figures
BATCH_POINTS = 500
UNSEEN_BATCHES = 8  # on their way to a viewer who says what it has seen
SILENT_SECONDS = 60.0
TROUBLE_SECONDS = 2.0
BELL_SECONDS = 60.0  # then the channel layer is told again that we listen
LATEST_EVENTS = 30

P = ParamSpec("P")
T = TypeVar("T")
Send = Callable[[str], Awaitable[None]]
log = structlog.get_logger("crawler.live")

# Looks of their own threads: the pages of people wait for no chart.
_readers = ThreadPoolExecutor(2, thread_name_prefix="live")


async def read(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a query beside the event loop."""
    in_thread = database_sync_to_async(work, thread_sensitive=False, executor=_readers)
    return await in_thread(*args, **kwargs)


# Frames


def frame(kind: str, **values: Any) -> str:
    return json.dumps({"type": kind, **values}, ensure_ascii=False, separators=(",", ":"))


def points_frame(points: Sequence[Point], lead: Sequence[float]) -> str:
    shown = [{**asdict(point), "kind": kind_of(point.outcome)} for point in points]
    return frame("points", points=shown, average=averages(lead, points), window=WINDOW_PAGES)


def event_frame(event: dict[str, Any]) -> str:
    """A flag of the chart; changes of an alarm are frames of their own kind."""
    kind = "alarm" if event["kind"].startswith("alarm") else "event"
    return frame(kind, event=event)


@dataclass(frozen=True)
class Batch:
    """Committed pages in a row, ready to be sent."""

    after: int
    last: int
    text: str


def batch_after(crawl_id: int, after: int, until: int) -> Batch | None:
    points = points_after(crawl_id, after, until=until, limit=BATCH_POINTS)
    if not points:
        return None
    lead = lead_in(crawl_id, points[0].seq, WINDOW_PAGES)
    return Batch(after, points[-1].seq, points_frame(points, lead))


@dataclass(frozen=True)
class Look:
    """What one look at the database brought."""

    batch: Batch | None
    state: str | None  # the frame, where it was asked for
    events: list[dict[str, Any]] = field(default_factory=list)


def look_at(crawl_id: int, after: int, *, with_state: bool) -> Look:
    crawl = Crawl.objects.get(pk=crawl_id)
    batch = batch_after(crawl_id, after, crawl.seq) if crawl.seq > after else None
    if not with_state:
        return Look(batch, None)
    events = [event_values(event) for event in events_of(crawl_id, LATEST_EVENTS)]
    return Look(batch, frame("state", **live_state(crawl)), events)


# Viewers


@dataclass(eq=False)
class Viewer:
    """One connection. `seq` is the last page that was given to it.

    One that says what it has seen is never sent more than a few batches ahead of that, so that a
    slow one costs neither memory nor anybody else's time.
    """

    send: Send
    seq: int
    event_id: int
    state: str = ""
    gap: asyncio.Task[None] | None = None
    _answers: bool = False
    _unseen: deque[int] = field(default_factory=deque)
    _has_room: asyncio.Event = field(default_factory=asyncio.Event)

    def __post_init__(self) -> None:
        self._has_room.set()

    @property
    def has_room(self) -> bool:
        return self._has_room.is_set()

    async def room(self) -> None:
        """Wait for it; a TimeoutError when the viewer has not answered for too long."""
        async with asyncio.timeout(SILENT_SECONDS):
            await self._has_room.wait()

    async def give(self, batch: Batch) -> None:
        self.seq = batch.last
        if self._answers:
            self._unseen.append(batch.last)
            if len(self._unseen) >= UNSEEN_BATCHES:
                self._has_room.clear()
        await self.send(batch.text)

    def note_seen(self, seq: int) -> None:
        self._answers = True
        while self._unseen and self._unseen[0] <= seq:
            self._unseen.popleft()
        self._has_room.set()

    async def tell(self, state: str, events: Sequence[dict[str, Any]]) -> None:
        """The figures, if they changed, and the flags that it lacks."""
        if state != self.state:
            self.state = state
            await self.send(state)
        for event in events:
            if event["id"] > self.event_id:
                self.event_id = event["id"]
                await self.send(event_frame(event))


class CrawlFeed:
    """Everybody in this process who watches one crawl."""

    def __init__(self, crawl_id: int, seq: int) -> None:
        self.crawl_id, self.seq = crawl_id, seq
        self.viewers: set[Viewer] = set()
        self._bell = asyncio.Event()
        self._looks = 0
        self._task: asyncio.Task[None] | None = None

    def join(self, viewer: Viewer) -> None:
        viewer.seq = min(viewer.seq, self.seq)
        self.viewers.add(viewer)
        self._looks = 0  # the next look brings the figures
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        self._close_gap(viewer)

    def leave(self, viewer: Viewer) -> None:
        self.viewers.discard(viewer)
        if viewer.gap is not None:
            viewer.gap.cancel()
        if not self.viewers:
            _feeds.pop(self.crawl_id, None)
            if self._task is not None:
                self._task.cancel()

    async def _run(self) -> None:
        """Look and tell for as long as somebody watches."""
        layer = get_channel_layer()
        bell = None if layer is None else asyncio.create_task(self._hear_bell(layer))
        try:
            while True:
                try:
                    await self._look()
                except DatabaseError as error:
                    log.warning("look failed", crawl=self.crawl_id, error=str(error))
                    await asyncio.sleep(TROUBLE_SECONDS)
                except Crawl.DoesNotExist:
                    await asyncio.sleep(TROUBLE_SECONDS)  # discarded; each viewer finds out
                await self._rest(has_bell=bell is not None)
        finally:
            if bell is not None:
                bell.cancel()

    async def _look(self) -> None:
        with_state = self._looks % STATE_LOOKS == 0
        self._looks += 1
        found = await read(look_at, self.crawl_id, self.seq, with_state=with_state)
        if found.batch is not None:
            await self._hand_out(found.batch)
        if found.state is not None:
            for viewer in list(self.viewers):
                if viewer.has_room:
                    await viewer.tell(found.state, found.events)

    async def _hand_out(self, batch: Batch) -> None:
        self.seq = batch.last
        for viewer in list(self.viewers):
            if viewer.gap is None and viewer.seq == batch.after and viewer.has_room:
                await viewer.give(batch)
            else:
                self._close_gap(viewer)

    def _close_gap(self, viewer: Viewer) -> None:
        if viewer.gap is None and viewer.seq < self.seq:
            viewer.gap = asyncio.create_task(self._catch_up(viewer))

    async def _catch_up(self, viewer: Viewer) -> None:
        """Give a viewer what it lacks; nobody else gives it any page meanwhile."""
        while viewer.seq < self.seq:
            await viewer.room()
            try:
                batch = await read(batch_after, self.crawl_id, viewer.seq, self.seq)
            except DatabaseError:
                await asyncio.sleep(TROUBLE_SECONDS)
                continue
            if batch is None:
                break  # discarded in the meantime
            await viewer.give(batch)
            await asyncio.sleep(LOOK_SECONDS)
        viewer.gap = None

    async def _rest(self, *, has_bell: bool) -> None:
        await asyncio.sleep(LOOK_SECONDS)
        if has_bell:
            with suppress(TimeoutError):
                async with asyncio.timeout(BELL_LOOK_SECONDS - LOOK_SECONDS):
                    await self._bell.wait()
            self._bell.clear()

    async def _hear_bell(self, layer: BaseChannelLayer) -> None:
        """One ear a crawl and process. Being a member is said again, should the layer forget."""
        channel = await layer.new_channel()
        while True:
            try:
                await layer.group_add(group_of(self.crawl_id), channel)
                async with asyncio.timeout(BELL_SECONDS):
                    while True:
                        await layer.receive(channel)
                        self._bell.set()
            except TimeoutError:
                continue
            except Exception as error:  # noqa: BLE001 - a layer's own errors; looks go on without
                log.warning("no bell", crawl=self.crawl_id, error=str(error))
                await asyncio.sleep(TROUBLE_SECONDS)


_feeds: dict[int, CrawlFeed] = {}


def feed_of(crawl_id: int, seq: int) -> CrawlFeed:
    """The feed of this process; `seq` is the crawl's, for one that is new."""
    if crawl_id not in _feeds:
        _feeds[crawl_id] = CrawlFeed(crawl_id, seq)
    return _feeds[crawl_id]


# The engine's side


def group_of(crawl_id: int) -> str:
    return f"crawl.{crawl_id}"


class RingingLedger:
    """A ledger that rings the bell after each commit, if there is one to ring."""

    def __init__(self, ledger: Ledger, crawl_id: int, loop: asyncio.AbstractEventLoop) -> None:
        self._ledger, self._group, self._loop = ledger, group_of(crawl_id), loop
        self._layer = get_channel_layer()
        self._ringing: Future[None] | None = None

    def commit(self, batch: PageBatch) -> int:
        last = self._ledger.commit(batch)
        # In the engine's loop, since connections of the layer belong to one; never two at a time.
        layer = self._layer
        if layer is not None and (self._ringing is None or self._ringing.done()):
            self._ringing = asyncio.run_coroutine_threadsafe(self._ring(layer), self._loop)
        return last

    def urls(self, numbers: Sequence[int]) -> dict[int, str]:
        return self._ledger.urls(numbers)

    def nudges(self) -> Sequence[Nudge]:
        return self._ledger.nudges()

    def close(self) -> None:
        self._ledger.close()

    async def _ring(self, layer: BaseChannelLayer) -> None:
        try:
            async with asyncio.timeout(TROUBLE_SECONDS):
                await layer.group_send(self._group, {"type": "crawl.moved"})
        except Exception as error:  # noqa: BLE001 - no bell is worth a crawl
            log.warning("bell not rung", error=str(error))
