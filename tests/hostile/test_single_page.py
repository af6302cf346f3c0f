"""One page on a person's request, through every guard that a crawl has."""

import pytest

from focusadmin.lib.http import Identity
from focusadmin.lib.single_page import PageUnreachableError, SinglePage, single_page
from tests.sites.behaviours import Bomb, Pages, Redirects, Resets, Says
from tests.sites.web import LoopbackWeb

IDENTITY = Identity("ann@example.org")
PAGE = "<title>Räder</title><p>Über Fahrräder und Ketten.".encode()


def visit(web: LoopbackWeb, url: str) -> SinglePage:
    return single_page(url, IDENTITY, policy=web.policy, resolver=web.resolver)


def test_a_page_comes_with_its_title_and_text(web: LoopbackWeb):
    url = web.add("one.test", Pages({"/": PAGE}))
    page = visit(web, url)
    assert (page.url, page.content.title) == (url, "Räder")
    assert "Ketten" in page.content.text


def test_robots_txt_is_asked_first(web: LoopbackWeb):
    url = web.add("polite.test", Pages({"/": PAGE}))
    visit(web, url)
    asked = [request.target for request in web.visits_of("polite.test")]
    assert asked == ["/robots.txt", "/"]
    assert "ann@example.org" in web.visits_of("polite.test")[1].headers["user-agent"]


def test_what_robots_txt_forbids_is_not_visited(web: LoopbackWeb):
    rules = b"User-agent: *\nDisallow: /"
    url = web.add("shy.test", Pages({"/": PAGE, "/robots.txt": rules}))
    with pytest.raises(PageUnreachableError, match="asks us not to"):
        visit(web, url)
    assert [request.target for request in web.visits_of("shy.test")] == ["/robots.txt"]


def test_a_redirect_to_where_robots_txt_forbids_is_declined(web: LoopbackWeb):
    rules = b"User-agent: *\nDisallow: /"
    target = web.add("closed.test", Pages({"/": PAGE, "/robots.txt": rules}))
    url = web.add("leads.test", Redirects(target))
    with pytest.raises(PageUnreachableError, match="declined"):
        visit(web, url)


@pytest.mark.parametrize(
    ("name", "behaviour", "words"),
    [
        ("missing", Pages({}), "status 404"),
        ("image", Pages({"/": b"GIF89a"}, "image/gif"), "can't be fetched"),
        ("inwards", Redirects("http://127.0.0.1:1/"), "can't be reached"),
    ],
)
def test_what_is_no_page_is_told(web: LoopbackWeb, name, behaviour, words):
    url = web.add(f"{name}-single.test", behaviour)
    with pytest.raises(PageUnreachableError, match=words):
        visit(web, url)


@pytest.mark.parametrize("behaviour", [Resets(), Bomb(), Says(status=503)])
def test_a_site_whose_robots_txt_can_not_be_read_is_left_alone(web: LoopbackWeb, behaviour):
    url = web.add(f"{type(behaviour).__name__.lower()}-single.test", behaviour)
    with pytest.raises(PageUnreachableError, match="robots"):
        visit(web, url)


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "ftp://a.example/", "no address"])
def test_what_is_no_web_address_is_refused(web: LoopbackWeb, url):
    with pytest.raises(PageUnreachableError, match="web address"):
        visit(web, url)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"])
def test_addresses_inside_the_house_are_refused(url):
    with pytest.raises(PageUnreachableError):
        single_page(url, IDENTITY)
