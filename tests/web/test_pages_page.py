"""The list of a crawl's pages as people find it."""

import pytest

from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(scene):
    return record(
        scene.crawl,
        *(
            Fetched(
                f"https://h{number % 3}.example/{number}",
                0.5,
                fields={"title": f"Title {number}", "text": f"Text {number} <b>bold</b> & more"},
            )
            for number in range(1, 61)
        ),
        Fetched(
            "https://h9.example/x",
            0.9,
            fields={"title": "<script>alert(1)</script>", "topic": "/Arts/\"'<i>"},
        ),
    )


def address(crawl, query="") -> str:
    return f"/crawls/{crawl.pk}/pages/{query}"


def test_an_empty_crawl(as_owner, scene):
    assert "No pages yet" in Page(as_owner.get(address(scene.crawl))).words


def test_the_way_through_the_list(as_owner, filled):
    answer = as_owner.get(address(filled))
    assert b"<script>alert(1)" not in answer.content
    assert "Title 60" in Page(answer).words
    assert "Title 11" not in Page(answer).words
    following = as_owner.get(address(filled, "?" + answer.context["next_query"]))
    assert "Title 11" in Page(following).words
    assert following.context["next_query"] == ""


def test_newer_pages_are_told(as_owner, filled):
    answer = as_owner.get(address(filled))
    record(filled, Fetched("https://h1.example/new"))
    following = as_owner.get(address(filled, "?" + answer.context["next_query"]))
    assert "1 newer page" in Page(following).words


def test_found_words_are_marked_and_escaped(as_owner, filled):
    answer = as_owner.get(address(filled, '?q="17 bold"'))
    assert "No page is like that" in Page(answer).words
    answer = as_owner.get(address(filled, "?q=17 bold"))
    content = answer.content.decode()
    assert "<mark>17</mark> &lt;b&gt;<mark>bold</mark>&lt;/b&gt; &amp; more" in content


def test_chips_take_one_filter_away_each(as_owner, filled):
    query = "?q=text&site=h1.example&least=0.2&unique=1&lang=&sort=relevance&depth=9"
    answer = as_owner.get(address(filled, query))
    chips = {chip.label: chip.without for chip in answer.context["chips"]}
    assert set(chips) == {
        "Words: text", "Site: h1.example", "Relevance from 0.2", "Duplicates hidden",
        "At most 9 links from the start",
    }  # fmt: skip
    assert chips["Site: h1.example"] == "q=text&least=0.2&depth=9&unique=1&sort=relevance"


@pytest.mark.parametrize(
    "query",
    [
        "?q=%00",
        '?q="',
        "?q=*)(",
        "?q=" + "x" * 5000,
        "?q=AND OR NOT NEAR(",
        "?least=nan",
        "?least=-1",
        "?depth=99999999999999999999",
        "?outcome=%27",
        "?outcome=all&q=text",
        "?sort=x&after=1_2",
        "?after=999999999999999",
        "?seen=x&after=3",
        "?topic=/%00",
        "?topic=" + "x" * 999,
        "?site=%00%ff",
        "?lang=%00",
        "?sort=relevance&outcome=error",
        "?sort=relevance&after=nan_5",
    ],
)
def test_odd_addresses_are_answered(as_owner, filled, query):
    assert as_owner.get(address(filled, query)).status_code == 200


def test_a_page_opens_from_the_list(as_owner, filled):
    answer = as_owner.get(address(filled, "17/"))
    assert "Title 17" in Page(answer).words


def test_what_lies_around_a_page(as_owner, scene):
    first, second, third = (f"https://h{number}.example/x" for number in range(3))
    crawl = record(
        scene.crawl,
        Fetched(first, 0.8, links=(second, third), fields={"anchors": ("to <b>", "waits")}),
        Fetched(second, 0.3, fields={"title": "Second"}),
    )
    words = Page(as_owner.get(address(crawl, "1/"))).words
    assert "to <b>" in words
    assert "relevance 0.30" in words
    assert "Waiting" in words
    assert "no text, or the file of the crawl's model is gone" in words
    words = Page(as_owner.get(address(crawl, "2/"))).words
    assert "says “ to <b> ”" in words or "says “to <b>”" in words
    assert "No links that may be followed" in words


def test_other_visits_are_linked(as_owner, scene):
    crawl = record(scene.crawl, Fetched("https://h1.example/x", 0.8))
    again = crawl.pages.get()
    again.seq = 2
    crawl.pages.bulk_create([again])
    assert "Page 1, this one" in Page(as_owner.get(address(crawl, "1/"))).words
    assert f"/crawls/{crawl.pk}/pages/1/" in as_owner.get(address(crawl, "2/")).content.decode()


def test_the_drawer_gets_the_page_alone(as_owner, filled):
    answer = as_owner.get(address(filled, "17/"), headers={"HX-Request": "true"})
    assert b"<html" not in answer.content
    assert b"Where it links to" not in answer.content
