"""Hostile documents: bounded time and memory, never a crash, always an outcome."""

import asyncio
import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from focusadmin.lib.pages import ReadPage, read_page_blocking, read_page_in
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import START_SECONDS, WorkFailure, WorkLimits, WorkReason
from focusadmin.lib.sitemaps import read_sitemap
from tests.sites.bombs import html_bombs, xml_bombs

HTML = html_bombs()
XML = xml_bombs()
LIMITS = WorkLimits(cpu_seconds=2, wall_seconds=6.0)
MOST_SECONDS = (
    START_SECONDS + 2 * LIMITS.wall_seconds
)  # a new child, a try with a parser, one without
URL = "http://bomb.test/"


@pytest.fixture(scope="module")
def pool() -> Iterator[ParsingPool]:
    with ParsingPool(workers=1, limits=LIMITS) as running:
        yield running


@pytest.mark.parametrize("name", HTML)
def test_a_html_bomb_costs_bounded_time_gives_a_page_and_harms_no_other(
    pool: ParsingPool, name: str
):
    began = time.monotonic()
    page = read_page_blocking(pool, HTML[name], URL, {"content-type": "text/html"})
    assert isinstance(page, ReadPage), page
    assert time.monotonic() - began < MOST_SECONDS
    assert len(page.content.text) <= 500_000
    assert len(page.content.links) <= 2_000
    assert "\0" not in page.content.text
    honest = read_page_blocking(pool, b"<title>Hi</title><p>Good day.", URL, {})
    assert isinstance(honest, ReadPage)
    assert (honest.content.title, honest.content.plain_because) == ("Hi", None)


@pytest.mark.parametrize("name", XML)
def test_an_xml_bomb_is_only_text(name: str):
    began = time.process_time()
    sitemap = read_sitemap(XML[name])
    assert time.process_time() - began < 2.0
    assert len(sitemap.urls) <= 1
    assert not any("root:" in url or "lol" in url for url in sitemap.urls)


# Tasks that stand for a parser gone wrong; the child finds them by name.
def spin(meta: dict[str, object], body: bytes) -> dict[str, object]:
    while True:
        pass


def sleep(meta: dict[str, object], body: bytes) -> dict[str, object]:
    time.sleep(60)
    return {}


def eat(meta: dict[str, object], body: bytes) -> dict[str, object]:
    return {"size": len(b"x" * 2_000_000_000)}


def die(meta: dict[str, object], body: bytes) -> dict[str, object]:
    os.abort()


def fail(meta: dict[str, object], body: bytes) -> dict[str, object]:
    raise LookupError("no such thing")


def open_file(meta: dict[str, object], body: bytes) -> dict[str, object]:
    return {"text": Path("/etc/passwd").read_text()}


def open_socket(meta: dict[str, object], body: bytes) -> dict[str, object]:
    import socket

    return {"socket": socket.socket().fileno()}


def environment(meta: dict[str, object], body: bytes) -> dict[str, object]:
    return {"names": sorted(os.environ), "pid": os.getpid()}


def run(task: str, **limits: float) -> dict[str, object] | WorkFailure:
    asked = WorkLimits(cpu_seconds=1, wall_seconds=limits.get("wall_seconds", 20.0))
    with ParsingPool(task=f"{__name__}:{task}", limits=asked) as pool:
        return pool.run_blocking({}, b"body")


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        ("spin", WorkReason.TIME),
        ("eat", WorkReason.MEMORY),
        ("die", WorkReason.CRASH),
        ("fail", WorkReason.ERROR),
        ("open_file", WorkReason.ERROR),
        ("open_socket", WorkReason.ERROR),
    ],
)
def test_a_parser_gone_wrong_is_ended_with_a_reason(task: str, reason: WorkReason):
    outcome = run(task)
    assert isinstance(outcome, WorkFailure)
    assert outcome.reason is reason, outcome.detail


def test_a_child_that_only_waits_is_ended_too():
    outcome = run("sleep", wall_seconds=0.5)
    assert isinstance(outcome, WorkFailure)
    assert outcome.reason is WorkReason.TIME


def test_a_child_knows_no_secret(monkeypatch):
    monkeypatch.setenv("FOCUSADMIN_SECRET_KEY", "secret")
    outcome = run("environment")
    assert isinstance(outcome, dict)
    assert "SECRET" not in str(outcome["names"])


def test_children_are_renewed_and_end_with_their_pool():
    limits = WorkLimits(jobs_per_child=2)
    with ParsingPool(task=f"{__name__}:environment", limits=limits) as pool:
        answers = [pool.run_blocking({}, b"") for _ in range(5)]
    pids = [answer["pid"] for answer in answers if isinstance(answer, dict)]
    assert len(set(pids)) == 3
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids)


def test_many_pages_at_once_come_back_to_their_own_callers():
    async def read_all() -> list[ReadPage | WorkFailure]:
        async with ParsingPool(workers=2) as pool:
            bodies = [f"<title>page {n}</title>".encode() for n in range(40)]
            return await asyncio.gather(*(read_page_in(pool, body, URL, {}) for body in bodies))

    titles = [page.content.title for page in asyncio.run(read_all()) if isinstance(page, ReadPage)]
    assert titles == [f"page {n}" for n in range(40)]
