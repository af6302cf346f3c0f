"""Two ways in: the one-time link, and the password; and one way out."""

import logging
import threading
from datetime import timedelta

import pytest
import structlog
import time_machine
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from focusadmin.accounts.models import User
from focusadmin.accounts.services import sign_in_link_create
from tests.web.pages import Page

HOME = reverse("crawler:home")
SIGN_IN = reverse("accounts:signin")
PASSWORD = "a-long-pass-phrase"


def open_link(client: Client, token: str, **more):
    return client.get(reverse("accounts:signin-link"), {"token": token}, **more)


def sign_in(client: Client, username: str, password: str = PASSWORD, **more: str):
    return client.post(SIGN_IN, {"username": username, "password": password, **more})


def who(client: Client) -> str | None:
    """The name under which the browser is signed in."""
    key = client.session.get("_auth_user_id")
    return User.objects.get(pk=key).username if key else None


def later(**delta: float):
    return time_machine.travel(timezone.now() + timedelta(**delta), tick=False)


# The one-time link


def test_the_link_signs_in_and_leads_home(client, newcomer):
    response = open_link(client, sign_in_link_create(user=newcomer))
    assert (response.status_code, response["Location"]) == (302, HOME)
    assert who(client) == "nils"


def test_the_link_works_once(client, newcomer):
    token = sign_in_link_create(user=newcomer)
    open_link(client, token)
    second = Client()
    response = open_link(second, token)
    assert response.status_code == 410
    assert "This link no longer works" in Page(response).words
    assert "manage.py signin_link" in Page(response).words
    assert who(second) is None


