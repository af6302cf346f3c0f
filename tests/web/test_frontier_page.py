"""The frontier of a crawl as people find it."""

import pytest

from crawler.selectors import queue as queue_list
from crawler.selectors.queue import SHOWN, QueueFilter, queue_of
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db

LINKS = 130


@pytest.fixture
def filled(scene):
    """One page whose links wait on three hosts, and one that can't be reached."""
    links = tuple(f"https://h{number % 3}.example/wait/{number}" for number in range(LINKS))
    return record(
        scene.crawl,
        Fetched("https://h0.example/start", 0.75, links=links),
        Fetched("https://gone.example/x", None),
    )


def address(crawl, query="") -> str:
    return f"/crawls/{crawl.pk}/frontier/{query}"


def all_urls(crawl, wanted) -> list[str]:
    """Every screenful, one after the other."""
    urls, queue = [], queue_of(crawl, wanted)
    while True:
        assert len(queue.urls) <= SHOWN
        urls += [waiting.url for waiting in queue.urls]
        if queue.next is None:
            return urls
        queue = queue_of(crawl, wanted, queue.next)


def test_an_empty_frontier(as_owner, scene):
    assert (
        "as soon as a page with links has been read"
        in Page(as_owner.get(address(scene.crawl))).words
    )


def test_every_waiting_url_is_listed_once_the_latest_found_first(filled):
    urls = all_urls(filled, QueueFilter())
    assert len(urls) == len(set(urls)) == LINKS
    assert urls[0].endswith(f"/wait/{LINKS - 1}")
    assert urls[-1].endswith("/wait/0")


def test_a_place_stays_valid_while_the_crawl_finds_more(filled):
    first = queue_of(filled, QueueFilter())
    record(filled, Fetched("https://h1.example/wait/1", 0.5, links=("https://h9.example/new",)))
    following = queue_of(filled, QueueFilter(), first.next)
    assert following.urls[0].url.endswith(f"/wait/{LINKS - 1 - SHOWN}")


def test_filters_by_host_words_and_state(as_owner, filled):
    on_one = all_urls(filled, QueueFilter(host="h1.ex"))
    assert on_one == [url for url in all_urls(filled, QueueFilter()) if "//h1." in url]
    assert all_urls(filled, QueueFilter(words="/wait/12")) == [
        f"https://h{number % 3}.example/wait/{number}" for number in (*range(129, 119, -1), 12)
    ]
    words = Page(as_owner.get(address(filled, "?state=dead"))).words
    assert "Given up" in words
    assert "gone.example" in words
    assert "/wait/1" not in words


def test_time_that_is_up_is_told_and_the_list_goes_on(filled, monkeypatch):
    monkeypatch.setattr(queue_list, "_WINDOW", 10)
    wanted = QueueFilter(words="/wait/12")
    queue = queue_of(filled, wanted, seconds=-1.0)
    assert queue.is_unfinished
    assert queue.next is not None
    rest = queue_of(filled, wanted, queue.next)
    assert not rest.is_unfinished
    assert len(queue.urls) + len(rest.urls) == 11


def test_the_way_through_the_list(as_owner, filled):
    answer = as_owner.get(address(filled, "?host=h1"))
    assert "/wait/127" in Page(answer).words
    assert "/wait/128" not in Page(answer).words
    following = as_owner.get(address(filled, "?" + answer.context["next_query"]))
    assert following.status_code == 200


def test_addresses_of_strangers_are_escaped_and_never_run(as_owner, scene):
    hostile = "https://h1.example/<script>alert(1)</script>"
    crawl = record(scene.crawl, Fetched("https://h0.example/", 0.9, links=(hostile,)))
    assert b"<script>alert(1)" not in as_owner.get(address(crawl)).content


@pytest.mark.parametrize(
    "query",
    ["?q=%00", "?after=x", "?after=" + "9" * 30, "?state=x", "?host=%25_", "?q=" + "x" * 999],
)
def test_odd_addresses_are_answered(as_owner, filled, query):
    assert as_owner.get(address(filled, query)).status_code == 200
