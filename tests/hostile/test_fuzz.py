"""Answers with bytes changed at random: always an outcome, never an exception."""

import asyncio
import gzip
import random
from dataclasses import replace
from itertools import chain

import pytest

from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.limits import PAGE_LIMITS
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome
from tests.hostile.fetching import with_fetcher
from tests.sites.answers import answer, head
from tests.sites.behaviours import HELLO
from tests.sites.web import LoopbackWeb, Visit

QUICK = replace(PAGE_LIMITS, total_seconds=1.0, connect_seconds=0.5, first_byte_seconds=0.3)
AT_ONCE = 50  # more would run into these limits on a busy machine
SEEDS = [
    answer(HELLO, headers=[("Set-Cookie", "a=b"), ("Location", "/x"), ("Retry-After", "9")]),
    answer(gzip.compress(HELLO), headers=[("Content-Encoding", "gzip")]),
    head("Transfer-Encoding: chunked") + b"5\r\nhello\r\n3;a=b\r\nyou\r\n0\r\nX: y\r\n\r\n",
    answer(b"", status=302, headers=[("Location", "http://fuzz.test/next")]),
    b"HTTP/1.1 103 Early\r\nLink: x\r\n\r\n" + answer(HELLO),
]
SNIPPETS = [
    b"\r\n",
    b"\n",
    b"\0",
    b":",
    b" ",
    b"HTTP/1.1 ",
    b"\xff\xfe",
    b"chunked",
    b"-1",
    b"9" * 30,
]


def mutated(rng: random.Random) -> bytes:
    data = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randrange(1, 8)):
        place = rng.randrange(len(data))
        kind = rng.randrange(4)
        if kind == 0:
            data[place] = rng.randrange(256)
        elif kind == 1:
            data[place:place] = rng.choice(SNIPPETS)
        elif kind == 2:
            del data[place : place + rng.randrange(1, 20)]
        else:
            data[place:place] = data[place : place + rng.randrange(1, 60)]
        data = data or bytearray(b"x")
    return bytes(data)


class Fuzz:
    """Answers the number in the path with the mutation of that seed."""

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        digits = "".join(c for c in visit.target if c.isdigit())
        writer.write(mutated(random.Random(int(digits or 0))))
        await writer.drain()
        return False


@pytest.mark.parametrize("start", [0, 300])
def test_changed_bytes_never_raise(web: LoopbackWeb, start: int):
    web.add("fuzz.test", Fuzz())

    async def fetch_all(fetcher: HttpxFetcher) -> list[Outcome]:
        urls = [web.url("fuzz.test", f"/{number}") for number in range(start, start + 300)]
        parts = [urls[at : at + AT_ONCE] for at in range(0, len(urls), AT_ONCE)]
        fetched = [
            await asyncio.gather(*(fetcher.fetch(u, limits=QUICK) for u in p)) for p in parts
        ]
        return list(chain.from_iterable(fetched))

    outcomes = with_fetcher(web, fetch_all)
    assert all(isinstance(outcome, FetchResult | FetchFailure) for outcome in outcomes)
    assert len({type(outcome) for outcome in outcomes}) == 2
