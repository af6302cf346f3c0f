"""Run one slice of a crawl in this process. Started by workers; people use `crawl start`."""

import os
import signal
import sys
import threading
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError

from crawler.core.engine import CrawlEngine
from crawler.core.events import End, Ending
from crawler.core.ports import LedgerDownError
from crawler.runners.session import SLICE_SECONDS, run_slice
from crawler.runners.watch import LEDGER_AWAY


class Command(BaseCommand):
    help = "Crawl for one slice, then hand over; ends when its standard input does."
    requires_system_checks = []  # its parent has checked; it would import every view again

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("crawl", type=int)
        parser.add_argument("--seconds", type=float, default=SLICE_SECONDS)

    def handle(self, *args: Any, **options: Any) -> None:
        leash = Leash()
        try:
            ending = run_slice(options["crawl"], seconds=options["seconds"], on_engine=leash.hold)
        except* (LedgerDownError, OperationalError, InterfaceError) as errors:
            raise CommandError(str(errors.exceptions[0]), returncode=LEDGER_AWAY) from errors
        self.stderr.write(f"crawl {options['crawl']}: {ending.end} {ending.reason}".rstrip())


class Leash:
    """Ends the engine when our parent is gone (end of its pipe), or on SIGTERM or SIGHUP."""

    def __init__(self) -> None:
        self._engine: CrawlEngine | None = None
        self._loop: Any = None
        self._is_over = False
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, lambda *_: self._pull())
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our parent
        if not sys.stdin.isatty():
            threading.Thread(target=self._watch, name="leash", daemon=True).start()

    def hold(self, engine: CrawlEngine) -> None:
        import asyncio

        self._engine, self._loop = engine, asyncio.get_running_loop()
        if self._is_over:
            self._pull()

    def _watch(self) -> None:
        while os.read(sys.stdin.fileno(), 1024):
            pass
        self._pull()

    def _pull(self) -> None:
        self._is_over = True
        if self._engine is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._engine.end, Ending(End.SLICE_OVER, "asked to"))
