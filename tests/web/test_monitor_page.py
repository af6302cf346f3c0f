"""What the monitor's script and its visitors are answered, and odd questions that break nothing."""

import itertools

import numpy as np
import pytest

from crawler.models import Crawl, CrawlEvent, CrawlHost, FrontierUrl, PageBody
from crawler.models import Page as PageRow
from crawler.selectors import monitor
from crawler.store import packed_text
from tests.crawl_rows import commit_pages, held
from tests.web.pages import Page

pytestmark = pytest.mark.django_db

PAGES = 250  # two and a half sums of a hundred
FAILED_EVERY = 10
HOSTILE = "<script>alert(1)</script>"
HUGE = "9" * 18
ODD = ["", "x", "-1", "1.5", "1e3", "٣", " 1", "1" * 19, "'; DROP TABLE crawler_page; --", "\x00"]


def relevance_of(seq: int) -> float | None:
    return None if seq % FAILED_EVERY == 0 else seq % 5 / 4


@pytest.fixture
def crawl(scene) -> Crawl:
    """Its second page links to a URL that waits."""
    crawl = held(scene.crawl, "one")
    commit_pages(crawl, [relevance_of(seq) for seq in range(1, PAGES + 1)])
    CrawlHost.objects.create(crawl=crawl, number=3, host="h3.example", site="h3.example", pages=2)
    add_url(crawl, 1, FrontierUrl.State.DONE, "https://h1.example/1")
    add_url(crawl, 900, FrontierUrl.State.WAITING, "https://h3.example/next", found_on=1)
    PageBody.objects.filter(crawl=crawl, seq=2).update(
        text=packed_text(f"Gears {HOSTILE}"),
        anchors=packed_text(f"more {HOSTILE}"),
        targets=np.array([900], "<i4").tobytes(),
        contexts=np.array([0.75], "<f4").tobytes(),
    )
    crawl.status = {"upcoming": [{"number": 900}, {"number": 12_345}]}
    crawl.save()
    return crawl


def add_url(crawl: Crawl, number: int, state: int, url: str, found_on: int = -1) -> None:
    FrontierUrl.objects.create(
        crawl=crawl, number=number, url_key=number, url=url, host=3, state=state, priority=0.5,
        depth=1, found_on=found_on,
    )  # fmt: skip


def ask(client, crawl: Crawl, part: str, **query: object):
    return client.get(f"/crawls/{crawl.pk}/{part}", query)


def told(client, crawl: Crawl, part: str, **query: object):
    answer = ask(client, crawl, part, **query)
    assert answer.status_code == 200
    return answer.json()


# The chart's figures


def test_the_opening_holds_the_latest_pages_the_map_and_the_flags(as_owner, crawl):
    CrawlEvent.objects.create(crawl=crawl, seq=7, kind="changed", text=HOSTILE)
    opening = told(as_owner, crawl, "opening/")
    points = opening["view"]["points"]
    assert opening["seq"] == PAGES
    assert points["seq"] == list(range(1, PAGES + 1))
    assert points["relevance"] == [relevance_of(seq) for seq in range(1, PAGES + 1)]
    assert set(points["kind"]) == {"page", "error"}
    assert (points["title"][0], points["site"][0]) == ("Page 1", "h0.example")
    assert opening["view"]["lead"] == []
    assert [event["text"] for event in opening["events"]] == [HOSTILE]  # escaped by the script
    assert (opening["reference"], opening["threshold"]) == (None, 0.5)


def test_the_map_adds_up_to_the_whole_crawl(as_owner, crawl):
    steps = told(as_owner, crawl, "opening/")["map"]
    assert (steps[0]["first"], steps[-1]["last"]) == (1, PAGES)
    assert sum(step["judged"] for step in steps) == PAGES - PAGES // FAILED_EVERY
    assert sum(step["failed"] for step in steps) == PAGES // FAILED_EVERY
    for before, after in itertools.pairwise(steps):
        assert after["first"] == before["last"] + 1


def test_a_crawl_without_a_page_opens_empty(as_owner, scene):
    opening = told(as_owner, scene.crawl, "opening/")
    assert (opening["seq"], opening["map"], opening["view"]["points"]["seq"]) == (0, [], [])
    assert told(as_owner, scene.crawl, "view/", first=1, last=100)["points"]["seq"] == []


