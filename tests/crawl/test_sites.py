"""Decisions about sites, and caps, act on real crawls; the web's log proves it."""

import pytest

from crawler.core.ranking import BOOST
from crawler.models import Crawl, CrawlEvent, CrawlHost, FrontierUrl
from crawler.selectors.site_details import site_details
from crawler.services.sites import site_cap, site_decide, site_deepen, site_undo
from tests.crawl.conftest import NewCrawl
from tests.crawl.ledger_checks import assert_consistent
from tests.crawl.small_web import SmallWeb, host_of_url
from tests.product import wait_for

pytestmark = pytest.mark.process

SITE = "spoke.localhost"
FIRST_PAGES = 24


@pytest.fixture
def paused(new_crawl: NewCrawl, in_process, small_web) -> Crawl:
    """Its budget was spent after some pages."""
    budget = {"max_pages": FIRST_PAGES}
    crawl = new_crawl(small_web.urls[0], concurrency=1, budget=budget)
    in_process(crawl).run()
    assert crawl.fetched == FIRST_PAGES
    return crawl


def go_on(crawl: Crawl, in_process, most: int | None = None) -> None:
    crawl.refresh_from_db()
    config = {**crawl.config, "budget": {"max_pages": most}}
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.QUEUED, config=config)
    in_process(crawl).run()


def asked_of_site(small_web: SmallWeb, since: int = 0) -> list[str]:
    return [url for url in small_web.asked(since) if host_of_url(url) == SITE]


def last_ranking() -> str:
    return CrawlEvent.objects.filter(kind="ranked").latest("id").text


def test_a_site_that_is_out_is_asked_for_nothing_until_it_is_back(
    paused, owner, in_process, small_web
):
    before, had = len(small_web.web.visits), len(asked_of_site(small_web))
    said = site_decide(crawl=paused, site=SITE, value="out", by=owner)
    go_on(paused, in_process)
    assert asked_of_site(small_web, before) == []
    assert len(small_web.asked()) > FIRST_PAGES
    assert "URLs left the frontier" in last_ranking()
    site_undo(decision=said, by=owner)
    go_on(paused, in_process)
    assert len(asked_of_site(small_web)) > had
    assert "came back" in last_ranking()
    assert small_web.asked_twice() == []
    assert_consistent(paused)


def test_a_running_crawl_leaves_a_site_within_moments(new_crawl, in_process, web, owner):
    small_web = SmallWeb.built(web, pages=200, seconds=0.05)
    crawl = new_crawl(small_web.urls[0], concurrency=2)
    with in_process(crawl) as running:
        wait_for(
            lambda: CrawlHost.objects.filter(site=SITE, pages__gt=0).exists(), seconds=60, what=SITE
        )
        assert running.failure is None
        site_decide(crawl=crawl, site=SITE, value="out", by=owner)
        ranked = CrawlEvent.objects.filter(crawl=crawl, kind="ranked")
        wait_for(ranked.exists, seconds=60, what="the frontier to be ranked anew")
        left = len(small_web.web.visits)
    assert asked_of_site(small_web, left) == []
    assert len(small_web.asked(left)) > 10


def test_a_capped_site_gives_no_more_than_its_cap(paused, owner, in_process, small_web):
    had = len(asked_of_site(small_web))
    site_cap(crawl=paused, site=SITE, most=had + 2, by=owner)
    go_on(paused, in_process)
    assert len(asked_of_site(small_web)) == had + 2
    assert_consistent(paused)
    site_deepen(crawl=paused, site=SITE, by=owner)
    go_on(paused, in_process)
    assert len(asked_of_site(small_web)) > had + 2
    assert small_web.asked_twice() == []


def test_a_cap_that_is_reached_already_clears_the_frontier(paused, owner, in_process, small_web):
    before = len(small_web.web.visits)
    site_cap(crawl=paused, site=SITE, most=1, by=owner)
    go_on(paused, in_process)
    assert asked_of_site(small_web, before) == []
    assert "URLs left the frontier" in last_ranking()


def test_a_site_that_is_in_comes_first_and_falls_back_when_it_is_not(
    paused, owner, in_process, small_web
):
    host = CrawlHost.objects.get(crawl=paused, site=SITE)
    waiting = FrontierUrl.objects.filter(crawl=paused, host=host.number, state=0)
    how_many = waiting.count()
    assert how_many > 2
    said = site_decide(crawl=paused, site=SITE, value="in", by=owner)
    before = len(small_web.web.visits)
    go_on(paused, in_process, FIRST_PAGES + 2)
    assert len(asked_of_site(small_web, before)) == len(small_web.asked(before)) == 2
    assert waiting.filter(priority__gte=BOOST).count() == how_many - 2
    site_undo(decision=said, by=owner)
    go_on(paused, in_process, FIRST_PAGES + 3)
    assert not waiting.filter(priority__gte=BOOST).exists()


def test_the_ledger_measures_the_pauses_between_real_requests(new_crawl, in_process, web):
    small_web = SmallWeb.built(web, pages=12, hosts=("127.0.0.1", "127.0.0.2"))
    crawl = new_crawl(small_web.urls[0], delay_seconds=0.2)
    in_process(crawl).run()
    (line,) = site_details(crawl, "127.0.0.1").hosts
    visits = [visit for visit in web.visits if visit.host == "127.0.0.1"]
    assert line.host.requests == len(visits)
    assert line.agreed == 0.2
    assert line.is_kept
    assert (line.mean_gap or 0.0) >= (line.host.shortest_gap or 0.0) >= 0.195
    assert line.robots.startswith(("there is none", "read"))
