"""How a crawl begins, is steered, and ends; every state with its reason."""

from typing import Any

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.events import End
from crawler.models import Crawl, CrawlEvent, FrontierUrl, Page, RawPage
from crawler.services import crawls as services
from crawler.store import unpacked_body
from taxonomy.selectors.trees import topic_by_path
from tests.crawl.engines import PATIENCE_SECONDS, wait_for_pages, wait_for_state
from tests.crawl.ledger_checks import assert_consistent, committed_urls
from tests.crawl.small_web import SmallWeb, host_of_url
from tests.product import wait_for

pytestmark = pytest.mark.process

ENDS: dict[str, tuple[dict[str, Any], str]] = {
    "pages": ({"budget": {"max_pages": 17}}, "budget: 17 pages fetched"),
    "time": ({"budget": {"max_seconds": 0.5}}, "budget: 0.5 seconds of crawling"),
    "data": ({"budget": {"max_bytes": 20_000}}, "budget: 20,000 bytes downloaded"),
    "enough": ({"enough_relevant": 9}, "enough: "),
    "all": ({}, "frontier empty"),
    "alone": ({"concurrency": 1, "budget": {"max_pages": 12}}, "budget: 12 pages fetched"),
}


@pytest.mark.parametrize("name", ENDS)
def test_a_crawl_ends_for_a_reason(in_process, new_crawl, web, name):
    changes, reason = ENDS[name]
    small_web = SmallWeb.built(web, pages=60, seconds=0.05 if name == "time" else 0.002)
    crawl = new_crawl(small_web.urls[0], **changes)
    assert in_process(crawl).run().end is End.FINISHED
    assert crawl.state == "finished"
    assert crawl.reason.startswith(reason)
    assert crawl.finished_at is not None
    assert_consistent(crawl)
    assert small_web.asked_twice() == []
    most = crawl.config["budget"]["max_pages"]
    assert most is None or crawl.fetched == most
    if name == "enough":
        assert crawl.relevant >= 9
    if name == "all":
        assert committed_urls(crawl) == set(small_web.urls)
    assert CrawlEvent.objects.filter(crawl=crawl, kind="finished", text__contains=reason).exists()


@pytest.mark.parametrize("keeps", [True, False])
def test_bodies_are_kept_if_the_crawl_says_so(in_process, new_crawl, web, keeps):
    small_web = SmallWeb.built(web, pages=12)
    crawl = new_crawl(small_web.urls[0], keep_bodies=keeps)
    assert in_process(crawl).run().end is End.FINISHED
    kept = list(RawPage.objects.filter(crawl=crawl))
    assert len(kept) == (12 if keeps else 0)
    for raw in kept:
        assert unpacked_body(raw.body).startswith(b"<!doctype html>")
        assert raw.content_type.startswith("text/html")


def test_pause_resume_and_stop_lose_nothing_and_fetch_nothing_twice(
    in_process, new_crawl, web, owner
):
    small_web = SmallWeb.built(web, pages=600, seconds=0.05)
    crawl = new_crawl(small_web.urls[0])
    with in_process(crawl):
        wait_for_pages(crawl, 10)
        services.crawl_pause(crawl=crawl, by=owner)
        assert services.crawl_pause(crawl=crawl).state in ("pausing", "paused")  # pressed twice
        wait_for_state(crawl, Crawl.State.PAUSED)
    assert crawl.reason == "by olga"
    assert committed_urls(crawl) == set(small_web.asked())  # what was in flight came home
    assert_consistent(crawl)
    assert in_process(crawl).run().end is End.LOST  # nobody works on a paused crawl

    assert services.crawl_resume(crawl=crawl, by=owner).state == "queued"
    with in_process(crawl):
        wait_for_pages(crawl, crawl.fetched + 10)
        services.crawl_stop(crawl=crawl, by=owner)
        wait_for_state(crawl, Crawl.State.FINISHED)
    assert crawl.reason == "by olga"
    assert small_web.asked_twice() == []
    fetched = crawl.fetched
    assert services.crawl_stop(crawl=crawl).state == "finished"
    assert Page.objects.filter(crawl=crawl).count() == fetched  # stop keeps everything

    with pytest.raises(services.CrawlError, match="Stop the crawl"):
        services.crawl_discard(crawl=services.crawl_resume(crawl=crawl))
    services.crawl_stop(crawl=crawl)
    services.crawl_discard(crawl=crawl)
    assert not Page.objects.exists()
    assert not FrontierUrl.objects.exists()
    assert not Crawl.objects.exists()


