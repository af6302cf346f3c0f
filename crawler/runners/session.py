"""One slice of a crawl: take the lease, build the engine from the database, run, hand over."""

import asyncio
import json
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

from django.conf import settings
from django.db import connection, transaction
from django.utils import timezone

from crawler.core.admission import Admission
from crawler.core.budget import Budget
from crawler.core.config import ConfigError, CrawlConfig
from crawler.core.engine import CrawlEngine, Parts
from crawler.core.events import End, Ending
from crawler.core.frontier import registry
from crawler.core.frontier.base import FrontierStrategy
from crawler.core.frontier.registry import StrategyError
from crawler.core.hosts import Hosts
from crawler.core.ports import Batch, LeaseLostError, LedgerDownError
from crawler.core.ranking import BOOST
from crawler.core.reading import PageReader, pool_for
from crawler.core.status import StatusBoard
from crawler.core.types import url_key
from crawler.core.urlrows import NewUrl
from crawler.core.workingset import Frontier
from crawler.live import RingingLedger
from crawler.models import Crawl, CrawlEvent
from crawler.runners.judges import JudgeError, domains_of, require_judge
from crawler.runners.owners import new_owner
from crawler.runners.replay import figures_renewed, ranked_anew, replayed
from crawler.store import (
    DatabaseLedger,
    frontier_load,
    hosts_load,
    lease_give_up,
    lease_renew,
    lease_take,
    ledger_down,
    patterns_fetched,
    revisits_waiting,
)
from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.clock import SystemClock
from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.resolver import SystemResolver
from focusadmin.lib.robots import RobotsCache
from focusadmin.targets import allowed_targets
from taxonomy.selectors.models import model_file

SLICE_SECONDS = 480.0
RENEW_SECONDS = 5.0
READERS = min(2, os.cpu_count() or 1)  # parsing children
FULL_DISK_BYTES = 128 * 1024 * 1024

_State = Crawl.State
_OWN = (_State.QUEUED, _State.RUNNING, _State.RATE_LIMITED)  # the engine may go from these
# What the crawl becomes, and from which states: a wish that came later must not be lost.
FINAL_STATES = {
    End.PAUSED: (_State.PAUSED, (_State.PAUSING,)),
    End.HELD: (_State.PAUSED, (*_OWN, _State.PAUSING)),
    End.STOPPED: (_State.FINISHED, (_State.STOPPING,)),
    End.FINISHED: (_State.FINISHED, Crawl.ACTIVE),
    End.FAILED: (_State.FAILED, Crawl.ACTIVE),
}

_BY_SETTINGS = (End.FINISHED, End.FAILED)  # with other ones it might not have ended

T = TypeVar("T")
OnEngine = Callable[[CrawlEngine], None]


def run_slice(
    crawl_id: int, *, seconds: float = SLICE_SECONDS, on_engine: OnEngine = lambda engine: None
) -> Ending:
    """Crawl for at most `seconds`; starts again at once when somebody changes the settings.

    `on_engine` gets each engine before it runs, so that a caller can end it.
    """
    while True:
        ending = _run_once(crawl_id, seconds, on_engine)
        if ending.end is not End.CHANGED:
            return ending


def _run_once(crawl_id: int, seconds: float, on_engine: OnEngine) -> Ending:
    crawl = lease_take(crawl_id, new_owner())
    if crawl is None:
        return Ending(End.LOST, "nothing to do here, or another process is at work")
    try:
        return _concluded(crawl, _held(crawl, seconds, on_engine))
    finally:
        lease_give_up(crawl)


def _held(crawl: Crawl, seconds: float, on_engine: OnEngine) -> Ending:
    wanted = Control(crawl)("")
    if wanted is not None and wanted.end is not End.CHANGED:
        return wanted
    Crawl.objects.filter(pk=crawl.pk, started_at=None).update(started_at=timezone.now())
    try:
        require_judge(crawl)
        with setup_file(crawl) as setup:
            return asyncio.run(_crawl(crawl, setup, seconds, on_engine))
    except LeaseLostError as error:
        return Ending(End.LOST, str(error))
    except (ConfigError, StrategyError, JudgeError) as error:
        return Ending(End.FAILED, str(error))


