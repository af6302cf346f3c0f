"""Sitemaps of sites that proved relevant."""

import pytest

from crawler.core.admission import Admission
from crawler.core.config import CrawlConfig
from crawler.core.hosts import Hosts
from crawler.core.sitemap_reading import admit_listed, has_proved, read_sitemaps
from crawler.core.turns import PacedFetcher
from crawler.core.types import Merge
from crawler.core.workingset import Frontier
from focusadmin.lib.clock import SystemClock
from focusadmin.lib.robots import Access, Robots
from tests.hostile.fetching import with_fetcher
from tests.sites.behaviours import Says
from tests.sites.web import LoopbackWeb

SITEMAP = (
    b"<urlset><url><loc>http://bikes.localhost:{port}/one</loc></url>"
    b"<url><loc>http://bikes.localhost:{port}/a/a/a/a</loc></url>"
    b"<url><loc>http://elsewhere.test/page</loc></url></urlset>"
)


@pytest.fixture
def web():
    with LoopbackWeb.running() as running:
        body = SITEMAP.replace(b"{port}", str(running.port).encode())
        running.add("bikes.localhost", Says(body, content_type="application/xml"))
        yield running


def rules(web: LoopbackWeb) -> Robots:
    text = f"Sitemap: {web.url('bikes.localhost', '/map.xml')}\nSitemap: http://elsewhere.test/x"
    return Robots(web.url("bikes.localhost"), Access.RULES, text, 0.0, 9e9, "status 200")


def read(web: LoopbackWeb, hosts: Hosts) -> list[str]:
    host = hosts.of_url(web.url("bikes.localhost"))

    async def work(fetcher) -> list[str]:
        paced = PacedFetcher(fetcher, Frontier(hosts), SystemClock())
        return await read_sitemaps(paced, rules(web), host)

    return with_fetcher(web, work)


def test_only_the_site_s_own_sitemaps_and_pages_count(web):
    found = read(web, Hosts(0.0))
    assert found == [web.url("bikes.localhost", "/one"), web.url("bikes.localhost", "/a/a/a/a")]
    assert [visit.target for visit in web.visits] == ["/map.xml"]


def test_a_sitemap_waits_for_its_host_s_turn(web):
    hosts, clock = Hosts(0.04), SystemClock()
    host = hosts.of_url(web.url("bikes.localhost"))
    began = clock.now()
    hosts.note_request(host, began)
    hosts.note_end(host)
    read(web, hosts)
    assert clock.now() - began >= 0.04
    assert host.in_flight == 0


def test_a_host_proves_itself_once_by_enough_relevant_pages():
    host = Hosts(1.0).of_url("http://a.test/")
    host.pages, host.relevance_sum = 4, 4.0
    assert not has_proved(host)
    host.pages, host.relevance_sum = 6, 2.9
    assert not has_proved(host)
    host.relevance_sum = 3.0
    assert has_proved(host)
    host.is_sitemap_read = True
    assert not has_proved(host)


def test_listed_pages_enter_behind_cited_ones_and_through_the_rules():
    hosts = Hosts(1.0)
    frontier = Frontier(hosts)
    host = hosts.of_url("http://a.test/")
    host.pages, host.relevance_sum = 10, 8.0
    urls = ["http://a.test/new", "http://a.test/x/x/x/x", "http://a.test/new"]
    admission = Admission(CrawlConfig(), hosts)
    assert admit_listed(frontier, admission, Merge.MAX, host, urls) == 1
    lease = frontier.lease(now=1.0)
    assert lease is not None
    assert lease.url == "http://a.test/new"
    assert frontier.priority(lease.slot) == pytest.approx(0.4)
