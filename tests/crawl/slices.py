"""Slices of a crawl in the test's own process: quicker to start than a process of the product."""

import threading
from types import TracebackType
from typing import Self

from django.db import connection

from crawler.core.engine import CrawlEngine
from crawler.core.events import End, Ending
from crawler.models import Crawl
from crawler.runners.session import run_slice

PATIENCE_SECONDS = 180


class Slices:
    """`run()` is one slice; in a `with` block it runs beside the test, which waits for its end."""

    def __init__(self, crawl: Crawl) -> None:
        self.crawl = crawl
        self.engine: CrawlEngine | None = None
        self.ending: Ending | None = None
        self.failure: BaseException | None = None

    def run(self, seconds: float = 120.0) -> Ending:
        ending = run_slice(self.crawl.pk, seconds=seconds, on_engine=self._take)
        self.crawl.refresh_from_db()
        return ending

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="slice")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if error is not None and self.engine is not None:
            self.engine.end(Ending(End.SLICE_OVER, "the test is over"))
        self._thread.join(PATIENCE_SECONDS)
        assert error is not None or not self._thread.is_alive()
        if error is None and self.failure is not None:
            raise self.failure
        self.crawl.refresh_from_db()

    @property
    def is_ending(self) -> bool:
        return self.engine is not None and self.engine.is_ending

    def _run(self) -> None:
        try:
            self.ending = run_slice(self.crawl.pk, seconds=120.0, on_engine=self._take)
        except BaseException as error:  # noqa: BLE001 - told to the test
            self.failure = error
        finally:
            connection.close()

    def _take(self, engine: CrawlEngine) -> None:
        self.engine = engine
