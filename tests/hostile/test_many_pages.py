"""Many pages on a person's request: each host is paced, and one that is down stops nobody."""

from contextlib import closing

from focusadmin.lib.http import Identity
from focusadmin.lib.many_pages import DELAY_SECONDS, Visited, pages_at
from focusadmin.lib.single_page import PageUnreachableError, SinglePage
from tests.sites.behaviours import Pages, Resets
from tests.sites.web import LoopbackWeb

IDENTITY = Identity("ann@example.org")
PAGE = b"<title>Wheels</title><p>Spokes and rims."


def tour(web: LoopbackWeb, urls: list[str], seconds: float = 60.0) -> list[Visited]:
    policy, resolver = web.policy, web.resolver
    return list(pages_at(urls, IDENTITY, seconds=seconds, policy=policy, resolver=resolver))


def test_pages_of_many_hosts_come_with_what_stands_in_the_way_of_others(web: LoopbackWeb):
    good = [web.add(f"many-{n}.test", Pages({"/": PAGE})) for n in range(3)]
    bad = web.add("many-down.test", Resets())
    found = dict(tour(web, [*good, bad]))
    assert found.keys() == {*good, bad}
    assert all(isinstance(found[url], SinglePage) for url in good)
    assert isinstance(found[bad], PageUnreachableError)


def test_one_host_is_asked_page_by_page_with_a_pause(web: LoopbackWeb):
    web.add("paced.test", Pages({"/": PAGE, "/two": PAGE}))
    tour(web, [web.url("paced.test", "/"), web.url("paced.test", "/two")])
    robots, first, second = web.visits_of("paced.test")
    assert robots.target == "/robots.txt"
    assert second.at - first.at >= 0.99 * DELAY_SECONDS


def test_what_would_begin_too_late_is_left_out(web: LoopbackWeb):
    rules = b"User-agent: *\nCrawl-delay: 100"
    web.add("slow.test", Pages({"/": PAGE, "/two": PAGE, "/robots.txt": rules}))
    found = tour(web, [web.url("slow.test", "/"), web.url("slow.test", "/two")], seconds=20)
    assert [url for url, _ in found] == [web.url("slow.test", "/")]


def test_closing_early_ends_the_work(web: LoopbackWeb):
    web.add("early.test", Pages({f"/{n}": PAGE for n in range(9)}))
    urls = [web.url("early.test", f"/{n}") for n in range(9)]
    policy, resolver = web.policy, web.resolver
    with closing(pages_at(urls, IDENTITY, seconds=60, policy=policy, resolver=resolver)) as pages:
        next(pages)
    assert len(web.visits_of("early.test")) <= 3
