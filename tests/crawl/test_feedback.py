"""A verdict moves classifier, distiller and frontier, and its undoing moves all three back."""

import pytest

from crawler.core.opinions import NOT_USEFUL_WEIGHT, USEFUL_WEIGHT
from crawler.models import Crawl, CrawlEvent, FrontierUrl, Page, Verdict
from crawler.selectors.feedback import opinions_of, weights_of
from crawler.selectors.hubs import latest_distillation
from crawler.services.feedback import (
    FeedbackError,
    crawl_settle,
    feedback_settle,
    verdict_give,
    verdict_undo,
)
from focusadmin.accounts.models import User
from taxonomy.models import Example
from taxonomy.selectors.models import judge_of
from tests.crawl.conftest import NewCrawl
from tests.crawl.engines import PATIENCE_SECONDS, wait_for_pages
from tests.crawl.small_web import SmallWeb
from tests.product import wait_for

pytestmark = pytest.mark.process

FIRST_PAGES = 40
SAID = 10


@pytest.fixture
def crawl(new_crawl: NewCrawl, in_process, web) -> Crawl:
    """Half of its pages are about cycling; it has come to the end of its budget."""
    small_web = SmallWeb.built(web, good_share=0.5)
    made = new_crawl(small_web.urls[0], budget={"max_pages": FIRST_PAGES})
    in_process(made).run()
    assert made.fetched == FIRST_PAGES
    return made


def goes_on(crawl: Crawl, in_process) -> None:
    """Long enough to take the settings in; the budget allows no page more."""
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.QUEUED)
    in_process(crawl).run()
    assert crawl.ranked_revision == crawl.settings_revision


def relevances(crawl: Crawl) -> dict[int, float]:
    pages = Page.objects.filter(crawl=crawl, outcome="ok")
    return {page.seq: page.relevance or 0.0 for page in pages}


def priorities(crawl: Crawl) -> dict[int, float]:
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    return dict(waiting.values_list("number", "priority"))


def least_relevant(crawl: Crawl) -> Page:
    return Page.objects.filter(crawl=crawl, outcome="ok").order_by("relevance")[0]


def test_verdicts_move_all_three_and_undo_moves_them_back(crawl, in_process, owner):
    """Several, as a tree of sixteen examples has hardly any words in common with a page."""
    pages = list(Page.objects.filter(crawl=crawl, outcome="ok").order_by("relevance")[:SAID])
    before, ranks = relevances(crawl), priorities(crawl)
    given = [verdict_give(crawl=crawl, value="useful", by=owner, page_seq=p.seq) for p in pages]
    taught = Example.objects.exclude(url="").values_list("topic__parent__name", flat=True)
    assert set(taught) == {"Cycling"}
    assert all(verdict.effect.startswith("An example of ") for verdict in given)
    assert weights_of(crawl) == {page.number: USEFUL_WEIGHT for page in pages}

    feedback_settle()
    crawl.refresh_from_db()
    assert latest_distillation(crawl) is not None
    goes_on(crawl, in_process)
    after = relevances(crawl)
    assert all(after[page.seq] > 0.5 > before[page.seq] for page in pages)
    assert priorities(crawl) != ranks
    told = CrawlEvent.objects.get(crawl=crawl, kind="ranked").text
    changed = sum((before[seq] >= 0.5) != (after[seq] >= 0.5) for seq in before)
    assert told.endswith(f", {changed} pages changed side")
    assert not told.startswith("0 ")

    for verdict in given:
        verdict_undo(verdict=verdict, by=owner)
    assert weights_of(crawl) == {}
    feedback_settle()
    crawl.refresh_from_db()
    goes_on(crawl, in_process)
    assert relevances(crawl) == pytest.approx(before, abs=1e-6)
    assert priorities(crawl) == pytest.approx(ranks, abs=1e-6)


