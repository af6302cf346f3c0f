"""Pages that are visited again: a loopback web whose pages change, and what the tables say."""

import signal
import time

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.textquery import text_query
from crawler.fulltext import seqs_with
from crawler.models import Crawl, FrontierUrl, Page, PageBody, PageBucket, PageVisit, PageWatch
from crawler.runners.replay import figures_renewed
from crawler.selectors.revisits import page_history
from crawler.services.crawls import CrawlError, config_with, crawl_change
from crawler.services.revisits import revisit_round_start, revisits_tend
from crawler.store import unpacked_text
from tests.crawl.conftest import NewCrawl
from tests.crawl.ledger_checks import assert_consistent
from tests.crawl.small_web import GOOD_WORDS

pytestmark = pytest.mark.process
PAGES = 12
HOUR = 3600.0


@pytest.fixture
def finished(new_crawl: NewCrawl, in_process, small_web) -> Crawl:
    crawl = new_crawl(small_web.urls[0], budget={"max_pages": PAGES}, concurrency=1)
    in_process(crawl).run()
    assert crawl.state == Crawl.State.FINISHED
    return crawl


def page_of(crawl: Crawl, number: int) -> Page:
    return Page.objects.get(crawl=crawl, number=number)


def site_of(small_web, url: str):
    return small_web.sites[url.split("/")[2].split(":")[0]]


def rewrite(small_web, url: str, body: str | None) -> None:
    """Another text at the same address; none: the page is gone."""
    pages, path = site_of(small_web, url).pages, "/" + url.split("/", 3)[3]
    if body is None:
        del pages[path]
    else:
        pages[path] = f"<!doctype html><title>Anew</title><p>{body}</p>".encode()


def said(crawl: Crawl, page: Page) -> str:
    return unpacked_text(PageBody.objects.get(crawl=crawl, seq=page.seq).text)


def test_a_round_sees_what_changed_and_counts_nothing_twice(finished, in_process, small_web, owner):
    crawl, seq, fetched = finished, finished.seq, finished.fetched
    same, changed, gone = (page_of(crawl, number) for number in (0, 1, 2))
    new_url = small_web.urls[100]
    assert not FrontierUrl.objects.filter(crawl=crawl, url=new_url).exists()
    words = " ".join(f"{word} tandem{n}" for n in range(6) for word in GOOD_WORDS)
    rewrite(small_web, changed.url, f'{words} <a href="{new_url}">wheel</a>')
    rewrite(small_web, gone.url, None)
    before, waiting = len(small_web.web.visits), crawl.frontier_size
    assert revisit_round_start(crawl=crawl, by=owner, pages=PAGES) == PAGES
    in_process(crawl).run()

    assert (crawl.state, crawl.reason) == (Crawl.State.FINISHED, "revisit round done")
    assert crawl.round_until is None
    asked = small_web.asked(before)
    assert len(asked) == PAGES + 1
    assert asked[-1] == new_url  # what the page has come to link to, and nothing else
    assert (crawl.seq, crawl.fetched, crawl.revisited) == (seq + 1, fetched + 1, PAGES - 1)
    assert abs(crawl.frontier_size - waiting) <= 2
    assert_consistent(crawl)

    verdicts = dict(PageVisit.objects.values_list("number", "changed"))
    assert (verdicts[same.number], verdicts[changed.number], verdicts[gone.number]) == (
        False, True, None,
    )  # fmt: skip
    assert [n for n, is_so in verdicts.items() if is_so] == [changed.number]
    visit = PageVisit.objects.get(number=changed.number)
    links = FrontierUrl.objects.filter(crawl=crawl, number__in=visit.new_links)
    assert [url.url for url in links] == [new_url]
    assert page_of(crawl, 1).title == "Anew"
    assert "tandem5" in said(crawl, changed)
    asked_for = text_query("tandem5")
    assert asked_for is not None
    assert seqs_with(crawl.pk, asked_for, below=99, limit=9) == [changed.seq]
    assert PageWatch.objects.get(number=gone.number).gone_at is not None
    assert page_of(crawl, 2).outcome == "ok"  # marked, not deleted
    assert "word" in said(crawl, gone)


