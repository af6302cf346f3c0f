"""Wishes reach the frontier of a crawl whatever happens to its engines; the web's log proves it."""

import signal
from collections.abc import Callable

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.ranking import BOOST
from crawler.models import Crawl, CrawlEvent, FrontierNudge, FrontierUrl
from crawler.services.crawls import config_with, crawl_change
from crawler.services.nudges import nudges_make
from tests.crawl.conftest import NewCrawl
from tests.crawl.ledger_checks import assert_consistent
from tests.crawl.small_web import SmallWeb

pytestmark = pytest.mark.process

FIRST_PAGES = 30


@pytest.fixture
def paused(new_crawl: NewCrawl, in_process, small_web) -> Callable[[str], Crawl]:
    """A crawl whose budget was spent after some pages."""

    def make(strategy: str) -> Crawl:
        budget = {"max_pages": FIRST_PAGES}
        crawl = new_crawl(small_web.urls[0], strategy=strategy, concurrency=1, budget=budget)
        in_process(crawl).run()
        assert crawl.fetched == FIRST_PAGES
        return crawl

    return make


def more_pages(crawl: Crawl, pages: int, **changes) -> None:
    """The crawl may go on for so many pages."""
    chosen = {"budget": {"max_pages": crawl.fetched + pages}, **changes}
    config = config_with(CrawlConfig.from_json(crawl.config), chosen)
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.QUEUED)
    if changes:
        crawl_change(crawl=crawl, config=config)
    else:  # the budget alone ranks nothing anew
        Crawl.objects.filter(pk=crawl.pk).update(config=config.to_json())
    crawl.refresh_from_db()


def last_waiting(crawl: Crawl, how_many: int) -> list[FrontierUrl]:
    """URLs that would have had to wait for long."""
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    return list(waiting.order_by("priority", "-number")[:how_many])


def wish(crawl: Crawl, urls: list[FrontierUrl], kind: str = "visit") -> None:
    numbers = [url.number for url in urls]
    assert nudges_make(crawl=crawl, numbers=numbers, kind=kind, reason="asked") == len(numbers)


def test_what_was_asked_for_comes_first_whatever_the_strategy(paused, in_process, small_web):
    """They merge priorities in four ways."""
    crawl = paused("soft_focus")
    for strategy in ("soft_focus", "hybrid_seed_rank", "otie", "unfocused"):
        wanted = last_waiting(crawl, 3)
        wish(crawl, wanted)
        before = len(small_web.web.visits)
        more_pages(crawl, 5, strategy=strategy)
        in_process(crawl).run()
        assert set(small_web.asked(before)[:3]) == {url.url for url in wanted}, strategy
        assert not FrontierNudge.objects.filter(applied_at=None).exists()
        assert_consistent(crawl)


def test_a_fetched_page_is_visited_again_and_counts_once(paused, in_process, small_web):
    crawl = paused("soft_focus")
    page = FrontierUrl.objects.get(crawl=crawl, number=0)
    wish(crawl, [page], kind="revisit")
    before = len(small_web.web.visits)
    more_pages(crawl, 3)
    in_process(crawl).run()
    assert small_web.asked(before)[0] == page.url
    assert small_web.asked_twice() == [page.url]
    assert (crawl.fetched, crawl.revisited) == (FIRST_PAGES + 2, 1)  # the budget counts both
    assert_consistent(crawl)
    page.refresh_from_db()
    assert page.state == FrontierUrl.State.DONE


def test_a_wish_survives_kill_9(paused, engines, small_web):
    crawl = paused("hybrid_seed_rank")
    wanted = last_waiting(crawl, 4)
    wish(crawl, wanted)
    more_pages(crawl, 12)
    before = len(small_web.web.visits)
    for failpoint in ("before_commit", "inside_commit", "after_commit"):
        assert engines.run(crawl, failpoint=failpoint) == -signal.SIGKILL
    assert engines.run(crawl) == 0, engines.said()
    assert {url.url for url in wanted} <= set(small_web.asked(before))
    assert not FrontierNudge.objects.filter(applied_at=None).exists()
    assert_consistent(crawl)


def test_a_frontier_that_is_ranked_anew_keeps_the_wishes(paused, in_process, small_web):
    crawl = paused("soft_focus")
    wanted = last_waiting(crawl, 6)
    wish(crawl, wanted)
    more_pages(crawl, 2)
    in_process(crawl).run()
    numbers = [url.number for url in wanted]
    left = FrontierUrl.objects.filter(crawl=crawl, number__in=numbers, state=0)
    assert left.count() == 4
    assert all(url.priority >= BOOST for url in left)
    before = len(small_web.web.visits)
    more_pages(crawl, 4, strategy="opic")
    in_process(crawl).run()
    assert CrawlEvent.objects.filter(crawl=crawl, kind="ranked").exists()
    assert set(small_web.asked(before)) == {url.url for url in left}


def test_a_running_crawl_takes_a_wish(new_crawl, in_process, web):
    small_web = SmallWeb.built(web, pages=120, seconds=0.1)
    crawl = new_crawl(small_web.urls[0], concurrency=1)
    with in_process(crawl) as running:
        while FrontierUrl.objects.filter(crawl=crawl, state=0).count() < 5:
            assert running.failure is None
        (wanted,) = last_waiting(crawl, 1)
        before = len(small_web.asked())
        wish(crawl, [wanted])
    assert wanted.url in small_web.asked()[before : before + 30]
