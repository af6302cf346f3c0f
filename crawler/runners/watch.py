"""Runs the engine as a child process for one slice and waits for it.

The child watches its standard input: when this process is gone, or wants it to stop, the pipe ends
and so does the child, after bringing home what is in flight.
"""

import subprocess
import sys
import threading
from pathlib import Path

import structlog
from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from crawler.models import Crawl, CrawlEvent
from crawler.runners.owners import owner_prefix
from crawler.store import lease_end

POLL_SECONDS = 0.2
GRACE_SECONDS = 30.0
CRASHES_MOST = 3
LEDGER_AWAY = 75  # the engine's exit code while the database can't be reached (EX_TEMPFAIL)
CRASHED = "The engine ended three times without fetching a page. Its log: logs/engine.log"

_at_work: set[int] = set()  # by this process: a second message in the queue starts no second child
_lock = threading.Lock()
log = structlog.get_logger("focusadmin.crawls")


def run_engine(crawl_id: int, *, stopping: threading.Event | None = None) -> None:
    """One slice. `stopping` asks the engine to hand over early."""
    with _lock:
        if crawl_id in _at_work:
            return
        _at_work.add(crawl_id)
    try:
        _run(crawl_id, stopping)
    finally:
        _at_work.discard(crawl_id)


def _run(crawl_id: int, stopping: threading.Event | None) -> None:
    child = _started(crawl_id)
    try:
        _wait(child, stopping)
    finally:
        code = _end(child)
    if code:
        log.warning("engine ended", crawl=crawl_id, code=code)
        lease_end(crawl_id, owner_prefix(child.pid))
        if code != LEDGER_AWAY:
            note_crash(crawl_id)


@transaction.atomic
def note_crash(crawl_id: int) -> None:
    """Three ends in a row without a single page: another try would do no better."""
    crawls = Crawl.objects.filter(pk=crawl_id)
    crawls.update(crashes=F("crashes") + 1)
    is_over = crawls.filter(crashes__gte=CRASHES_MOST, state__in=Crawl.ACTIVE).update(
        state=Crawl.State.FAILED, reason=CRASHED, finished_at=timezone.now()
    )
    if is_over:
        crawl = crawls.get()
        text = f"{crawl.get_state_display()}: {CRASHED}"
        CrawlEvent.objects.create(crawl=crawl, seq=crawl.seq, kind=crawl.state, text=text)


def _started(crawl_id: int) -> "subprocess.Popen[bytes]":
    path = Path(settings.DATA_DIR) / "logs" / "engine.log"
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as errors:
        return subprocess.Popen(  # noqa: S603 - our own command
            [sys.executable, str(settings.BASE_DIR / "manage.py"), "engine", str(crawl_id)],
            stdin=subprocess.PIPE,
            stdout=errors,
            stderr=errors,
        )


def _wait(child: "subprocess.Popen[bytes]", stopping: threading.Event | None) -> None:
    while True:
        try:
            child.wait(POLL_SECONDS)
        except subprocess.TimeoutExpired:
            if stopping is None or not stopping.is_set():
                continue
        return


def _end(child: "subprocess.Popen[bytes]") -> int:
    """Ask it to hand over; its exit code, 0 when it did."""
    if child.stdin is not None:
        child.stdin.close()
    try:
        return child.wait(GRACE_SECONDS)
    except subprocess.TimeoutExpired:
        child.kill()
        return child.wait()
