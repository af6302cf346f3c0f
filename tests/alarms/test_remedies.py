"""One click and back; and the rule that stops a crawl when enough was found."""

import numpy as np
import pytest

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, CrawlEvent, FrontierUrl, Page, PageBody
from crawler.services.crawls import CrawlError, crawl_change
from crawler.services.enough import crawls_stop_enough
from crawler.services.remedies import crawl_remedy, crawl_remedy_undo
from tests.alarms.conftest import page_row
from tests.core.test_remaining import crawl_of_random_web
from tests.crawl_rows import expire, make_crawl

pytestmark = pytest.mark.django_db

CHANGES = [
    ("widen", ["/Recreation/Hiking"]),
    ("stay_away", ["trap.example", "*.trap.example"]),
    ("strategy", ["hard_focus"]),
    ("slower", []),
]


def settings_of(crawl: Crawl) -> tuple[object, ...]:
    crawl.refresh_from_db()
    return crawl.config, crawl.pass_through, crawl.strategy


@pytest.mark.parametrize(("kind", "values"), CHANGES)
def test_a_remedy_changes_the_settings_and_its_undo_brings_them_back(crawl, owner, kind, values):
    before = settings_of(crawl)
    done = crawl_remedy(crawl=crawl, kind=kind, values=values, by=owner)
    assert settings_of(crawl) != before
    assert CrawlEvent.objects.filter(crawl=crawl, kind="changed").count() == 1
    crawl_remedy_undo(crawl=crawl, token=done.undo_token, by=owner)
    assert settings_of(crawl) == before


@pytest.mark.parametrize("is_held", [True, False])
@pytest.mark.parametrize(("before", "after"), [("running", "queued"), ("paused", "paused")])
def test_a_stop_is_undone_by_going_on(crawl, owner, is_held, before, after):
    """Whether the engine has not noticed yet, or nobody was at work at all."""
    if not is_held:
        expire(crawl)
    Crawl.objects.update(state=before)
    crawl.refresh_from_db()
    done = crawl_remedy(crawl=crawl, kind="stop", values=[], by=owner)
    crawl.refresh_from_db()
    assert crawl.state in ("stopping", "finished")
    crawl_remedy_undo(crawl=crawl, token=done.undo_token, by=owner)
    crawl.refresh_from_db()
    assert crawl.state == ("pausing" if is_held and after == "paused" else after)


def test_stopping_what_has_ended_leaves_nothing_to_undo(crawl, owner):
    expire(crawl)
    Crawl.objects.update(state=Crawl.State.FINISHED)
    crawl.refresh_from_db()
    assert not crawl_remedy(crawl=crawl, kind="stop", values=[], by=owner).undo_token


def test_an_undo_is_for_its_own_crawl(crawl, owner):
    done = crawl_remedy(crawl=crawl, kind="stop", values=[], by=owner)
    with pytest.raises(CrawlError, match="nothing was undone"):
        crawl_remedy_undo(crawl=make_crawl(crawl.focus), token=done.undo_token, by=owner)


def test_widening_adds_to_what_was_wide_already(crawl, owner):
    for topic in ("/Recreation/Hiking", "/Arts", "/Arts"):
        crawl_remedy(crawl=crawl, kind="widen", values=[topic], by=owner)
    assert settings_of(crawl)[1] == [["Recreation", "Hiking"], ["Arts"]]


def test_an_undo_does_not_take_back_what_somebody_did_since(crawl, owner):
    done = crawl_remedy(crawl=crawl, kind="slower", values=[], by=owner)
    crawl_remedy(crawl=crawl, kind="widen", values=["/Arts"], by=owner)
    with pytest.raises(CrawlError, match="changed again"):
        crawl_remedy_undo(crawl=crawl, token=done.undo_token, by=owner)


@pytest.mark.parametrize(
    ("kind", "values"),
    [("nonsense", []), ("widen", ["/Nowhere"]), ("strategy", ["psychic"]), ("stay_away", ["a b"])],
)
def test_what_makes_no_sense_is_refused_in_words(crawl, owner, kind, values):
    before = settings_of(crawl)
    with pytest.raises(Exception, match=r"\w+ \w+"):
        crawl_remedy(crawl=crawl, kind=kind, values=values, by=owner)
    assert settings_of(crawl) == before


def test_a_crawl_that_had_ended_goes_on(crawl, owner):
    expire(crawl)
    Crawl.objects.update(state=Crawl.State.FINISHED, reason="frontier empty")
    crawl.refresh_from_db()
    done = crawl_remedy(crawl=crawl, kind="widen", values=["/Arts"], by=owner)
    crawl.refresh_from_db()
    assert crawl.state == Crawl.State.QUEUED
    assert done.summary.endswith("The crawl goes on.")


def test_hard_focus_fetches_again_what_it_had_pruned(crawl, owner):
    Crawl.objects.update(strategy="hard_focus", state=Crawl.State.FINISHED)
    crawl.refresh_from_db()
    for number, topic in enumerate(["/Arts/Painting", "/Artsy", "/Recreation/Cycling"], 1):
        row = page_row(crawl, number, 0.1)
        row.topic, row.is_on_topic = topic, topic == "/Recreation/Cycling"
        row.save(force_insert=True)
        add_url(crawl, number, FrontierUrl.State.DONE)
    crawl_remedy(crawl=crawl, kind="widen", values=["/Arts"], by=owner)
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    assert list(waiting.values_list("number", flat=True)) == [1]


def add_url(crawl: Crawl, number: int, state: int, found_on: int = -1) -> None:
    FrontierUrl.objects.create(
        crawl=crawl, number=number, url_key=number, url=f"https://h0.example/{number}", host=0,
        state=state, priority=0.5, found_on=found_on,
    )  # fmt: skip


def store_random_web(crawl: Crawl, fetched: int) -> None:
    pages, waiting = crawl_of_random_web(120, fetched, 5)
    rows = [page_row(crawl, seq, page.relevance) for seq, page in enumerate(pages, 1)]
    for row, page in zip(rows, pages, strict=True):
        row.number = page.number
        add_url(crawl, page.number, FrontierUrl.State.DONE, page.found_on)
        PageBody.objects.create(
            crawl=crawl, seq=row.seq, text=b"", anchors=b"",
            targets=np.array(page.targets, "<i4").tobytes(),
            contexts=np.array(page.contexts, "<f4").tobytes(),
        )  # fmt: skip
    Page.objects.bulk_create(rows)
    for number in waiting:
        add_url(crawl, number, FrontierUrl.State.WAITING, pages[0].number)
    Crawl.objects.filter(pk=crawl.pk).update(seq=len(pages), fetched=len(pages))


@pytest.mark.parametrize(("fetched", "state"), [(60, "running"), (119, "stopping")])
def test_a_crawl_stops_when_surely_enough_was_found(crawl, owner, fetched, state):
    config = CrawlConfig.from_json({**crawl.config, "enough_recall": 0.9})
    crawl_change(crawl=crawl, by=owner, config=config)
    store_random_web(crawl, fetched)
    crawls_stop_enough()
    crawl.refresh_from_db()
    assert crawl.state == state
    assert crawl.reason.startswith("enough found: 119 relevant") is (state == "stopping")


def test_a_crawl_without_the_rule_goes_on(crawl):
    store_random_web(crawl, 119)
    crawls_stop_enough()
    crawl.refresh_from_db()
    assert crawl.state == Crawl.State.RUNNING
