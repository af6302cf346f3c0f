"""What every response carries, and what no page may hold."""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from focusadmin.settings import STORAGES as PRODUCT_STORAGES
from focusadmin.static_build import collect_static_if_changed
from tests.web.access_table import PAGES, WRITES, Access, Scene
from tests.web.pages import Page
from tests.web.rehearsal import wrong_rows

HOME = reverse("crawler:home")
SIGN_IN = reverse("accounts:signin")
SETTINGS = reverse("accounts:settings")
CONTENT_POLICY = {
    "default-src": "'none'",
    "script-src": "'self'",
    "style-src": "'self'",
    "img-src": "'self' data:",
    "font-src": "'self'",
    "connect-src": "'self'",
    "form-action": "'self'",
    "frame-ancestors": "'none'",
    "base-uri": "'none'",
}

pytestmark = pytest.mark.urls("tests.web.probe_urls")


def refused(client: Client, scene: Scene):
    return client.post(_add(scene), {"username": "x", "role": "admin"})


def forged(client: Client, scene: Scene):
    return Client(enforce_csrf_checks=True).post(SIGN_IN, {"username": "tom"})


def locked(client: Client, scene: Scene):
    wrong = {"username": "tom", "password": "wrong"}
    return [Client().post(SIGN_IN, wrong) for _ in range(8)][-1]


def _add(scene: Scene) -> str:
    return reverse("accounts:member-add", args=[scene.team.slug])


# One answer of each kind that the product gives, to a viewer of the team.
KINDS: dict[str, tuple[int, Callable[[Client, Scene], Any]]] = {
    "page": (200, lambda client, scene: client.get(HOME)),
    "json": (200, lambda client, scene: client.get(reverse("healthz"))),
    "redirect": (302, lambda client, scene: Client().get(HOME)),
    "slash": (301, lambda client, scene: client.get("/help")),
    "400": (400, lambda client, scene: client.get(HOME, headers={"host": "evil.example"})),
    "403": (403, refused),
    "forged": (403, forged),
    "404": (404, lambda client, scene: client.get("/nowhere/")),
    "405": (
        405,
        lambda client, scene: client.get(
            reverse("accounts:member-restore", args=[scene.team.slug])
        ),
    ),
    "410": (410, lambda client, scene: client.get(reverse("accounts:signin-link"))),
    "422": (422, lambda client, scene: client.post(SETTINGS, {"theme": "pink"})),
    "429": (429, locked),
    "500": (500, lambda client, scene: client.get("/fails/")),
}
ERRORS = ["400", "403", "forged", "404", "429", "500"]


def answer(kind: str, client: Client, scene: Scene):
    client.raise_request_exception = False
    status, ask = KINDS[kind]
    response = ask(client, scene)
    assert response.status_code == status
    return response


# Headers


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_answer_carries_the_headers(as_teammate, scene, kind):
    response = answer(kind, as_teammate, scene)
    policy = response["Content-Security-Policy"].split("; ")
    assert dict(rule.split(" ", 1) for rule in policy) == CONTENT_POLICY
    assert response["X-Content-Type-Options"] == "nosniff"
    assert response["Referrer-Policy"] == "same-origin"
    assert response["Cross-Origin-Opener-Policy"] == "same-origin"
    assert response["Cross-Origin-Resource-Policy"] == "same-origin"
    assert "camera=()" in response["Permissions-Policy"]
    assert {"private", "no-store"} <= set(response["Cache-Control"].split(", "))
    assert "Server" not in response


def test_a_request_id_is_new_each_time_and_not_the_callers(client, db):
    first, second = (client.get(SIGN_IN, headers={"x-request-id": "mine"}) for _ in range(2))
    assert len({first["X-Request-ID"], second["X-Request-ID"], "mine"}) == 3


def test_no_page_can_be_framed_by_old_browsers_either(client, db):
    assert client.get(SIGN_IN)["X-Frame-Options"] == "DENY"


def test_the_session_cookie_is_out_of_reach_of_scripts_and_other_sites(client, owner):
    client.post(SIGN_IN, {"username": "olga", "password": "a-long-pass-phrase"})
    cookie = client.cookies["sessionid"]
    assert cookie["httponly"]
    assert cookie["samesite"] == "Lax"


# Error pages


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_page_is_our_own_and_leads_on(as_teammate, scene, kind):
    response = answer(kind, as_teammate, scene)
    page = Page(response)
    assert "· FocusAdmin" in page.words
    assert len([element for element in page.elements if element.tag == "h1"]) == 1
    assert {HOME, SIGN_IN} & set(page.links)


@pytest.mark.parametrize("kind", ERRORS)
def test_an_error_page_tells_nothing_about_the_inside(as_teammate, scene, kind):
    body = answer(kind, as_teammate, scene).content.decode()
    for inside in ["Traceback", "RuntimeError", "a secret", "probe_urls", "DEBUG", "ALLOWED_HOSTS"]:
        assert inside not in body


@pytest.mark.parametrize("kind", ["500", "403", "404"])
def test_an_error_page_shows_the_reference_that_the_log_has(as_teammate, scene, kind):
    response = answer(kind, as_teammate, scene)
    assert response["X-Request-ID"] in Page(response).words


# Signing in and forgery


def test_a_view_without_any_decorator_is_behind_the_sign_in(client, owner):
    assert client.get("/undecorated/")["Location"] == f"{SIGN_IN}?next=/undecorated/"
    client.force_login(owner)
    assert client.get("/undecorated/").content == b"seen"


# Mail programs send it without having seen a page; a signed token in the address allows it.
NO_FORM = {"crawler:digest-off"}


def test_every_write_needs_the_token_against_forgery(owner, scene):
    careful = Client(enforce_csrf_checks=True)
    careful.force_login(owner)

    def check(row: Access) -> None:
        assert careful.post(row.url(scene), row.data).status_code == 403

    assert wrong_rows(careful, [row for row in WRITES if row.route not in NO_FORM], check) == []


def test_forms_carry_the_token_against_forgery(owner):
    careful = Client(enforce_csrf_checks=True)
    form = Page(careful.get(SIGN_IN)).form(SIGN_IN)
    answers = {"username": "olga", "password": "a-long-pass-phrase"}
    assert careful.post(SIGN_IN, {**form.fields, **answers}).status_code == 302


def test_every_posting_form_holds_the_token(as_owner, scene):
    for row in PAGES:
        for form in Page(as_owner.get(row.url(scene))).forms:
            assert form.method in {"post", "get", "dialog"}, row
            assert ("csrfmiddlewaretoken" in form.fields) == (form.method == "post"), row


# Static files


def test_assets_of_a_page_are_served_under_names_that_never_change(settings, tmp_path, owner):
    settings.STATIC_ROOT = tmp_path / "static"
    settings.STORAGES = PRODUCT_STORAGES
    assert collect_static_if_changed()
    client = Client()
    client.force_login(owner)
    assets = Page(client.get(HOME)).assets
    assert len(assets) > 4
    for address in assets:
        response = client.get(address)
        assert response.status_code == 200, address
        assert "immutable" in response["Cache-Control"]
        assert response["X-Content-Type-Options"] == "nosniff"
        response.close()
    assert not collect_static_if_changed()


@pytest.mark.parametrize("path", ["../secret_key", "%2e%2e/focusadmin.sqlite3", "//etc/passwd"])
def test_nothing_but_static_files_is_served(client, db, path):
    assert client.get(f"/static/{path}").status_code == 404