def test_a_wish_that_comes_while_the_engine_ends_is_not_lost(in_process, new_crawl, web):
    small_web = SmallWeb.built(web, pages=60, seconds=0.4)
    crawl = new_crawl(small_web.urls[0])
    with in_process(crawl) as running:
        wait_for(lambda: bool(small_web.asked()), seconds=PATIENCE_SECONDS, what="the first fetch")
        services.crawl_pause(crawl=crawl)
        wait_for(lambda: running.is_ending, seconds=PATIENCE_SECONDS, what="the engine to notice")
        services.crawl_resume(crawl=crawl)
    assert crawl.state in ("queued", "running")  # it will be taken up
    assert crawl.lease_until is None
    with in_process(crawl) as running:
        wait_for(lambda: bool(running.engine), seconds=PATIENCE_SECONDS, what="the engine")
        services.crawl_pause(crawl=crawl)
        wait_for(lambda: running.is_ending, seconds=PATIENCE_SECONDS, what="the engine to notice")
        services.crawl_stop(crawl=crawl)
    assert crawl.state == "stopping"
    assert in_process(crawl).run().end is End.STOPPED
    assert crawl.state == "finished"


def test_settings_that_come_while_the_engine_ends_are_not_lost(in_process, new_crawl, web):
    small_web = SmallWeb.built(web, pages=60, seconds=9.0)
    crawl = new_crawl(small_web.urls[0], budget={"max_seconds": 0.1})
    with in_process(crawl) as running:
        wait_for(lambda: running.is_ending, seconds=PATIENCE_SECONDS, what="the time to be up")
        old = CrawlConfig.from_json(crawl.config)
        config = services.config_with(old, {"budget": {"max_pages": 12}})
        services.crawl_change(crawl=crawl, config=config)
        small_web.set_seconds(0.0)
    assert (crawl.state, crawl.reason) == ("finished", "budget: 12 pages fetched")
    assert small_web.asked_twice() == []


def test_settings_are_changed_while_it_runs(in_process, new_crawl, web, taught, owner):
    # At forty pages a second the web lasts far longer than the test.
    small_web = SmallWeb.built(web, pages=1_500, seconds=0.1, good_share=0.5)
    crawl = new_crawl(small_web.urls[0], concurrency=4)

    def change(**changes) -> None:
        crawl.refresh_from_db()
        config = services.config_with(CrawlConfig.from_json(crawl.config), changes)
        services.crawl_change(crawl=crawl, by=owner, config=config)

    with in_process(crawl):
        wait_for_pages(crawl, 15)
        change(strategy="breadth_first")
        wait_for_ranking(crawl)
        assert waiting_priorities_follow_depth(crawl)

        excluded = small_web.hosts[1]
        change(exclusions=[excluded], strategy="soft_focus")
        wait_for_ranking(crawl)
        since = len(web.visits)
        wait_for_pages(crawl, crawl.fetched + 15)

        music = topic_by_path(taxonomy=taught, path="/Music")
        before = crawl.mean_relevance
        services.crawl_change(crawl=crawl, by=owner, good=[music])
        wait_for_ranking(crawl)
        assert abs(crawl.mean_relevance - (1 - before)) < 0.25  # the two share all pages
        change(budget={"max_pages": crawl.fetched + 10})  # may end it before it ranks again
    assert (crawl.state, crawl.reason.split(":")[0]) == ("finished", "budget")
    assert excluded not in {host_of_url(url) for url in small_web.asked(since)}
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=0).values_list("url", flat=True)
    assert excluded not in {host_of_url(url) for url in waiting}
    assert small_web.asked_twice() == []
    assert_consistent(crawl)


def wait_for_ranking(crawl: Crawl) -> None:
    def is_done() -> bool:
        crawl.refresh_from_db()
        return crawl.ranked_revision == crawl.settings_revision

    wait_for(is_done, seconds=PATIENCE_SECONDS, what="the frontier in its new order")


def waiting_priorities_follow_depth(crawl: Crawl) -> bool:
    rows = FrontierUrl.objects.filter(crawl=crawl, state=0).values_list("depth", "priority")
    by_depth: dict[int, set[float]] = {}
    for depth, priority in rows:
        by_depth.setdefault(depth, set()).add(priority)
    ordered = [max(by_depth[depth]) for depth in sorted(by_depth)]
    return ordered == sorted(ordered, reverse=True)


def test_another_budget_leaves_the_order_of_the_frontier_alone(in_process, new_crawl, web):
    small_web = SmallWeb.built(web, pages=120, good_share=0.5)
    crawl = new_crawl(small_web.urls[0], strategy="link_context", budget={"max_pages": 30})
    in_process(crawl).run()
    config = services.config_with(
        CrawlConfig.from_json(crawl.config), {"budget": {"max_pages": 40}}
    )
    services.crawl_change(crawl=crawl, config=config)
    services.crawl_resume(crawl=crawl)
    in_process(crawl).run()
    assert crawl.fetched == 40
    ranked = CrawlEvent.objects.get(crawl=crawl, kind="ranked")
    assert ranked.text == "0 frontier URLs moved, 0 pages changed side"
