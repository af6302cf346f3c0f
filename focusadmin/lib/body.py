"""Reads a response's body within its limits: size, rate, encoding and type."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import httpx

from focusadmin.lib.inflate import BombError, BrokenBodyError, Gunzip, TooMuchError
from focusadmin.lib.limits import ERROR_BODY_BYTES, Limits
from focusadmin.lib.outcomes import Reason
from focusadmin.lib.stops import StoppedError, one_line, stops_for_reasons

_SNIFF_BYTES = 512


@dataclass(frozen=True)
class Received:
    """Headers and body as the rest of the program sees them."""

    headers: Mapping[str, str]
    body: bytes
    raw_bytes: int
    is_cut: bool


async def read_body(response: httpx.Response, limits: Limits, *, is_redirect: bool) -> Received:
    """The inflated body, or StoppedError. A redirect's body is left alone."""
    headers = _headers(response, limits)
    if is_redirect:
        return Received(headers, b"", 0, is_cut=False)
    if not response.is_success:
        limits = _for_errors(limits)
    sink = _Sink(limits, _inflater(headers, limits), headers.get("content-type", ""))
    sink.check_type()
    with stops_for_reasons(reading_body=True):
        async for piece in response.aiter_raw():
            if not sink.take(piece):
                break
    return Received(headers, sink.finish(), sink.raw_bytes, sink.is_cut)


def _headers(response: httpx.Response, limits: Limits) -> dict[str, str]:
    size = sum(len(name) + len(value) for name, value in response.headers.raw)
    if size > limits.max_header_bytes:
        raise StoppedError(Reason.HEADERS_TOO_LARGE, f"{size} bytes of headers")
    return dict(response.headers.items())


def _for_errors(limits: Limits) -> Limits:
    return replace(
        limits,
        types=frozenset(),
        max_raw_bytes=ERROR_BODY_BYTES,
        max_body_bytes=ERROR_BODY_BYTES,
        cuts_large_bodies=True,
    )


def _inflater(headers: Mapping[str, str], limits: Limits) -> Gunzip | None:
    encoding = headers.get("content-encoding", "").strip().lower()
    if encoding in {"", "identity"}:
        return None
    if encoding in {"gzip", "x-gzip"}:
        return Gunzip(max_bytes=limits.max_body_bytes)
    raise StoppedError(
        Reason.UNKNOWN_ENCODING, f"encoded as {one_line(encoding)}, which nobody asked for"
    )


@dataclass
class _Sink:
    """Takes pieces as they come and stops the fetch at the first limit that is crossed."""

    limits: Limits
    inflater: Gunzip | None
    content_type: str
    raw_bytes: int = 0
    is_cut: bool = False
    _pieces: list[bytes] = field(default_factory=list)
    _body_bytes: int = 0
    _window_began: float = field(default_factory=time.monotonic)
    _window_bytes: int = 0

    def check_type(self) -> None:
        declared = self.content_type.partition(";")[0].strip().lower()
        if declared and self.limits.types and declared not in self.limits.types:
            raise StoppedError(Reason.WRONG_TYPE, one_line(declared))

    def take(self, piece: bytes) -> bool:
        """Whether to go on reading."""
        self._watch_rate(len(piece))
        self.raw_bytes += len(piece)
        try:
            made = self.inflater.feed(piece) if self.inflater else piece
        except TooMuchError as error:
            return self._cut_or_stop(str(error))
        except BombError as error:
            raise StoppedError(Reason.BOMB, str(error)) from None
        except BrokenBodyError as error:
            raise StoppedError(Reason.BROKEN_ENCODING, str(error)) from None
        return self._keep(made)

    def _keep(self, made: bytes) -> bool:
        if not self._body_bytes:
            self._sniff(made)
        self._pieces.append(made)
        self._body_bytes += len(made)
        if self.raw_bytes > self.limits.max_raw_bytes:
            return self._cut_or_stop(f"more than {self.limits.max_raw_bytes} bytes")
        if self._body_bytes > self.limits.max_body_bytes:
            return self._cut_or_stop(f"more than {self.limits.max_body_bytes} bytes")
        return True

    def _cut_or_stop(self, detail: str) -> bool:
        if not self.limits.cuts_large_bodies:
            raise StoppedError(Reason.TOO_LARGE, detail)
        self.is_cut = True
        return False

    def _watch_rate(self, size: int) -> None:
        self._window_bytes += size
        elapsed = time.monotonic() - self._window_began
        if elapsed < self.limits.rate_window_seconds:
            return
        if self._window_bytes < self.limits.least_bytes_per_second * elapsed:
            detail = f"{self._window_bytes} bytes in {elapsed:.0f} s"
            raise StoppedError(Reason.TOO_SLOW, detail)
        self._window_began, self._window_bytes = time.monotonic(), 0

    def finish(self) -> bytes:
        if self.inflater and not self.is_cut and not self.inflater.is_complete:
            raise StoppedError(Reason.CUT_OFF, "the compressed body ends too early")
        return b"".join(self._pieces)[: self.limits.max_body_bytes]

    def _sniff(self, start: bytes) -> None:
        if self.limits.types and not self.content_type and _is_binary(start[:_SNIFF_BYTES]):
            raise StoppedError(Reason.WRONG_TYPE, "no type given, and not text")


def _is_binary(start: bytes) -> bool:
    """NUL bytes mean no text, except in UTF-16, which begins with a mark."""
    return b"\0" in start and not start.startswith((b"\xff\xfe", b"\xfe\xff"))
