"""Celery's file transport, made safe for several processes that start and work at once.

kombu writes a message under its final name, so that a reader may take half of it away, and reads
tables of exchanges that another process has only just created; either ends a worker with a JSON
error. It also moves what it reads through the system's folder for temporary files.
"""

import fcntl
from contextlib import contextmanager
from pathlib import Path
from queue import Empty
from time import time_ns
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from kombu.transport import filesystem
from kombu.utils.json import dumps, loads

if TYPE_CHECKING:
    from collections.abc import Iterator

_SUFFIX = ".msg"
_LOCK = "tables.lock"


class Channel(filesystem.Channel):
    """A message appears whole and is taken by one reader."""

    def _put(self, queue: str, payload: dict[str, Any], **kwargs: Any) -> None:  # type: ignore[override]
        folder = Path(self.data_folder_out)
        name = f"{time_ns()}_{uuid4().hex}.{queue}{_SUFFIX}"
        unfinished = folder / f"{name}.part"
        unfinished.write_text(dumps(payload), encoding="utf-8")
        unfinished.rename(folder / name)

    def _get(self, queue: str, timeout: float | None = None) -> Any:
        folder = Path(self.data_folder_in)
        for path in sorted(folder.glob(f"*.{queue}{_SUFFIX}")):
            mine = path.with_suffix(".taken")
            try:
                path.rename(mine)
            except FileNotFoundError:
                continue  # another worker was first
            payload = mine.read_text(encoding="utf-8")
            mine.unlink()
            return loads(payload)
        raise Empty

    def get_table(self, exchange: str) -> Any:
        with self._tables():
            return super().get_table(exchange)

    def _queue_bind(self, *args: Any) -> None:
        with self._tables():
            super()._queue_bind(*args)

    @contextmanager
    def _tables(self) -> "Iterator[None]":
        """One process at a time reads or writes tables of exchanges."""
        with (Path(self.control_folder) / _LOCK).open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield


class Transport(filesystem.Transport):
    """Stands for `filesystem://`."""

    Channel = Channel
