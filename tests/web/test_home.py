"""The first page, its status strip, help; and no link that leads nowhere."""

from datetime import timedelta
from urllib.parse import urldefrag, urlencode, urljoin, urlsplit

import pytest
import time_machine
from django.urls import resolve, reverse
from django.utils import timezone

from crawler.models import WorkerSighting
from crawler.services.workers import worker_seen
from tests.web.access_table import PAGES, Access, Scene
from tests.web.pages import Page

HOME = reverse("crawler:home")
STRIP = reverse("crawler:status-strip")
HTML_PAGES = [row for row in PAGES if row.route not in {"healthz", "readyz"}]


def address_of(row: Access, scene: Scene) -> str:
    return f"{row.url(scene)}?{urlencode(row.data)}" if row.data else row.url(scene)


def later(**delta: float):
    return time_machine.travel(timezone.now() + timedelta(**delta), tick=False)


def test_home_welcomes_and_names_the_team(as_owner, team):
    page = Page(as_owner.get(HOME))
    assert "Welcome to FocusAdmin" in page.words
    assert "You are in Cyclists" in page.words
    assert reverse("accounts:team", args=[team.slug]) in page.links


def test_home_tells_somebody_without_a_team_whom_to_ask(client, newcomer):
    client.force_login(newcomer)
    words = Page(client.get(HOME)).words
    assert "You are not in a team yet. Ask an admin to add nils" in words


def test_the_menu_lists_ones_own_teams_only(as_owner, team, stranger):
    links = Page(as_owner.get(HOME)).links
    assert reverse("accounts:team", args=[team.slug]) in links
    assert reverse("accounts:team", args=["others"]) not in links


def test_home_costs_few_queries(as_owner, team, django_assert_max_num_queries):
    with django_assert_max_num_queries(8):
        as_owner.get(HOME)


# The status strip


def strip(client) -> tuple[str, str]:
    """The words of the strip, and its HTML; the same on the page and by itself."""
    response = client.get(STRIP)
    assert response.content.decode().strip() in client.get(HOME).content.decode()
    return Page(response).words, response.content.decode()


def test_before_the_first_sign_of_life_the_worker_is_starting(as_owner):
    words, html = strip(as_owner)
    assert "Workers 0 Starting" in words
    assert "status-dot--unknown" in html


def test_a_live_worker_is_ready(as_owner):
    with time_machine.travel("2026-03-01T10:20:30Z", tick=False):
        worker_seen(hostname="one")
    with time_machine.travel("2026-03-01T10:20:40Z", tick=False):
        words, _ = strip(as_owner)
    assert "Workers 1 Ready for work" in words
    assert "10:20:30 UTC" in words


def test_a_worker_is_silent_after_half_a_minute(as_owner):
    worker_seen(hostname="one")
    with later(seconds=31):
        words, html = strip(as_owner)
    assert "Workers 0 Silent for more than 30 s" in words
    assert "status-dot--bad" in html


def test_silent_workers_do_not_hide_a_live_one(as_owner):
    WorkerSighting.objects.create(hostname="old", seen_at=timezone.now() - timedelta(hours=1))
    worker_seen(hostname="new")
    assert "Workers 1 Ready for work" in strip(as_owner)[0]


def test_the_strip_says_what_it_stands_on(as_owner):
    words, _ = strip(as_owner)
    assert "SQLite Embedded mode" in words
    assert "Disk free" in words


def test_the_strip_is_a_fragment_that_renews_itself(as_owner):
    page = Page(as_owner.get(STRIP))
    assert page.elements[0].attributes["hx-get"] == STRIP
    assert "html" not in {element.tag for element in page.elements}


def test_a_strip_renewed_after_the_session_ended_takes_the_whole_page_along(client, db):
    """A plain redirect would put the sign-in page inside the strip."""
    response = client.get(STRIP, headers={"hx-request": "true"})
    assert {"HX-Redirect", "HX-Refresh"} & set(response.headers)


# Help and links


def test_help_explains_words_and_ways_out(as_owner):
    words = Page(as_owner.get(reverse("crawler:help"))).words
    for word in ["Relevance", "Frontier", "manage.py signin_link", "The workers are silent"]:
        assert word in words


def test_no_page_has_a_dead_link(as_owner, scene):
    wanted: dict[str, dict[str, str]] = {}  # by address: the fragments asked for, and where
    for row in HTML_PAGES:
        address = address_of(row, scene)
        for link in Page(as_owner.get(address)).links:
            target, fragment = urldefrag(urljoin(address, link))
            if not urlsplit(target).netloc:  # else it is another site
                wanted.setdefault(target, {})[fragment] = f"{link} on {address}"
    assert len(wanted) > len(HTML_PAGES) / 2
    for target, fragments in wanted.items():
        response = as_owner.get(target)
        assert response.status_code < 400, fragments
        for fragment, where in fragments.items():
            assert not fragment or fragment in Page(response).ids, where


def test_every_form_of_a_page_has_somewhere_to_go(as_owner, scene):
    for row in HTML_PAGES:
        address = row.url(scene)
        for form in Page(as_owner.get(address_of(row, scene))).forms:
            resolve(urlsplit(urljoin(address, form.action)).path)


def test_everything_a_page_refers_to_by_id_is_there(as_owner, scene):
    for row in HTML_PAGES:
        page = Page(as_owner.get(address_of(row, scene)))
        for element in page.elements:
            for name in ["for", "aria-labelledby", "aria-describedby", "aria-controls"]:
                for wanted in element.attributes.get(name, "").split():
                    assert wanted in page.ids, f"{row}: {element.tag} {name}={wanted}"


@pytest.mark.parametrize("address", ["/nowhere/", "/accounts/signin/", "/accounts/signin/link/"])
def test_a_page_for_everybody_has_no_dead_link_either(client, db, address):
    page = Page(client.get(address))
    for link in page.links:
        if link.startswith("#"):
            assert link[1:] in page.ids
        else:
            assert client.get(urljoin(address, link)).status_code < 400, link