def test_sums_follow_a_page_that_has_lost_its_topic(finished, in_process, small_web, owner):
    crawl, page = finished, page_of(finished, 1)
    PageBucket.objects.create(
        crawl=crawl, number=0, judged=PAGES, failed=0, relevance_sum=0.0, first_at=0, last_at=0
    )
    rewrite(small_web, page.url, "aria soprano libretto tenor overture orchestra quartet " * 9)
    relevant = crawl.relevant
    revisit_round_start(crawl=crawl, by=owner, pages=PAGES)
    in_process(crawl).run()
    assert (page_of(crawl, 1).relevance or 0.0) < 0.5 < (page.relevance or 0.0)
    assert crawl.relevant == relevant - 1
    assert_consistent(crawl)
    bucket = PageBucket.objects.get(crawl=crawl)
    assert bucket.relevance_sum == pytest.approx(crawl.relevance_sum)
    assert bucket.relevance_min == pytest.approx(page_of(crawl, 1).relevance)
    figures_renewed(crawl)
    assert crawl.relevant == relevant - 1  # counted anew, the same


@pytest.mark.parametrize("failpoint", ["before_commit", "inside_commit", "after_commit"])
def test_a_round_outlives_kill_9(finished, engines, small_web, owner, failpoint):
    crawl = finished
    revisit_round_start(crawl=crawl, by=owner, pages=5)
    assert engines.run(crawl, failpoint=f"{failpoint}:1") == -signal.SIGKILL
    assert engines.run(crawl) == 0, engines.said()
    assert crawl.state == Crawl.State.FINISHED
    assert crawl.fetched == PAGES
    assert crawl.revisited == 5
    assert PageVisit.objects.count() == 5
    assert_consistent(crawl)


def test_a_round_needs_a_crawl_that_has_ended_and_pages(new_crawl, small_web, owner):
    crawl = new_crawl(small_web.urls[0])
    with pytest.raises(CrawlError, match="after its end"):
        revisit_round_start(crawl=crawl, by=owner)
    Crawl.objects.update(state=Crawl.State.FINISHED)
    with pytest.raises(CrawlError, match="no page to visit again"):
        revisit_round_start(crawl=crawl, by=owner)


def test_a_running_crawl_gives_revisits_their_share(finished, in_process, small_web, owner):
    crawl = finished
    old = CrawlConfig.from_json(crawl.config)
    rules = {"on": True, "share": 0.25, "least_hours": 1.0, "most_hours": 4.0}
    config = config_with(old, {"revisit": rules, "budget": {"max_pages": 20}})
    crawl_change(crawl=crawl, config=config, by=owner)
    Crawl.objects.update(state=Crawl.State.QUEUED)
    assert revisits_tend() == 0  # nothing is due yet
    Page.objects.update(fetched_at=time.time() - 3 * HOUR)
    PageWatch.objects.update(visited_at=time.time() - 3 * HOUR, due_at=time.time() - HOUR)
    assert revisits_tend() == 3  # a quarter of twelve
    assert revisits_tend() == 0  # asked for, not visited yet
    in_process(crawl).run()
    assert (crawl.fetched, crawl.revisited) == (17, 3)  # within the crawl's own budget
    assert_consistent(crawl)
    seen = [one for one in PageWatch.objects.all() if one.looks]
    assert len(seen) == 3
    assert all(one.looks[0][0] == pytest.approx(3 * HOUR, rel=0.1) for one in seen)
    assert all(one.due_at == pytest.approx(one.visited_at + 4 * HOUR) for one in seen)


def test_a_due_page_starts_a_round_of_a_finished_crawl_once(finished, in_process):
    crawl = finished
    assert revisits_tend() == 0  # off
    config = config_with(CrawlConfig.from_json(crawl.config), {"revisit": {"on": True}})
    crawl_change(crawl=crawl, config=config)
    assert revisits_tend() == 0
    PageWatch.objects.filter(number__lt=2).update(due_at=time.time() - 1)
    assert revisits_tend() == 2
    assert revisits_tend() == 0
    in_process(crawl).run()
    assert (crawl.state, crawl.revisited) == (Crawl.State.FINISHED, 2)
    assert revisits_tend() == 0
    history = page_history(crawl, 0)
    assert history is not None
    assert [visit.changed for visit in history.visits] == [False]
    assert history.days_between_changes is None