def test_not_useful_is_an_example_of_something_else(crawl, owner):
    best = Page.objects.filter(crawl=crawl, outcome="ok").order_by("-relevance")[0]
    verdict_give(crawl=crawl, value="not_useful", by=owner, page_seq=best.seq)
    taught = Example.objects.filter(url=best.url).values_list("topic__parent__name", flat=True)
    assert list(taught) == ["Music"]
    assert weights_of(crawl) == {best.number: NOT_USEFUL_WEIGHT}


def test_a_site_lends_its_best_pages_and_weighs_as_a_whole(crawl, owner):
    site = least_relevant(crawl).site
    pages = Page.objects.filter(crawl=crawl, site=site, outcome="ok")
    verdict = verdict_give(crawl=crawl, value="not_useful", by=owner, site=site)
    assert len(verdict.edits) == 3
    assert weights_of(crawl) == {page.number: NOT_USEFUL_WEIGHT for page in pages}
    own = verdict_give(crawl=crawl, value="useful", by=owner, page_seq=pages[0].seq)
    assert weights_of(crawl)[own.number or 0] == USEFUL_WEIGHT


def test_who_changes_their_mind_has_one_verdict(crawl, owner):
    page = least_relevant(crawl)
    said = {"crawl": crawl, "by": owner, "page_seq": page.seq}
    first = verdict_give(**said, value="useful")
    with pytest.raises(FeedbackError, match="useful already"):
        verdict_give(**said, value="useful")
    verdict_give(**said, value="not_useful")
    first.refresh_from_db()
    assert first.undone_at is not None
    assert Example.objects.filter(url=page.url, is_removed=False).count() == 1
    assert Verdict.objects.filter(undone_at=None).count() == 1
    with pytest.raises(FeedbackError, match="undone already"):
        verdict_undo(verdict=first, by=owner)


def test_curators_who_disagree_are_counted(crawl, owner):
    page = least_relevant(crawl)
    others = [User.objects.create_user(name) for name in ("ann", "bob")]
    for person, value in zip([owner, *others], ("useful", "not_useful", "useful"), strict=True):
        verdict_give(crawl=crawl, value=value, by=person, page_seq=page.seq)
    opinion = opinions_of(crawl)[0][page.number]
    assert opinion.words == "2 of 3 say useful"
    assert opinion.weight == USEFUL_WEIGHT


def test_many_verdicts_are_followed_at_once(crawl, owner):
    pages = list(Page.objects.filter(crawl=crawl, outcome="ok")[:4])
    for page in pages:
        verdict_give(crawl=crawl, value="useful", by=owner, page_seq=page.seq)
    assert crawl_settle(crawl=crawl)
    crawl.refresh_from_db()
    assert crawl.settings_revision == 2
    assert set(Verdict.objects.values_list("revision", flat=True)) == {2}
    assert crawl.model == judge_of(crawl.focus.taxonomy).model
    assert crawl.distillations.count() == 1


def test_only_pages_of_the_crawl_can_be_judged(crawl, owner):
    with pytest.raises(FeedbackError, match="no such page"):
        verdict_give(crawl=crawl, value="useful", by=owner, page_seq=10_000)
    with pytest.raises(FeedbackError, match="Say useful"):
        verdict_give(crawl=crawl, value="splendid", by=owner, page_seq=1)


def test_a_running_crawl_follows_while_it_runs(new_crawl: NewCrawl, in_process, web, owner):
    small_web = SmallWeb.built(web, good_share=0.5, seconds=0.1)
    crawl = new_crawl(small_web.urls[0], concurrency=1)
    with in_process(crawl):
        wait_for_pages(crawl, 10)
        page = least_relevant(crawl)
        verdict_give(crawl=crawl, value="useful", by=owner, page_seq=page.seq)
        feedback_settle()
        ranked = CrawlEvent.objects.filter(crawl=crawl, kind="ranked")
        wait_for(ranked.exists, seconds=PATIENCE_SECONDS, what="a ranking")
    assert crawl.state == Crawl.State.FINISHED
    assert set(small_web.asked()) == set(small_web.urls)
    assert small_web.asked_twice() == []
