"""robots.txt in every state that a server can put it in."""

import asyncio
from dataclasses import dataclass, field

import pytest

from focusadmin.lib import robots as module
from focusadmin.lib.clock import ManualClock
from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.limits import ROBOTS_LIMITS, Limits
from focusadmin.lib.outcomes import FetchFailure, Outcome, Reason
from focusadmin.lib.robots import Access, Robots, RobotsCache
from tests.hostile.fetching import with_fetcher
from tests.sites.behaviours import Bomb, Pages, Redirects, Resets, Says, Sequence
from tests.sites.web import Behaviour, LoopbackWeb

RULES = b"User-agent: *\nDisallow: /private\nCrawl-delay: 7\nSitemap: http://s.test/map.xml\n"
TEXT = "text/plain"

TABLE: dict[str, tuple[Behaviour, Access]] = {
    "rules": (Says(RULES, content_type=TEXT), Access.RULES),
    "rules-as-html": (Says(RULES), Access.RULES),
    "created": (Says(RULES, status=201), Access.RULES),
    "empty": (Says(b""), Access.RULES),
    "page-instead": (Says(b"<!doctype html><title>Home</title>"), Access.RULES),
    "bytes": (Says(bytes(range(256)) * 9, content_type=TEXT), Access.RULES),
    "redirect-loop": (Redirects("/robots.txt"), Access.ALL),
    "six-redirects": (Redirects("/{n}"), Access.ALL),
    "redirect-to-nowhere": (Says(status=301), Access.ALL),
    "bad-request": (Says(status=400), Access.ALL),
    "unauthorised": (Says(status=401), Access.ALL),
    "forbidden": (Says(status=403), Access.ALL),
    "not-found": (Says(status=404), Access.ALL),
    "gone": (Says(status=410), Access.ALL),
    "not-now": (Says(status=429), Access.NOTHING),
    "error": (Says(status=500), Access.NOTHING),
    "unavailable": (Says(status=503), Access.NOTHING),
    "odd-status": (Says(status=599), Access.NOTHING),
    "reset": (Resets(), Access.NOTHING),
    "bomb": (Bomb(), Access.NOTHING),
    "redirect-to-loopback": (Redirects("http://127.0.0.1/"), Access.NOTHING),
}


def robots_of(web: LoopbackWeb, url: str) -> Robots:
    async def ask(fetcher: HttpxFetcher) -> Robots:
        return await RobotsCache(fetcher).for_url(url)

    return with_fetcher(web, ask)


@pytest.mark.parametrize("name", TABLE)
def test_the_table_of_rfc_9309(web: LoopbackWeb, name: str):
    behaviour, access = TABLE[name]
    url = web.add(f"robots-{name}.test", behaviour)
    robots = robots_of(web, url)
    assert robots.access is access
    assert robots.may_visit(f"{url}page") is (access is not Access.NOTHING)
    assert {visit.target for visit in web.visits_of(f"robots-{name}.test")} >= {"/robots.txt"}


def test_rules_are_those_of_the_first_half_megabyte(web: LoopbackWeb):
    filler = b"# filler\n" * 60_000  # 540 KB
    body = b"User-agent: *\nDisallow: /early\n" + filler + b"Disallow: /late\n"
    url = web.add("long-robots.test", Says(body, content_type=TEXT))
    robots = robots_of(web, url)
    assert not robots.may_visit(f"{url}early")
    assert robots.may_visit(f"{url}late")


def test_a_mark_at_the_beginning_does_not_hide_the_first_group(web: LoopbackWeb):
    url = web.add("bom-robots.test", Says(b"\xef\xbb\xbf" + RULES, content_type=TEXT))
    assert not robots_of(web, url).may_visit(f"{url}private/x")


def test_rules_behind_a_redirect_hold_for_the_host_that_was_asked(web: LoopbackWeb):
    web.add("new-home.test", Says(RULES, content_type=TEXT))
    url = web.add("moved-robots.test", Redirects(web.url("new-home.test", "/robots.txt")))
    robots = robots_of(web, url)
    assert not robots.may_visit(f"{url}private")
    assert robots.crawl_delay_seconds == 7
    assert robots.sitemaps == ["http://s.test/map.xml"]


def test_a_host_is_asked_once_however_many_pages_wait_for_it(web: LoopbackWeb):
    url = web.add("busy-robots.test", Pages({"/robots.txt": RULES}))

    async def ask(fetcher: HttpxFetcher) -> list[Robots]:
        cache = RobotsCache(fetcher)
        return await asyncio.gather(*(cache.for_url(f"{url}{n}") for n in range(50)))

    assert len(with_fetcher(web, ask)) == 50
    assert len(web.visits_of("busy-robots.test")) == 1


@dataclass
class Scripted:
    """A fetcher with prepared outcomes."""

    fetcher_outcomes: list[Outcome] = field(default_factory=list)

    async def fetch(self, url: str, *, limits: Limits = ROBOTS_LIMITS, hop_check=None) -> Outcome:
        return self.fetcher_outcomes.pop(0)


def test_old_rules_stay_in_force_for_a_day_while_the_site_is_down(web: LoopbackWeb):
    url = web.add("down.test", Sequence([Says(RULES, content_type=TEXT), Says(status=503)]))
    clock = ManualClock()

    async def ask(fetcher: HttpxFetcher) -> list[Robots]:
        cache = RobotsCache(fetcher, clock=clock)
        found = [await cache.for_url(url)]
        for hours in (13, 1, 11):
            clock.advance(hours * 3600)
            found.append(await cache.for_url(url))
        return found

    fresh, stale, still_stale, gone = with_fetcher(web, ask)
    assert fresh.access is stale.access is still_stale.access is Access.RULES
    assert gone.access is Access.NOTHING


def test_a_site_that_was_down_is_asked_again_after_a_while():
    down = FetchFailure("http://h/robots.txt", Reason.CONNECT_FAILED, "", "http://h/robots.txt")
    clock = ManualClock()
    scripted = Scripted([down, down])

    async def ask() -> None:
        cache = RobotsCache(scripted, clock=clock)
        await cache.for_url("http://h/")
        await cache.for_url("http://h/2")
        assert len(scripted.fetcher_outcomes) == 1
        clock.advance(601)
        await cache.for_url("http://h/3")
        assert scripted.fetcher_outcomes == []

    asyncio.run(ask())


def test_what_was_stored_can_be_put_back():
    clock = ManualClock()
    kept = Robots("http://h", Access.RULES, RULES.decode(), clock.now(), clock.now() + 60, "")
    cache = RobotsCache(Scripted(), clock=clock, max_origins=1)
    cache.remember(kept)
    assert cache.known("http://h/private") is kept
    cache.remember(Robots("http://other", Access.ALL, "", 0, 1e12, ""))
    assert cache.known("http://h/private") is None


def test_huge_rules_of_many_origins_do_not_fill_the_memory(monkeypatch):
    monkeypatch.setattr(module, "CACHED_CHARACTERS", 1_000)
    cache = RobotsCache(Scripted(), clock=ManualClock(0.0))
    for number in [1, 2, 3, 3, 4]:
        cache.remember(Robots(f"http://h{number}", Access.RULES, 400 * "#", 0, 1e12, ""))
    known = [n for n in range(1, 5) if cache.known(f"http://h{n}/")]
    assert known == [3, 4]
    cache.remember(Robots("http://huge", Access.RULES, 2_000 * "#", 0, 1e12, ""))
    assert cache.known("http://huge/") is None  # it is not kept, but its answer was given
