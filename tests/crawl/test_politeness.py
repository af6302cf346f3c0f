"""The pauses between requests, audited in the web's own log: by host, address, over a restart."""

from itertools import pairwise

import pytest

from crawler.services import crawls as services
from tests.crawl.engines import wait_for_state
from tests.crawl.small_web import Site, SmallWeb
from tests.crawl.test_kill import wait_for_visits
from tests.sites.behaviours import Says
from tests.sites.web import Visit

pytestmark = pytest.mark.process

DELAY = 0.5
SLACK = 0.25  # a busy machine notes a visit late, and the next one in time
ASKED_DELAY = 1.0


def test_hosts_and_addresses_have_their_pauses_also_after_a_kill(engines, new_crawl, web):
    hosts = ("127.0.0.1", "localhost", "127.0.0.2")  # the first two are neighbours
    small_web = SmallWeb.built(web, pages=15, hosts=hosts)
    sends_on = small_web.sites["127.0.0.2"]
    sends_on.redirects["/p/5"] = small_web.url_of("localhost", "/moved")
    small_web.sites["localhost"].pages["/moved"] = sends_on.pages.pop("/p/5")
    crawl = new_crawl(small_web.urls[0], delay_seconds=DELAY)
    engine = engines.start(crawl)
    wait_for_visits(small_web, 8)
    engines.kill(crawl, engine)
    assert engines.run(crawl) == 0, engines.said()
    assert (crawl.state, crawl.fetched) == ("finished", 15)
    for host in hosts:
        assert shortest_pause(web.visits_of(host)) >= DELAY - SLACK
    for address in ("127.0.0.1", "127.0.0.2"):
        there = [visit for visit in web.visits if visit.address == address]
        assert shortest_pause(there) >= DELAY - SLACK


def test_a_pause_that_robots_txt_asks_for_holds_from_the_first_page_on(in_process, new_crawl, web):
    site = Site({f"/{n}": f"<a href=/{n + 1}>on</a> chain {n}".encode() for n in range(3)})
    rules = f"User-agent: *\nCrawl-delay: {ASKED_DELAY}\n".encode()
    site.pages["/robots.txt"] = rules
    crawl = new_crawl(web.add("calm.localhost", site) + "0")
    in_process(crawl).run()
    assert crawl.fetched == 3
    assert shortest_pause(web.visits_of("calm.localhost")) >= ASKED_DELAY - SLACK


def test_a_crawl_whose_hosts_all_rest_says_so(in_process, new_crawl, web):
    class Busy(Site):
        async def answer(self, visit: Visit, writer) -> bool:
            if visit.target == "/robots.txt":
                return await super().answer(visit, writer)
            return await Says(b"", status=429, headers=(("Retry-After", "3600"),)).answer(
                visit, writer
            )

    crawl = new_crawl(web.add("one.localhost", Busy()), web.add("two.localhost", Busy()))
    with in_process(crawl):
        wait_for_state(crawl, "rate_limited")
        assert crawl.reason.startswith("waiting for hosts that asked for a pause, 3")
        services.crawl_stop(crawl=crawl)
    assert crawl.state == "finished"
    pages = [visit for visit in web.visits if visit.target == "/"]
    assert len(pages) == 2
    services.crawl_resume(crawl=crawl)
    with in_process(crawl):  # the rest is kept through the restart
        wait_for_state(crawl, "rate_limited")
        services.crawl_stop(crawl=crawl)
    assert [visit for visit in web.visits if visit.target == "/"] == pages


def shortest_pause(visits: list[Visit]) -> float:
    assert len(visits) > 1
    return min(second.at - first.at for first, second in pairwise(visits))
