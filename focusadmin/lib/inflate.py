"""Bounded inflation: never more output than asked for, however good the bomb."""

import zlib
from typing import NoReturn

from focusadmin.lib.errors import FocusAdminError

RATIO = 100
RATIO_FREE_BYTES = 64 * 1024  # small bodies may shrink as well as they like
MAX_MEMBERS = 100  # a file of many tiny members costs time out of all proportion
_GZIP = 16 + zlib.MAX_WBITS


class BombError(FocusAdminError):
    """The body grows beyond what an honest page does."""


class TooMuchError(FocusAdminError):
    """The inflated body is larger than the limit."""


class BrokenBodyError(FocusAdminError):
    """The body is not what its encoding says."""


class Gunzip:
    """Inflates gzip pieces, of one or more members, up to `max_bytes` in all."""

    def __init__(self, *, max_bytes: int, ratio: int = RATIO) -> None:
        self.max_bytes, self.ratio = max_bytes, ratio
        self.bytes_in = self.bytes_out = 0
        self._member = zlib.decompressobj(_GZIP)
        self._members = 1
        self._has_started = False

    def feed(self, piece: bytes) -> bytes:
        """What `piece` adds to the output; at most one byte more than the limit is ever made."""
        self.bytes_in += len(piece)
        out = []
        while piece:
            out.append(self._inflate(piece))
            piece = self._rest()
        return b"".join(out)

    def _inflate(self, piece: bytes) -> bytes:
        room = min(self.max_bytes, max(RATIO_FREE_BYTES, self.bytes_in * self.ratio))
        try:
            made = self._member.decompress(piece, room - self.bytes_out + 1)
        except zlib.error as error:
            raise BrokenBodyError(f"not gzip: {error}") from None
        self.bytes_out += len(made)
        self._has_started = True
        if self.bytes_out > room:
            self._stop()
        return made

    def _stop(self) -> NoReturn:
        used = self.bytes_in - len(self._member.unconsumed_tail)  # however large the pieces are
        if self.bytes_out > max(RATIO_FREE_BYTES, used * self.ratio):
            raise BombError(f"inflates more than {self.ratio}-fold")
        raise TooMuchError(f"inflates to more than {self.max_bytes} bytes")

    def _rest(self) -> bytes:
        """What follows a finished member; rubbish after the last one is ignored, as browsers do."""
        if not self._member.eof:
            return b""
        rest = self._member.unused_data
        if not rest or rest[:2] != b"\x1f\x8b"[: len(rest)]:
            return b""
        self._members += 1
        if self._members > MAX_MEMBERS:
            raise BombError(f"more than {MAX_MEMBERS} gzip members")
        self._member = zlib.decompressobj(_GZIP)
        return rest

    @property
    def is_complete(self) -> bool:
        """Whether the last member that began has also ended."""
        return self._member.eof or not self._has_started


def gunzip(body: bytes, *, max_bytes: int) -> bytes:
    """The whole of a gzip file, or BombError, TooMuchError or BrokenBodyError."""
    stream = Gunzip(max_bytes=max_bytes)
    inflated = stream.feed(body)
    if not stream.is_complete:
        raise BrokenBodyError("the gzip file ends too early")
    return inflated
