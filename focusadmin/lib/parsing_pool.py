"""A few killable children that do what must not hurt the caller: parse foreign bytes.

    async with ParsingPool(workers=2) as pool:
        content = await read_page_in(pool, body, url, headers)      # see lib.pages

A task is `module:function` with `(meta, body) -> dict`, both JSON; a `prepare(setup)` in its module
runs once, with what the setup file holds, while the child may still open files.
"""

import asyncio
from collections import deque
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from focusadmin.lib.parsing_worker import ParsingWorker, WorkFailure, WorkLimits

PAGE_TASK = "focusadmin.lib.pages:page_task"


class ParsingPool:
    """Children for an event loop (`run`) or for threads (`run_blocking`)."""

    def __init__(
        self,
        *,
        workers: int = 1,
        task: str = PAGE_TASK,
        limits: WorkLimits | None = None,
        setup_file: Path | None = None,
    ) -> None:
        limits = limits or WorkLimits()
        self._workers = [ParsingWorker(task, limits, setup_file) for _ in range(workers)]
        self._idle = deque(self._workers)
        # A thread per child: it only waits. There are never more jobs at work than children.
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="parsing")

    def start(self) -> None:
        """Start every child now, so that the first page need not wait for it."""
        for worker in self._workers:
            worker.start()

    async def run(self, meta: dict[str, Any], body: bytes) -> dict[str, Any] | WorkFailure:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, self._run_on_any, meta, body)

    def run_blocking(self, meta: dict[str, Any], body: bytes) -> dict[str, Any] | WorkFailure:
        return self._threads.submit(self._run_on_any, meta, body).result()

    def _run_on_any(self, meta: dict[str, Any], body: bytes) -> dict[str, Any] | WorkFailure:
        worker = self._idle.popleft()
        try:
            return worker.run(meta, body)
        finally:
            self._idle.append(worker)

    def close(self) -> None:
        """Ends after the jobs in hand, whose limits bound the wait."""
        self._threads.shutdown(wait=True, cancel_futures=True)
        for worker in self._workers:
            worker.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        self.start()
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.close)
