"""Sees every address that this process dials, whoever does it."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_DIALS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})
_watchers: list[list[tuple[str, int]]] = []


class ForbiddenDialError(RuntimeError):
    """Raised inside the dialling call, so that even a broken guard lets no packet out."""


def _hook(event: str, arguments: tuple[Any, ...]) -> None:
    if not _watchers or event not in _DIALS:
        return
    address = arguments[1]
    if not isinstance(address, tuple):
        return  # a Unix socket
    dial = (str(address[0]), int(address[1]))
    for seen in _watchers:
        seen.append(dial)
    if not dial[0].startswith("127."):
        raise ForbiddenDialError(f"dialled {dial}")


sys.addaudithook(_hook)  # can't be taken away again, hence the list of watchers


@contextmanager
def watched_dials() -> Iterator[list[tuple[str, int]]]:
    """The (address, port) pairs dialled in this block; anything beyond loopback raises."""
    seen: list[tuple[str, int]] = []
    _watchers.append(seen)
    try:
        yield seen
    finally:
        _watchers.remove(seen)
