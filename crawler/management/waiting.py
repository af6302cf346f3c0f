"""Waits on the terminal for a crawl to end, and does a worker's work where there is none."""

import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import FrameType

from django.db import connection
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from crawler.core.config import CrawlConfig
from crawler.models import Crawl
from crawler.runners.session import run_slice
from crawler.runners.watch import run_engine
from crawler.selectors.crawls import crawls_unheld
from crawler.selectors.system import Health, system_status
from crawler.services.crawls import CrawlError, crawl_pause
from focusadmin.lib.errors import FocusAdminError

POLL_SECONDS = 0.3
WORKER_PATIENCE_SECONDS = 8.0
_ENDING = (Crawl.State.PAUSING, Crawl.State.STOPPING)


class WaitingEndedError(FocusAdminError):
    """Ctrl-C, or a signal that means the same; the text says what became of the crawl."""


def wait_for(crawl: Crawl) -> None:
    """Until the crawl ends. When no worker takes it up, this process does what one would do.

    Ctrl-C pauses a crawl that this process works on; a worker's crawl goes on without us.
    """
    wait = _Wait(crawl)
    with _ended_by(signal.SIGTERM, signal.SIGHUP):
        try:
            with wait.bar:
                wait.until_the_end()
        except KeyboardInterrupt:
            raise WaitingEndedError(wait.left()) from None


class _Wait:
    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self.bar = progress()
        self._task: TaskID = self.bar.add_task(
            "", total=CrawlConfig.from_json(crawl.config).budget.max_pages
        )
        self._began = time.monotonic()
        self._is_home = threading.Event()  # of our engine; set while there is none
        self._is_home.set()
        self._is_ours = False

    def until_the_end(self) -> None:
        while True:
            self._show()
            if not self._is_home.wait(POLL_SECONDS):
                continue
            if not self.crawl.is_active:
                return
            if self._must_work_here():
                self._is_ours = True
                self._is_home.clear()
                threading.Thread(target=self._work, daemon=True).start()
            else:
                time.sleep(POLL_SECONDS)

    def left(self) -> str:
        """Leave nothing half done; says what became of the crawl."""
        slug = self.crawl.slug
        if not self._is_ours and not self._is_alone():
            return f"A worker goes on with the crawl {slug}. See: manage.py crawl status {slug}"
        with suppress(CrawlError):  # it ended by itself, or somebody else is ending it
            crawl_pause(crawl=self.crawl, reason="interrupted")
        with suppress(KeyboardInterrupt):  # once more: the engine comes home without us
            self._is_home.wait()
            self.crawl.refresh_from_db()
            if self.crawl.state in _ENDING:  # the engine got the signal too, and ended before
                run_slice(self.crawl.pk)
        self.crawl.refresh_from_db()
        state = self.crawl.get_state_display().lower()
        return f"The crawl {slug} is {state}. Go on: manage.py crawl resume {slug} --wait"

    def _work(self) -> None:
        """In a thread. Not joined: a join that Ctrl-C interrupts takes the thread for ended."""
        try:
            run_engine(self.crawl.pk)
        finally:
            connection.close()
            self._is_home.set()

    def _must_work_here(self) -> bool:
        is_late = time.monotonic() - self._began > WORKER_PATIENCE_SECONDS
        is_free = any(each.pk == self.crawl.pk for each in crawls_unheld())
        return is_free and (is_late or self._is_alone())

    def _is_alone(self) -> bool:
        return system_status().worker_health is not Health.OK

    def _show(self) -> None:
        crawl = self.crawl
        crawl.refresh_from_db()
        line = f"{crawl.get_state_display()}  mean relevance {crawl.mean_relevance:.2f}"
        self.bar.update(self._task, completed=crawl.fetched, description=line)


@contextmanager
def _ended_by(*numbers: signal.Signals) -> Iterator[None]:
    """Within, these signals mean what Ctrl-C means."""

    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = {number: signal.signal(number, interrupt) for number in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def progress() -> Progress:
    console = Console(stderr=True)
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed} pages"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=not console.is_terminal,
    )