@pytest.mark.django_db(transaction=True)
def test_of_many_browsers_at_the_same_moment_one_gets_in(newcomer):
    token = sign_in_link_create(user=newcomer)
    start = threading.Barrier(6)
    statuses = []

    def open_it():
        start.wait()
        statuses.append(open_link(Client(), token).status_code)
        connection.close()

    threads = [threading.Thread(target=open_it) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(statuses) == [302, 410, 410, 410, 410, 410]


def test_asking_for_the_headers_does_not_spend_the_link(client, newcomer):
    token = sign_in_link_create(user=newcomer)
    assert client.head(reverse("accounts:signin-link"), {"token": token}).status_code == 405
    assert open_link(client, token).status_code == 302


@pytest.mark.parametrize(("minutes", "status"), [(59, 302), (60, 410), (61, 410)])
def test_the_link_works_for_an_hour(client, newcomer, minutes, status):
    token = sign_in_link_create(user=newcomer)
    with later(minutes=minutes):
        assert open_link(client, token).status_code == status


def test_only_the_newest_link_works(client, newcomer):
    older, newest = sign_in_link_create(user=newcomer), sign_in_link_create(user=newcomer)
    assert open_link(client, older).status_code == 410
    assert open_link(client, newest).status_code == 302


def test_a_new_link_leaves_those_of_others_alone(client, newcomer, owner):
    token = sign_in_link_create(user=newcomer)
    sign_in_link_create(user=owner)
    assert open_link(client, token).status_code == 302


def test_the_link_of_a_deactivated_account_opens_nothing(client, newcomer):
    token = sign_in_link_create(user=newcomer)
    newcomer.is_active = False
    newcomer.save()
    assert open_link(client, token).status_code == 410
    assert who(client) is None


@pytest.mark.parametrize("token", ["", "x", "x" * 10_000, "\x00", "é\u202e", "' OR 1=1 --"])
def test_a_made_up_token_opens_nothing(client, newcomer, token):
    sign_in_link_create(user=newcomer)
    assert open_link(client, token).status_code == 410


def test_the_link_changes_who_is_signed_in(as_owner, newcomer):
    before = as_owner.session.session_key
    open_link(as_owner, sign_in_link_create(user=newcomer))
    assert who(as_owner) == "nils"
    assert as_owner.session.session_key != before


def test_no_token_is_kept_in_clear(client, newcomer):
    used = sign_in_link_create(user=newcomer)
    open_link(client, used)
    unused = sign_in_link_create(user=newcomer)
    everything = "\n".join(connection.connection.iterdump())
    assert "nils" in everything
    assert used not in everything
    assert unused not in everything


@pytest.mark.parametrize("case", ["used", "spent", "other host"])
def test_no_token_ends_up_in_the_log(client, newcomer, caplog, case):
    token = sign_in_link_create(user=newcomer)
    if case == "spent":
        open_link(Client(), token)
    caplog.clear()
    headers = {"host": "elsewhere.example"} if case == "other host" else {}
    open_link(client, token, headers=headers)
    formatter = next(
        handler.formatter
        for handler in logging.getLogger().handlers
        if isinstance(handler.formatter, structlog.stdlib.ProcessorFormatter)
    )
    lines = [formatter.format(record) for record in caplog.records]
    assert lines
    assert [line for line in lines if token in line] == []


# The password


def test_the_password_signs_in(client, owner):
    response = sign_in(client, "olga")
    assert (response.status_code, response["Location"]) == (302, HOME)
    assert who(client) == "olga"


@pytest.mark.parametrize(("name", "password"), [("olga", "wrong"), ("nobody", PASSWORD)])
def test_a_wrong_name_or_password_gets_the_same_answer(client, owner, name, password):
    response = sign_in(client, name, password)
    assert "Please enter a correct username and password." in Page(response).words
    assert who(client) is None


@pytest.mark.parametrize("password", ["", "!", "None"])
def test_without_a_password_no_password_signs_in(client, newcomer, password):
    sign_in(client, "nils", password)
    assert who(client) is None


def test_eight_wrong_passwords_lock_the_name_for_a_quarter_of_an_hour(client, owner):
    for _ in range(7):
        assert sign_in(client, "olga", "wrong").status_code == 200
    locked = sign_in(client, "olga", "wrong")
    assert locked.status_code == 429
    assert "locked for 15 minutes after 8 wrong passwords" in Page(locked).words
    assert sign_in(client, "olga").status_code == 429
    with later(minutes=16):
        assert sign_in(client, "olga").status_code == 302


def test_a_lock_leaves_other_names_and_links_alone(client, owner, stranger):
    for _ in range(8):
        sign_in(client, "olga", "wrong")
    assert sign_in(Client(), "sam").status_code == 302
    assert open_link(Client(), sign_in_link_create(user=owner)).status_code == 302


def test_signing_in_forgets_the_failures_before_it(client, owner):
    for _ in range(7):
        sign_in(client, "olga", "wrong")
    sign_in(client, "olga")
    assert sign_in(Client(), "olga", "wrong").status_code == 200


def test_after_signing_in_one_is_where_one_wanted_to_go(client, owner):
    wanted = reverse("accounts:settings")
    refused = client.get(wanted)
    form = Page(client.get(refused["Location"])).form(SIGN_IN)
    assert sign_in(client, "olga", next=form.fields["next"])["Location"] == wanted


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example",
        "///evil.example",
        "/\\evil.example",
        "javascript:1",
    ],
)
def test_signing_in_leads_to_no_other_site(client, owner, wanted):
    assert sign_in(client, "olga", next=wanted)["Location"] == HOME


# The way out


def test_signing_out_takes_a_post_and_ends_the_session(as_owner):
    assert as_owner.get(reverse("accounts:signout")).status_code == 405
    assert who(as_owner) == "olga"
    assert as_owner.post(reverse("accounts:signout"))["Location"] == SIGN_IN
    assert who(as_owner) is None
    assert as_owner.get(HOME).status_code == 302


@pytest.mark.parametrize("route", ["signout", "theme", "member-add"])
def test_signing_in_after_a_form_that_came_too_late_leads_to_a_page(client, owner, team, route):
    """The session was over already when the button was pressed."""
    address = reverse(f"accounts:{route}", args=[team.slug] if route == "member-add" else [])
    form = Page(client.post(address, follow=True)).form(SIGN_IN)
    response = sign_in(client, "olga", next=form.fields["next"])
    assert client.get(response["Location"]).status_code == 200
