"""The fetcher over other transports: what it promises does not depend on the one we use."""

import asyncio
from collections.abc import Callable

import httpx
import pytest

from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason

HTML = {"content-type": "text/html"}


def answer(body: bytes) -> httpx.Response:
    return httpx.Response(200, headers=HTML, stream=httpx.ByteStream(body))


def fetch(
    handler: Callable[[httpx.Request], httpx.Response], url: str = "http://e.com/"
) -> Outcome:
    async def run() -> Outcome:
        transport = httpx.MockTransport(handler)
        async with HttpxFetcher(Identity("ann@example.org"), transport=transport) as fetcher:
            return await fetcher.fetch(url)

    return asyncio.run(run())


def test_another_transport_can_take_the_place_of_ours():
    outcome = fetch(lambda request: answer(b"hello"))
    assert isinstance(outcome, FetchResult)
    assert outcome.body == b"hello"
    assert outcome.is_ok
    assert outcome.content_type == "text/html"


@pytest.mark.parametrize(
    ("error", "reason", "may_retry"),
    [
        (httpx.ConnectTimeout("x"), Reason.CONNECT_TIMEOUT, True),
        (httpx.ReadTimeout("x"), Reason.FIRST_BYTE_TIMEOUT, True),
        (httpx.ConnectError("x"), Reason.CONNECT_FAILED, True),
        (httpx.RemoteProtocolError("x"), Reason.BROKEN_PROTOCOL, False),
        (httpx.ReadError("x"), Reason.CUT_OFF, True),
        (httpx.InvalidURL("x"), Reason.BAD_URL, False),
        (OSError("x"), Reason.CUT_OFF, True),
        (ValueError("line\nbreak\x1b[31m"), Reason.BROKEN_PROTOCOL, False),
    ],
)
def test_errors_of_clients_become_reasons(error: Exception, reason: Reason, may_retry: bool):
    def fail(request: httpx.Request) -> httpx.Response:
        raise error

    outcome = fetch(fail)
    assert isinstance(outcome, FetchFailure)
    assert (outcome.reason, outcome.may_retry) == (reason, may_retry)
    assert outcome.detail.isprintable()


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("", Reason.BAD_URL),
        ("no scheme", Reason.BAD_URL),
        ("http://", Reason.BAD_URL),
        ("http://h:99999/", Reason.BAD_URL),
        ("file:///etc/passwd", Reason.FORBIDDEN_SCHEME),
        ("FTP://h/", Reason.FORBIDDEN_SCHEME),
        ("javascript:x", Reason.FORBIDDEN_SCHEME),
    ],
)
def test_what_is_not_on_the_web_is_not_asked_for(url: str, reason: Reason):
    outcome = fetch(lambda request: httpx.Response(200), url)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is reason


def test_a_url_that_two_parsers_read_differently_goes_where_browsers_go():
    seen = []

    def look(request: httpx.Request) -> httpx.Response:
        seen.append(request.url.host)
        return answer(b"")

    fetch(look, "http://example.com\\@evil.com/")
    assert seen == ["example.com"]
