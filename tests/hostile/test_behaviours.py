"""Every behaviour of a bad server: bounded time, and an outcome with a reason."""

import gzip
import random
import time
from dataclasses import replace

import pytest

from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.limits import PAGE_LIMITS
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from tests.hostile.fetching import fetch, with_fetcher
from tests.sites.answers import head
from tests.sites.behaviours import (
    HELLO,
    Bomb,
    Drips,
    Endless,
    Gzipped,
    HeaderFlood,
    Pages,
    Raw,
    Redirects,
    Resets,
    Says,
    Silent,
)
from tests.sites.web import Behaviour, LoopbackWeb

QUICK = replace(
    PAGE_LIMITS,
    total_seconds=2.0,
    connect_seconds=0.3,
    first_byte_seconds=0.4,
    rate_window_seconds=0.5,
)
MOST_SECONDS = 15.0  # the limits above say 2; a machine may be busy, but the servers go on for 50
GZIP = ("Content-Encoding", "gzip")
RANDOM = random.Random(5).randbytes(6_000_000)
CHUNKED = "Transfer-Encoding: chunked"

BAD: dict[str, tuple[Behaviour, Reason]] = {
    "silent": (Silent(), Reason.FIRST_BYTE_TIMEOUT),
    "endless-blank-lines": (Endless(b"", b"\r\n" * 30_000), Reason.TOO_LARGE),
    "silent-after-status": (Silent(b"HTTP/1.1 200 OK\r\n"), Reason.FIRST_BYTE_TIMEOUT),
    "silent-in-body": (Silent(head("Content-Length: 9000") + HELLO), Reason.TOO_SLOW),
    "header-a-second": (Drips(b"HTTP/1.1 200 OK\r\n", b"X-A: b\r\n"), Reason.FIRST_BYTE_TIMEOUT),
    "endless-continue": (Drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"), Reason.FIRST_BYTE_TIMEOUT),
    "byte-by-byte": (Drips(head(), b"x"), Reason.TOO_SLOW),
    "just-fast-enough": (Drips(head(), b"x" * 500, pause=0.1), Reason.DEADLINE),
    "endless": (Endless(), Reason.TOO_LARGE),
    "endless-chunks": (
        Endless(head(CHUNKED), b"fff0\r\n" + b"x" * 0xFFF0 + b"\r\n"),
        Reason.TOO_LARGE,
    ),
    # What a parser swallows without a trace is counted at the socket.
    "endless-chunk-extension": (Endless(head(CHUNKED) + b"5;", b"x" * 65_536), Reason.TOO_LARGE),
    "endless-chunk-extensions": (
        Endless(head(CHUNKED), b"1;" + b"x" * 60_000 + b"\r\ny\r\n"),
        Reason.TOO_LARGE,
    ),
    "endless-chunk-size": (Endless(head(CHUNKED), b"0" * 65_536), Reason.TOO_LARGE),
    "small-chunks": (
        Endless(head(CHUNKED), (b"20\r\n" + b"x" * 32 + b"\r\n") * 999),
        Reason.TOO_LARGE,
    ),
    "trailer-flood": (
        Endless(head(CHUNKED) + b"1\r\nx\r\n0\r\n", b"X-A: b\r\n" * 5_000),
        Reason.HEADERS_TOO_LARGE,
    ),
    "endless-gzip-name": (
        Endless(head("Content-Encoding: gzip") + b"\x1f\x8b\x08\x08" + bytes(6), b"n" * 65_536),
        Reason.TOO_LARGE,
    ),
    "endless-status-line": (Endless(b"HTTP/1.1 200 ", b"x" * 65_536), Reason.HEADERS_TOO_LARGE),
    "endless-header": (Endless(b"HTTP/1.1 200 OK\r\nX: ", b"y" * 9999), Reason.HEADERS_TOO_LARGE),
    "header-flood": (HeaderFlood(), Reason.HEADERS_TOO_LARGE),
    "many-long-headers": (
        Raw(head(*(f"X-{n}: {'y' * 9000}" for n in range(50)))),
        Reason.HEADERS_TOO_LARGE,
    ),
    "reset": (Resets(), Reason.CUT_OFF),
    "reset-in-body": (Resets(head("Content-Length: 9000") + HELLO), Reason.CUT_OFF),
    "closed": (Raw(b""), Reason.CUT_OFF),
    "no-status-line": (Raw(HELLO), Reason.BROKEN_PROTOCOL),
    "odd-status": (Raw(b"HTTP/1.1 99999999999 Much\r\n\r\n"), Reason.BROKEN_PROTOCOL),
    "bad-chunk": (Raw(head(CHUNKED) + b"zz\r\nabc\r\n"), Reason.BROKEN_PROTOCOL),
    "huge-chunk": (Raw(head(CHUNKED) + b"f" * 40 + b"\r\nabc"), Reason.BROKEN_PROTOCOL),
    "negative-chunk": (Raw(head(CHUNKED) + b"-5\r\nabc"), Reason.BROKEN_PROTOCOL),
    "unfinished-chunk": (Raw(head(CHUNKED) + b"ff\r\nabc"), Reason.CUT_OFF),
    "too-long-length": (Raw(head("Content-Length: 9000") + HELLO), Reason.CUT_OFF),
    "negative-length": (Raw(head("Content-Length: -5") + HELLO), Reason.BROKEN_PROTOCOL),
    "two-lengths": (
        Raw(head("Content-Length: 5", "Content-Length: 8") + HELLO),
        Reason.BROKEN_PROTOCOL,
    ),
    "length-and-chunks": (
        Raw(head("Content-Length: 5", CHUNKED) + b"5\r\nhello\r\n0\r\n\r\n"),
        Reason.BROKEN_PROTOCOL,
    ),
    "gzip-bomb": (Bomb(), Reason.BOMB),
    "large-gzip": (
        Says(gzip.compress(RANDOM.hex().encode(), 1), headers=(GZIP,)),
        Reason.TOO_LARGE,
    ),
    "small-gzip-bomb": (Bomb(megabytes=4), Reason.BOMB),
    "double-gzip-bomb": (Bomb(is_double=True), Reason.UNKNOWN_ENCODING),
    "many-members": (Says(gzip.compress(b"") * 500, headers=(GZIP,)), Reason.BOMB),
    "no-gzip": (Says(HELLO, headers=(GZIP,)), Reason.BROKEN_ENCODING),
    "half-gzip": (Says(gzip.compress(HELLO)[:-9], headers=(GZIP,)), Reason.CUT_OFF),
    "brotli": (Says(headers=(("Content-Encoding", "br"),)), Reason.UNKNOWN_ENCODING),
    "deflate": (Says(headers=(("Content-Encoding", "deflate"),)), Reason.UNKNOWN_ENCODING),
    "image": (Says(content_type="image/png"), Reason.WRONG_TYPE),
    "untyped-binary": (Says(b"\x89PNG\0\0" * 99, content_type=""), Reason.WRONG_TYPE),
    "redirects-to-itself": (Redirects("/"), Reason.REDIRECT_LOOP),
    "redirects-on-and-on": (Redirects("/{n}"), Reason.TOO_MANY_REDIRECTS),
    "redirects-to-file": (Redirects("file:///etc/passwd"), Reason.FORBIDDEN_SCHEME),
    "redirects-to-ftp": (Redirects("ftp://127.0.0.1/"), Reason.FORBIDDEN_SCHEME),
    "redirects-to-gopher": (Redirects("gopher://127.0.0.1:6379/_"), Reason.FORBIDDEN_SCHEME),
    "redirects-to-data": (Redirects("data:text/html,hello"), Reason.FORBIDDEN_SCHEME),
    "redirects-to-script": (Redirects("javascript:alert(1)"), Reason.FORBIDDEN_SCHEME),
    "redirects-to-much": (Redirects("/" + "x" * 3_000), Reason.BAD_URL),
    "redirects-to-port-0": (Redirects("http://127.0.0.1:0/"), Reason.FORBIDDEN_ADDRESS),
    "redirects-to-rubbish": (Redirects("http://[:::/"), Reason.BAD_URL),
    "redirects-to-loopback": (Redirects("http://127.0.0.1/"), Reason.FORBIDDEN_ADDRESS),
    "redirects-to-metadata": (Redirects("http://169.254.169.254/"), Reason.FORBIDDEN_ADDRESS),
}

GOOD: dict[str, tuple[Behaviour, bytes]] = {
    "ordinary": (Pages(), HELLO),
    "gzipped": (Gzipped(), HELLO),
    "two-members": (
        Says(gzip.compress(b"one ") + gzip.compress(b"two"), headers=(GZIP,)),
        b"one two",
    ),
    "gzip-and-rubbish": (Says(gzip.compress(HELLO) + b"rubbish", headers=(GZIP,)), HELLO),
    "identity": (Says(headers=(("Content-Encoding", "identity"),)), HELLO),
    "till-the-end": (Raw(head() + HELLO), HELLO),
    "chunked": (Raw(head(CHUNKED) + b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nT: r\r\n\r\n"), b"abcde"),
    "untyped": (Says(content_type=""), HELLO),
    "odd-header-bytes": (Says(headers=(("X-Name", "\xe9\xff"),)), HELLO),
    "refresh-header": (Says(headers=(("Refresh", "0; url=http://127.0.0.1/"),)), HELLO),
    "empty": (Says(b""), b""),
    "not-found": (Says(b"no", status=404, content_type="image/png"), b"no"),
    "long-error-page": (Says(b"e" * 99_999, status=500), b"e" * 16_384),
    "redirect-without-target": (Says(b"moved", status=302), b""),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_server_costs_little_time_and_gives_a_reason(web: LoopbackWeb, name: str):
    behaviour, reason = BAD[name]
    url = web.add(f"{name}.test", behaviour)
    began = time.monotonic()
    outcome = fetch(web, url, QUICK)
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason == reason, outcome.detail
    assert time.monotonic() - began < MOST_SECONDS
    assert outcome.detail.isprintable()
    assert len(outcome.detail) <= 200


@pytest.mark.parametrize("name", GOOD)
def test_an_odd_but_honest_server_is_understood(web: LoopbackWeb, name: str):
    behaviour, body = GOOD[name]
    outcome = fetch(web, web.add(f"{name}.test", behaviour), QUICK)
    assert isinstance(outcome, FetchResult), outcome
    assert outcome.body == body
    assert outcome.address == "127.0.0.1"


def test_an_endless_body_is_not_read_on(web: LoopbackWeb):
    endless = Endless()
    fetch(web, web.add("read-on.test", endless), QUICK)
    assert endless.sent_bytes < 20 * 1024 * 1024


def test_bytes_that_belong_to_no_body_are_not_taken_for_ever(web: LoopbackWeb):
    endless = Endless(head(CHUNKED) + b"5;", b"x" * 65_536)
    fetch(web, web.add("extension.test", endless), QUICK)
    assert endless.sent_bytes < 20 * 1024 * 1024


def test_a_connection_that_is_used_often_is_not_cut_for_it(web: LoopbackWeb):
    url = web.add("long-lived.test", Says(b"x" * 3_000_000))

    async def often(fetcher: HttpxFetcher) -> list[Outcome]:
        return [await fetcher.fetch(url) for _ in range(6)]

    before = web.connections
    assert all(isinstance(outcome, FetchResult) for outcome in with_fetcher(web, often))
    assert web.connections == before + 1


def test_a_large_body_is_cut_where_the_beginning_is_enough(web: LoopbackWeb):
    limits = replace(QUICK, max_raw_bytes=100_000, cuts_large_bodies=True)
    outcome = fetch(web, web.add("cut.test", Endless()), limits)
    assert isinstance(outcome, FetchResult)
    assert outcome.is_cut
    assert len(outcome.body) <= 10 * 1024 * 1024


def test_bodies_beyond_the_inflated_limit_are_cut_too(web: LoopbackWeb):
    site = Says(gzip.compress(RANDOM[:500_000].hex().encode()), headers=(GZIP,))
    limits = replace(QUICK, max_body_bytes=300_000, cuts_large_bodies=True)
    outcome = fetch(web, web.add("cut-gzip.test", site), limits)
    assert isinstance(outcome, FetchResult)
    assert outcome.is_cut
    assert len(outcome.body) <= 300_000