async def _crawl(crawl: Crawl, setup: Path, seconds: float, on_engine: OnEngine) -> Ending:
    prepared = await _while_renewing(crawl)
    clock = SystemClock()
    identity = Identity(crawl.contact, settings.VERSION)
    policy, resolver = AddressPolicy(allowed_targets()), SystemResolver()
    async with (
        HttpxFetcher(identity, policy=policy, resolver=resolver) as fetcher,
        pool_for(setup, READERS) as pool,
    ):
        prepared.hosts.resume(clock.now(), is_clean=crawl.was_handed_over)
        parts = Parts(
            frontier=prepared.frontier,
            strategy=prepared.strategy,
            admission=prepared.admission,
            fetcher=fetcher,
            robots=RobotsCache(fetcher, clock=clock),
            reader=PageReader(pool),
            ledger=RingingLedger(prepared.ledger, crawl.pk, asyncio.get_running_loop()),
            clock=clock,
            resolver=resolver,
        )
        board = StatusBoard(
            fetched=crawl.fetched + crawl.revisited,
            relevant=crawl.relevant,
            bytes=crawl.bytes_fetched,
            seconds_run=crawl.seconds_run,
            outcomes=dict(crawl.status.get("outcomes", {})),
        )
        board.start(clock.monotonic())
        engine = CrawlEngine(prepared.config, parts, board, readers=READERS)
        on_engine(engine)
        return await engine.run(seconds, Control(crawl))


async def _while_renewing(crawl: Crawl) -> "Prepared":
    """Ranking a large frontier anew may take longer than a lease lasts."""
    work = asyncio.create_task(asyncio.to_thread(_with_own_connection, _prepared, crawl))
    while not (await asyncio.wait([work], timeout=RENEW_SECONDS))[0]:
        if not await asyncio.to_thread(_with_own_connection, lease_renew, crawl):
            raise LeaseLostError("another process took over")
    return work.result()


def _with_own_connection(work: Callable[[Crawl], T], crawl: Crawl) -> T:
    """Django has a connection for each thread; nobody else would close this one."""
    try:
        return work(crawl)
    finally:
        connection.close()


class Prepared:
    """What is read from the database before the first fetch."""

    def __init__(self, crawl: Crawl) -> None:
        self.config = _in_round(CrawlConfig.from_json(crawl.config), crawl.round_until)
        self.hosts = Hosts(self.config.delay_seconds, hosts_load(crawl.pk))
        self.frontier = Frontier(
            self.hosts, frontier_load(crawl.pk), patience=self.config.concurrency
        )
        self.frontier.note_revisits(revisits_waiting(crawl.pk))
        self.strategy = _strategy(self.config)
        self.admission = Admission(self.config, self.hosts, patterns_fetched(crawl.pk))
        self.ledger = DatabaseLedger(
            crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=crawl.seq
        )
        self._status = crawl.status

    def first_batch(self) -> Batch:
        """The frontier as it was made or ranked before the first fetch."""
        changes = self.frontier.take_changes()
        hosts = [self.hosts.all[number] for number in sorted(self.hosts.changed)]
        self.hosts.changed.clear()
        return Batch([], changes, hosts, 0.0, self.frontier.waiting, self._status)


def _prepared(crawl: Crawl) -> Prepared:
    prepared = Prepared(crawl)
    frontier, strategy = prepared.frontier, prepared.strategy
    first = strategy.start([url_key(url) for url in crawl.start_urls])
    if not len(frontier):
        urls = zip(first, crawl.start_urls, strict=True)
        frontier.admit([NewUrl(c.key, url, c.priority, 0, -1) for c, url in urls])
    elif crawl.ranked_revision != crawl.settings_revision:
        ranked = ranked_anew(crawl, frontier, strategy, prepared.admission, first)
        CrawlEvent.objects.create(crawl=crawl, seq=crawl.seq, kind="ranked", text=str(ranked))
    elif not strategy.is_stateless:
        replayed(crawl, frontier, strategy)
    if crawl.ranked_revision != crawl.settings_revision:
        prepared.ledger.commit(prepared.first_batch())
        figures_renewed(crawl)
    if crawl.round_until is not None:
        frontier.rest_below(BOOST)
    return prepared


def _in_round(config: CrawlConfig, until: int | None) -> CrawlConfig:
    """A round of revisits has a budget of its own; the crawl's was spent, or somebody ended it."""
    if until is None:
        return config
    return replace(config, budget=Budget(max_pages=until), enough_relevant=None)


def _strategy(config: CrawlConfig) -> FrontierStrategy:
    return registry.build(config.strategy, config.parameters, seed=config.seed)


