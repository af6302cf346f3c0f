"""Caps on one kind of page and on one address, in a crawl: the server saw no more of them."""

import asyncio
from pathlib import Path

import pytest

from crawler.core.events import End
from tests.hostile.crawling import crawl
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb

SHELF = [f"/shelf/{number}" for number in range(9)]
NAMES = [f"farm-{letter}.test" for letter in "abcdef"]


def page(targets: list[str], words: str = "") -> bytes:
    links = "".join(f'<a href="{target}">racket</a> ' for target in targets)
    return f"<title>{words}</title><p>serve volley {words} {links}".encode()


@pytest.mark.parametrize(
    ("cap", "most"), [("max_pages_per_pattern", 5), ("max_pages_per_address", 7)]
)
def test_a_full_cap_ends_visits_and_says_so(web: LoopbackWeb, setup_file: Path, cap, most):
    shelf = {path: page([], path) for path in SHELF}
    farm = [web.add(name, Pages({"/": page([], name)}), "127.61.0.2") for name in NAMES]
    start = web.add("cap.test", Pages({"/": page([*SHELF, *farm]), **shelf}), "127.61.0.1")
    before = len(web.visits)
    run = crawl(web, setup_file, [start], 0.001, concurrency=1, **{cap: most})
    ending, outcomes = asyncio.run(run)
    assert ending.end is End.FINISHED
    visits = [visit for visit in web.visits[before:] if visit.target != "/robots.txt"]
    on_shelf = [visit for visit in visits if visit.target in SHELF]
    at_farm = [visit for visit in visits if visit.address == "127.61.0.2"]
    at_home = [visit for visit in visits if visit.address == "127.61.0.1"]
    if cap == "max_pages_per_pattern":
        assert (len(on_shelf), len(at_farm)) == (most, len(NAMES))
    else:
        assert (len(at_home), len(at_farm)) == (most, len(NAMES))
    capped = [outcome for outcome in outcomes if outcome.outcome == "capped"]
    assert len(capped) == 1 + len(SHELF) + len(NAMES) - len(visits)
    assert all(f"{most}" in outcome.detail for outcome in capped)