def test_a_view_is_cut_to_what_there_is(as_owner, crawl):
    view = told(as_owner, crawl, "view/", first=241, last=HUGE)
    assert (view["first"], view["last"]) == (241, PAGES)
    assert view["points"]["seq"] == list(range(241, PAGES + 1))
    # For the moving average: the relevances before it, without the failures.
    assert len(view["lead"]) == 240 - 240 // FAILED_EVERY
    assert view["lead"][-1] == relevance_of(239)


@pytest.mark.parametrize(("first", "last"), [(0, 3), (3, 1), (HUGE, HUGE), (HUGE, 0)])
def test_a_view_that_is_upside_down_or_outside_is_answered(as_owner, crawl, first, last):
    view = told(as_owner, crawl, "view/", first=first, last=last)
    assert 1 <= view["first"] <= max(view["last"], 1) <= PAGES


def test_a_long_view_comes_in_stretches(as_owner, crawl, monkeypatch):
    monkeypatch.setattr(monitor, "DOTS", 100)
    view = told(as_owner, crawl, "view/", first=1, last=PAGES)
    assert view["points"]["seq"] == []
    assert [(step["first"], step["last"]) for step in view["steps"]] == [
        (1, 100), (101, 200), (201, 250),
    ]  # fmt: skip
    for step in view["steps"]:
        pages = range(step["first"], step["last"] + 1)
        judged = [r for r in map(relevance_of, pages) if r is not None]
        assert (step["judged"], step["least"], step["most"]) == (len(judged), 0.0, 1.0)
        assert step["mean"] == pytest.approx(sum(judged) / len(judged), abs=1e-4)


def test_an_unfocused_crawl_on_the_same_start_set_is_the_reference(as_owner, crawl):
    other = Crawl.objects.create(
        focus=crawl.focus, team=crawl.team, model=crawl.model, name="Unfocused", slug="unfocused",
        strategy="unfocused", good=crawl.good, start_urls=crawl.start_urls,
        state=Crawl.State.RUNNING,
    )  # fmt: skip
    commit_pages(held(other, "two"), [0.2] * 300)
    assert told(as_owner, crawl, "opening/")["reference"] is None
    Crawl.objects.filter(pk=other.pk).update(state=Crawl.State.FINISHED)
    reference = told(as_owner, crawl, "opening/")["reference"]
    assert reference["pages"][-1] == 300
    assert set(reference["averages"]) == {0.2}


# What is asked again and again where no websocket is


def test_points_are_the_frames_of_the_websocket(as_owner, crawl):
    event = CrawlEvent.objects.create(crawl=crawl, seq=5, kind="paused", text="Paused")
    frames = told(as_owner, crawl, "points/", after=240, event=0)["frames"]
    by_type = {frame["type"]: frame for frame in frames}
    assert [point["seq"] for point in by_type["points"]["points"]] == list(range(241, PAGES + 1))
    assert len(by_type["points"]["average"]) == 10
    assert by_type["event"]["event"]["text"] == "Paused"
    assert by_type["state"]["seq"] == PAGES
    again = told(as_owner, crawl, "points/", after=PAGES, event=event.pk)["frames"]
    assert [frame["type"] for frame in again] == ["state"]


def test_asking_step_by_step_brings_every_page_once(as_owner, crawl):
    seqs, after = [], 0
    while after < PAGES:
        [frame] = [
            each
            for each in told(as_owner, crawl, "points/", after=after, event=0)["frames"]
            if each["type"] == "points"
        ]
        seqs += [point["seq"] for point in frame["points"]]
        after = seqs[-1]
    assert seqs == list(range(1, PAGES + 1))


def test_who_is_ahead_of_the_crawl_gets_no_page(as_owner, crawl):
    frames = told(as_owner, crawl, "points/", after=HUGE, event=HUGE)["frames"]
    assert [frame["type"] for frame in frames] == ["state"]


# Odd questions


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize(
    ("part", "names"),
    [
        ("view/", ("first", "last")),
        ("points/", ("after", "event")),
        ("stretch/", ("first", "last")),
    ],
)
def test_numbers_that_are_none_are_refused_in_words(as_owner, crawl, part, names, odd):
    for name in names:
        answer = ask(as_owner, crawl, part, **{**dict.fromkeys(names, "1"), name: odd})
        assert answer.status_code == 400
        assert b"must be" in answer.content
        assert odd.encode() not in answer.content or not odd.strip("1")
    assert ask(as_owner, crawl, part).status_code == 400


