"""One's own settings: preferences, password and theme."""

import pytest
from django.test import Client
from django.urls import reverse

from tests.web.pages import Page

SETTINGS = reverse("accounts:settings")
PASSWORD = reverse("accounts:password")
THEME = reverse("accounts:theme")
HOME = reverse("crawler:home")
OLD, NEW = "a-long-pass-phrase", "another-long-phrase"


# Preferences


def test_preferences_are_saved(as_owner, owner):
    wanted = {"first_name": "Olga", "email": "olga@example.org", "theme": "dark"}
    response = as_owner.post(SETTINGS, wanted, follow=True)
    assert response.redirect_chain == [(SETTINGS, 302)]
    assert "Settings saved." in Page(response).words
    owner.refresh_from_db()
    assert (owner.first_name, owner.email, owner.theme) == ("Olga", "olga@example.org", "dark")
    assert owner.has_shortcuts is False


@pytest.mark.parametrize(("has_shortcuts", "state"), [(True, "on"), (False, "off")])
def test_shortcuts_can_be_switched_off(as_owner, owner, has_shortcuts, state):
    as_owner.post(
        SETTINGS, {"theme": "auto", "has_shortcuts": "on"} if has_shortcuts else {"theme": "auto"}
    )
    assert f'data-shortcuts="{state}"' in as_owner.get(HOME).content.decode()


@pytest.mark.parametrize(
    "bad",
    [
        {"email": "no address"},
        {"theme": "pink"},
        {"first_name": "x" * 151},
        {"last_name": "a\x00b"},
    ],
    ids=lambda bad: next(iter(bad)),
)
def test_bad_input_is_named_at_its_field_and_nothing_is_saved(as_owner, owner, bad):
    response = as_owner.post(SETTINGS, {"theme": "dark", "first_name": "Olga", **bad})
    assert response.status_code == 422
    name = next(iter(bad))
    assert f"id_{name}_error" in Page(response).ids
    owner.refresh_from_db()
    assert (owner.theme, owner.first_name) == ("auto", "")


@pytest.mark.parametrize("address", [SETTINGS, PASSWORD])
def test_an_empty_form_is_refused(as_owner, address):
    assert as_owner.post(address, {}).status_code == 422


def test_nobody_makes_himself_administrator_by_the_form(as_owner, owner):
    forged = {"theme": "auto", "is_superuser": "on", "is_staff": "on", "username": "root"}
    as_owner.post(SETTINGS, forged)
    owner.refresh_from_db()
    assert (owner.is_superuser, owner.is_staff, owner.username) == (False, False, "olga")


def test_a_hostile_name_is_shown_as_text(as_owner):
    hostile = '"><script>alert(1)</script>'
    as_owner.post(SETTINGS, {"theme": "auto", "first_name": hostile})
    response = as_owner.get(SETTINGS)
    assert "<script>alert" not in response.content.decode()
    assert Page(response).form(SETTINGS).fields["first_name"] == hostile


# Password


def test_the_first_password_needs_no_old_one(client, newcomer):
    client.force_login(newcomer)
    assert "Set a password" in Page(client.get(SETTINGS)).words
    assert "old_password" not in Page(client.get(PASSWORD)).form(PASSWORD).fields
    response = client.post(PASSWORD, {"new_password1": NEW, "new_password2": NEW}, follow=True)
    assert "Password set." in Page(response).words
    assert "Change password" in Page(response).words
    newcomer.refresh_from_db()
    assert newcomer.check_password(NEW)


def test_a_change_needs_the_old_password(as_owner, owner):
    new = {"new_password1": NEW, "new_password2": NEW}
    refused = as_owner.post(PASSWORD, {**new, "old_password": "wrong"})
    assert refused.status_code == 422
    assert "id_old_password_error" in Page(refused).ids
    assert as_owner.post(PASSWORD, new).status_code == 422
    assert as_owner.post(PASSWORD, {**new, "old_password": OLD})["Location"] == SETTINGS
    owner.refresh_from_db()
    assert owner.check_password(NEW)


def test_a_change_signs_out_everywhere_else(as_owner, owner):
    elsewhere = Client()
    elsewhere.force_login(owner)
    new = {"old_password": OLD, "new_password1": NEW, "new_password2": NEW}
    as_owner.post(PASSWORD, new)
    assert as_owner.get(SETTINGS).status_code == 200
    assert elsewhere.get(SETTINGS).status_code == 302


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("tiny-word", "tiny-word", "at least 10 characters"),
        ("1234567890", "1234567890", "too common"),
        (NEW, "something-else-here", "match"),
    ],
)
def test_a_weak_or_mistyped_password_is_refused(client, newcomer, first, second, reason):
    client.force_login(newcomer)
    response = client.post(PASSWORD, {"new_password1": first, "new_password2": second})
    assert response.status_code == 422
    assert reason in Page(response).words
    assert first not in response.content.decode()
    newcomer.refresh_from_db()
    assert not newcomer.has_usable_password()


# Theme


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_the_theme_is_kept_and_stands_in_the_page(as_owner, theme):
    response = as_owner.post(THEME, {"theme": theme, "next": SETTINGS})
    assert (response.status_code, response["Location"]) == (302, SETTINGS)
    assert Page(as_owner.get(HOME)).theme == theme


def test_an_unknown_theme_changes_nothing(as_owner, owner):
    assert as_owner.post(THEME, {"theme": "pink"}).status_code == 302
    owner.refresh_from_db()
    assert owner.theme == "auto"


@pytest.mark.parametrize(
    "wanted",
    ["https://evil.example/", "//evil.example", "/\\evil.example", "javascript:alert(1)", "", None],
)
def test_the_theme_leads_to_no_other_site(as_owner, wanted):
    data = {"theme": "dark"} if wanted is None else {"theme": "dark", "next": wanted}
    assert as_owner.post(THEME, data)["Location"] == HOME


def test_pages_for_everybody_follow_the_system(client, db):
    assert Page(client.get(reverse("accounts:signin"))).theme == "auto"


@pytest.mark.parametrize("username", ["nora", "not a name"], ids=["added", "refused"])
def test_the_theme_can_be_changed_on_a_page_that_answers_a_form(as_owner, team, username):
    add = reverse("accounts:member-add", args=[team.slug])
    answer = as_owner.post(add, {"username": username, "role": "viewer"})
    switch = Page(answer).form(THEME).fields
    response = as_owner.post(THEME, {**switch, "theme": "dark"}, follow=True)
    assert response.status_code == 200
    assert Page(response).theme == "dark"
