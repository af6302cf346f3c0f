"""Examples by address: fetched through the guard, as the person who asks."""

import pytest

from focusadmin.lib.resolver import SystemResolver
from focusadmin.lib.single_page import PageUnreachableError
from taxonomy.services.pages import example_at, page_at
from tests.hostile.audit import watched_dials
from tests.hostile.test_forbidden_addresses import VECTORS
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb, NoNames

PAGE = b"<title>Wheels</title><p>Spokes and rims."


@pytest.fixture(scope="module")
def web():
    with LoopbackWeb.running() as running:
        running.add("127.0.0.1", Pages({"/": PAGE, "/empty": b""}))
        yield running


@pytest.fixture
def allowed(web, settings):
    settings.CRAWLER_ALLOWED_HOSTS = [f"127.0.0.1:{web.port}"]


@pytest.fixture
def ann(owner):
    owner.email = "ann@example.org"
    return owner


def test_an_address_becomes_an_example_with_title_and_text(web, allowed, ann):
    record = example_at(web.url("127.0.0.1"), by=ann)
    assert (record.title, record.url) == ("Wheels", web.url("127.0.0.1"))
    assert "Spokes" in record.text
    assert "+ann@example.org" in web.visits[-1].headers["user-agent"]


def test_a_title_may_be_given_and_the_installations_contact_goes_first(web, allowed, ann, settings):
    settings.CRAWLER_CONTACT = "https://library.example/crawler"
    assert example_at(web.url("127.0.0.1"), title="Mine", by=ann).title == "Mine"
    assert "+https://library.example/crawler" in web.visits[-1].headers["user-agent"]


def test_nobody_visits_sites_anonymously(web, allowed, owner):
    with pytest.raises(PageUnreachableError, match="e-mail"):
        example_at(web.url("127.0.0.1"), by=owner)


def test_without_an_operators_leave_the_house_is_closed(web, ann):
    with pytest.raises(PageUnreachableError):
        example_at(web.url("127.0.0.1"), by=ann)


@pytest.mark.parametrize("door", [page_at, example_at])
def test_no_spelling_of_a_forbidden_address_is_dialled_on_a_persons_request(
    allowed, ann, monkeypatch, door
):
    monkeypatch.setattr(SystemResolver, "addresses", NoNames.addresses)  # ask no real one
    with watched_dials() as dials:
        for url in VECTORS[::60]:
            with pytest.raises(PageUnreachableError):
                door(url, by=ann)
    assert dials == []