@pytest.mark.parametrize("number", ["0", "251", HUGE, "9" * 40])
@pytest.mark.parametrize("part", ["pages/{}/", "upcoming/{}/"])
def test_what_is_not_there_is_not_found(as_owner, crawl, part, number):
    assert ask(as_owner, crawl, part.format(number)).status_code == 404


@pytest.mark.parametrize("number", ["-1", "x", "1.5", "%00"])
@pytest.mark.parametrize("part", ["pages/{}/", "upcoming/{}/"])
def test_addresses_that_make_no_sense_are_not_found(as_owner, crawl, part, number):
    assert ask(as_owner, crawl, part.format(number)).status_code == 404


@pytest.mark.parametrize("part", ["", "opening/", "upcoming/", "points/?after=0&event=0"])
def test_a_crawl_beyond_all_numbers_is_not_found(as_owner, scene, part):
    assert as_owner.get(f"/crawls/{'9' * 40}/{part}").status_code == 404


@pytest.mark.parametrize(
    "part", ["opening/", "view/", "points/", "stretch/", "pages/2/", "upcoming/", "upcoming/900/"]
)
def test_nothing_is_changed_or_answered_by_post(as_owner, crawl, part):
    assert as_owner.post(f"/crawls/{crawl.pk}/{part}").status_code == 405


# Fragments


def test_a_stretch_lists_its_pages_and_says_where_it_cuts(as_owner, crawl, monkeypatch):
    whole = Page(ask(as_owner, crawl, "stretch/", first=9, last=11))
    assert {f"/crawls/{crawl.pk}/pages/{seq}/" for seq in (9, 10, 11)} <= set(whole.links)
    assert "status_404" in whole.words
    part = as_owner.get(
        f"/crawls/{crawl.pk}/stretch/?first=1&last={HUGE}", headers={"HX-Request": "true"}
    )
    assert part.headers["Vary"].find("HX-Request") >= 0
    assert b"<html" not in part.content
    assert len(Page(part).links) == PAGES
    assert "No pages here" in Page(ask(as_owner, crawl, "stretch/", first=900, last=901)).words


def test_a_page_shows_what_was_stored_as_plain_text(as_owner, crawl):
    PageRow.objects.filter(crawl=crawl, seq=2).update(
        title=HOSTILE, url="javascript:alert(1)", detail=HOSTILE
    )
    for headers in ({}, {"HX-Request": "true"}):
        answer = as_owner.get(f"/crawls/{crawl.pk}/pages/2/", headers=headers)
        page = Page(answer)
        assert HOSTILE.encode() not in answer.content
        assert f"Gears {HOSTILE}" in page.words
        assert not [link for link in page.links if link.startswith("javascript:")]
        assert (b"<html" in answer.content) == (not headers)


def test_a_page_that_failed_says_why(as_owner, crawl):
    assert "Page 10" in Page(ask(as_owner, crawl, "pages/10/")).words
    assert "404" in Page(ask(as_owner, crawl, "pages/10/")).words


def test_upcoming_holds_what_still_waits_and_why(as_owner, crawl):
    page = Page(ask(as_owner, crawl, "upcoming/"))
    assert "Found on a page with relevance 0.50" in page.words
    assert page.words.count("Explain this rank") == 1  # the other has been fetched meanwhile
    Crawl.objects.filter(pk=crawl.pk).update(status={})
    assert "has not told yet" in Page(ask(as_owner, crawl, "upcoming/")).words


def test_a_rank_is_explained_by_the_pages_that_link_there(as_owner, crawl):
    answer = ask(as_owner, crawl, "upcoming/900/")
    page = Page(answer)
    assert f"/crawls/{crawl.pk}/pages/2/" in page.links
    assert "0.75" in page.words
    assert "h3.example" in page.words
    assert f"more {HOSTILE}" in page.words
    assert HOSTILE.encode() not in answer.content


def test_a_rank_of_a_start_page_has_no_parents(as_owner, crawl):
    assert "it is a start page" in Page(ask(as_owner, crawl, "upcoming/1/")).words
