"""How the errors of HTTP clients become reasons."""

import re
from collections.abc import Iterator
from contextlib import contextmanager

import aiohttp
import httpx

from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.outcomes import Reason

_DETAIL_CHARACTERS = 200


class StoppedError(FocusAdminError):
    """Ends one fetch; the fetcher turns it into a FetchFailure."""

    def __init__(self, reason: Reason, detail: str) -> None:
        super().__init__(detail)
        self.reason = reason


# First match wins, so the narrow classes come first.
_REASONS: list[tuple[type[Exception], Reason]] = [
    (aiohttp.ClientConnectorDNSError, Reason.NAME_NOT_FOUND),
    (aiohttp.ClientSSLError, Reason.TLS_FAILED),
    (aiohttp.ConnectionTimeoutError, Reason.CONNECT_TIMEOUT),
    (aiohttp.ServerTimeoutError, Reason.FIRST_BYTE_TIMEOUT),
    (aiohttp.ClientConnectorError, Reason.CONNECT_FAILED),
    (aiohttp.ClientPayloadError, Reason.CUT_OFF),
    (aiohttp.ClientConnectionError, Reason.CUT_OFF),
    (aiohttp.InvalidURL, Reason.BAD_URL),
    (aiohttp.ClientResponseError, Reason.BROKEN_PROTOCOL),
    (aiohttp.ClientError, Reason.BROKEN_PROTOCOL),
    (httpx.ConnectTimeout, Reason.CONNECT_TIMEOUT),
    (httpx.TimeoutException, Reason.FIRST_BYTE_TIMEOUT),
    (httpx.ConnectError, Reason.CONNECT_FAILED),
    (httpx.RemoteProtocolError, Reason.BROKEN_PROTOCOL),
    (httpx.UnsupportedProtocol, Reason.FORBIDDEN_SCHEME),
    (httpx.TransportError, Reason.CUT_OFF),
    (httpx.InvalidURL, Reason.BAD_URL),
    (OSError, Reason.CUT_OFF),
    (ValueError, Reason.BROKEN_PROTOCOL),  # what parsers of headers and chunks let through
]
# aiohttp says so in words only; the last ones are those of our own socket.
_LARGE_HEADERS = re.compile("Got more than|Too many headers")
_LARGE_ANSWER = re.compile("bytes on the wire")
_KNOWN = tuple(kind for kind, _ in _REASONS)


@contextmanager
def stops_for_reasons(*, reading_body: bool = False) -> Iterator[None]:
    """Turn any error of a client in this block into `StoppedError`."""
    try:
        yield
    except StoppedError:
        raise
    except _KNOWN as error:
        raise StoppedError(
            _reason(error, reading_body=reading_body), one_line(str(error))
        ) from error


def _reason(error: Exception, *, reading_body: bool) -> Reason:
    reason = next(reason for kind, reason in _REASONS if isinstance(error, kind))
    if reason is Reason.BROKEN_PROTOCOL and _LARGE_HEADERS.search(str(error)):
        return Reason.HEADERS_TOO_LARGE
    if reason is Reason.CUT_OFF and _LARGE_ANSWER.search(str(error)):
        return Reason.TOO_LARGE
    if reading_body and reason is Reason.FIRST_BYTE_TIMEOUT:
        return Reason.TOO_SLOW
    return reason


def one_line(text: str) -> str:
    """Cut and cleaned for a log, a table or a page: no line breaks, no control characters."""
    shown = "".join(c if c.isprintable() else " " for c in text[: 2 * _DETAIL_CHARACTERS])
    return " ".join(shown.split())[:_DETAIL_CHARACTERS]