@contextmanager
def setup_file(crawl: Crawl) -> Iterator[Path]:
    """What the parsing children must know, in a file that is gone with the slice.

    A killed engine leaves its file behind; the next holder clears it away.
    """
    folder = Path(settings.DATA_DIR) / "engines"
    folder.mkdir(exist_ok=True)
    for left_behind in folder.glob(f"{crawl.pk}-*.json"):
        left_behind.unlink(missing_ok=True)
    setup = {
        "model_file": str(model_file(crawl.model)),
        "good": crawl.good,
        "pass_through": crawl.pass_through,
        "domains": domains_of(crawl),
    }
    path = folder / f"{crawl.pk}-{crawl.fence}.json"
    path.write_text(json.dumps(setup), encoding="utf-8")
    try:
        yield path
    finally:
        path.unlink(missing_ok=True)


class Control:
    """Asks the database what people want, tells it how the engine fares, keeps the lease."""

    def __init__(self, crawl: Crawl) -> None:
        self._crawl = crawl
        self._clock = SystemClock()
        self._renewed_at = self._clock.monotonic()

    def __call__(self, mood: str) -> Ending | None:
        try:
            with ledger_down():
                return self._wanted(mood)
        except LedgerDownError:
            return None  # the committer waits for the database, and so does the engine

    def _wanted(self, mood: str) -> Ending | None:
        crawl = self._crawl
        mine = Crawl.objects.filter(pk=crawl.pk, fence=crawl.fence, lease_owner=crawl.lease_owner)
        row = mine.values_list("state", "reason", "settings_revision").first()
        if row is None:
            return Ending(End.LOST, "another process took over")
        state, reason, revision = row
        if self._is_renewal_due():
            if not lease_renew(crawl):
                return Ending(End.LOST, "another process took over")
            if why := why_disk_full():
                return Ending(End.HELD, why)
        if state not in Crawl.ACTIVE:  # we slept, and it was decided without us
            return Ending(End.SLICE_OVER, f"the crawl is {state}")
        if state == Crawl.State.PAUSING:
            return Ending(End.PAUSED, reason)
        if state == Crawl.State.STOPPING:
            return Ending(End.STOPPED, reason)
        if revision != crawl.settings_revision:
            return Ending(End.CHANGED)
        self._tell(mood, state, reason)
        return None

    def _tell(self, mood: str, state: str, reason: str) -> None:
        shown = Crawl.State.RATE_LIMITED if mood else Crawl.State.RUNNING
        if (state, reason) != (shown, mood):
            # Only from states of the engine's own: a person's wish must not be overwritten.
            mine = Crawl.objects.filter(pk=self._crawl.pk, fence=self._crawl.fence)
            mine.filter(state__in=_OWN).update(state=shown, reason=mood)

    def _is_renewal_due(self) -> bool:
        now = self._clock.monotonic()
        is_due = now - self._renewed_at >= RENEW_SECONDS
        if is_due:
            self._renewed_at = now
        return is_due


def why_disk_full() -> str | None:
    """Before it is: a database that can't be written can't even say why."""
    free = shutil.disk_usage(settings.DATA_DIR).free
    if settings.DB_URL or free >= FULL_DISK_BYTES:
        return None
    return (
        f"the disk is full: {free // 1024**2:,} MB are left. Make room in {settings.DATA_DIR}, "
        "then resume the crawl"
    )


@transaction.atomic
def _concluded(crawl: Crawl, ending: Ending) -> Ending:
    if ending.end not in FINAL_STATES:
        return ending
    if crawl.round_until is not None and ending.end is End.FINISHED:
        ending = Ending(End.FINISHED, "revisit round done")
    state, allowed = FINAL_STATES[ending.end]
    mine = Crawl.objects.filter(pk=crawl.pk, fence=crawl.fence, state__in=allowed)
    if ending.end in _BY_SETTINGS:
        revision = mine.select_for_update().values_list("settings_revision", flat=True).first()
        if revision not in (None, crawl.settings_revision):
            return Ending(End.CHANGED)  # meanwhile: a larger budget, a strategy that goes further
    is_final = state != Crawl.State.PAUSED
    is_so = mine.update(
        state=state,
        reason=ending.reason[:300],
        **({"finished_at": timezone.now(), "round_until": None} if is_final else {}),
    )
    if is_so:
        seq = Crawl.objects.values_list("seq", flat=True).get(pk=crawl.pk)
        words = f"{state.label}: {ending.reason}" if ending.reason else state.label
        CrawlEvent.objects.create(crawl=crawl, seq=seq, kind=state.value, text=words[:300])
    return ending
