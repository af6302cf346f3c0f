"""One page on a person's request, through every guard that a crawl has."""

import pytest

from focusadmin.lib import single_page as module
from focusadmin.lib.http import Identity
from focusadmin.lib.outcomes import Reason
from focusadmin.lib.single_page import PageUnreachableError, SinglePage, single_page
from tests.sites.behaviours import Bomb, Pages, Redirects, Resets, Says, Silent
from tests.sites.web import LoopbackWeb, NoNames

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
    with pytest.raises(PageUnreachableError, match=r"redirects to .*closed\.test:\d+"):
        visit(web, url)


@pytest.mark.parametrize(
    ("name", "behaviour", "words"),
    [
        ("missing", Pages({}), "status 404"),
        ("image", Pages({"/": b"GIF89a"}, "image/gif"), "not a page of text"),
        (
            "inwards",
            Redirects("http://127.0.0.1:1/"),
            r"127\.0\.0\.1:1\S* is not on the pub",
        ),
        ("reset", Resets(), "broke off"),
        ("bomb", Bomb(), "unpacked"),
        ("closed", Says(status=503), "status 503 when asked for its robots.txt"),
        ("circle", Redirects("/"), "in a circle"),
    ],
)
def test_what_is_no_page_is_told(web: LoopbackWeb, name, behaviour, words):
    url = web.add(f"{name}-single.test", behaviour)
    with pytest.raises(PageUnreachableError, match=words):
        visit(web, url)


@pytest.mark.parametrize("behaviour", [Resets(), Bomb(), Says(status=503)])
def test_a_site_whose_robots_txt_can_not_be_read_is_left_alone(web: LoopbackWeb, behaviour):
    name = f"{type(behaviour).__name__.lower()}-robots.test"
    with pytest.raises(PageUnreachableError):
        visit(web, web.add(name, behaviour))
    assert {request.target for request in web.visits_of(name)} == {"/robots.txt"}


def test_a_site_that_says_nothing_does_not_keep_a_person_waiting(web: LoopbackWeb, monkeypatch):
    monkeypatch.setattr(module, "PATIENCE_SECONDS", 0.3)
    with pytest.raises(PageUnreachableError, match="took longer"):
        visit(web, web.add("silent-single.test", Silent()))


def test_every_reason_has_a_sentence():
    assert set(module._SENTENCES) == set(Reason)
    with pytest.raises(PageUnreachableError, match="nobody knows the name"):
        single_page("http://nowhere.test/", IDENTITY, resolver=NoNames())


@pytest.mark.parametrize("url", ["", "javascript:alert(1)", "ftp://a.example/", "no address"])
def test_what_is_no_web_address_is_refused(web: LoopbackWeb, url):
    with pytest.raises(PageUnreachableError, match="web address"):
        visit(web, url)


@pytest.mark.parametrize("url", ["http://127.0.0.1/", "http://[::1]/", "http://169.254.169.254/"])
def test_addresses_inside_the_house_are_refused_and_the_operators_way_is_named(url):
    with pytest.raises(PageUnreachableError, match="FOCUSADMIN_ALLOWED_TARGETS"):
        single_page(url, IDENTITY)
