"""The team's page: who is in, in which role, and the way back after a removal."""

from datetime import timedelta

import pytest
import time_machine
from django.core import signing
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, SignInLink, Team, User
from focusadmin.accounts.services import member_remove, team_create
from tests.web.pages import Form, Page

LAST_ADMIN = "A team needs an admin. Make somebody else admin first."
HOSTILE = "<script>alert(1)</script>\u202eevil"


def page_of(team: Team) -> str:
    return reverse("accounts:team", args=[team.slug])


def add(client: Client, team: Team, username: str, role: str = "viewer"):
    url = reverse("accounts:member-add", args=[team.slug])
    return client.post(url, {"username": username, "role": role}, follow=True)


def change(client: Client, membership: Membership, action: str, **data: str):
    url = reverse(f"accounts:member-{action}", args=[membership.team.slug, membership.pk])
    return client.post(url, data, follow=True)


def restore(client: Client, team: Team, token: str):
    url = reverse("accounts:member-restore", args=[team.slug])
    return client.post(url, {"token": token}, follow=True)


def undo_forms(response) -> list[Form]:
    return [form for form in Page(response).forms if form.action.endswith("/restore/")]


def role_of(user: User, team: Team) -> str | None:
    membership = Membership.objects.filter(user=user, team=team).first()
    return membership.role if membership else None


# Adding


def test_a_new_person_gets_an_account_and_a_link_shown_once(as_owner, team):
    response = add(as_owner, team, "nora", "curator")
    page = Page(response)
    assert "nora is now in the team." in page.words
    link = next(
        e.attributes["value"] for e in page.elements if e.attributes.get("id") == "invitation"
    )
    nora = User.objects.get(username="nora")
    assert role_of(nora, team) == "curator"
    assert not nora.has_usable_password()
    assert "/accounts/signin/link/" not in as_owner.get(page_of(team)).content.decode()
    browser = Client()
    assert browser.get(link).status_code == 302
    assert browser.session["_auth_user_id"] == str(nora.pk)


def test_somebody_with_an_account_is_added_without_a_link(as_owner, team, stranger):
    response = add(as_owner, team, "sam")
    assert "sam is now in the team." in Page(response).words
    assert "signin/link" not in response.content.decode()
    assert not SignInLink.objects.exists()
    assert role_of(stranger, team) == "viewer"


def test_somebody_in_the_team_is_not_added_again(as_owner, team, teammate):
    response = add(as_owner, team, "tom", "admin")
    assert response.status_code == 422
    assert "tom is in this team already. Change the role in the table" in Page(response).words
    assert role_of(teammate, team) == "viewer"


@pytest.mark.parametrize(
    "name", ["", " ", "two words", "<b>", "a\u202eb", "a\x00b", "x" * 151, "../etc", "a/b", "a;b"]
)
def test_an_odd_user_name_is_refused_at_its_field(as_owner, team, name):
    response = add(as_owner, team, name)
    assert response.status_code == 422
    assert "id_username_error" in Page(response).ids
    assert team.memberships.count() == 1


def test_an_unknown_role_is_refused(as_owner, team):
    response = add(as_owner, team, "nora", "king")
    assert response.status_code == 422
    assert not User.objects.filter(username="nora").exists()


def test_a_name_typed_in_another_form_of_its_letters_is_the_same_person(as_owner, team, stranger):
    """The sign-in page normalises what is typed, so accounts must be kept in that form."""
    add(as_owner, team, "\uff53am")  # a full-width s
    assert role_of(stranger, team) == "viewer"


# Roles


@pytest.mark.parametrize("role", list(Role))
def test_an_admin_changes_a_role(as_owner, scene, teammate, role):
    response = change(as_owner, scene.membership, "role", role=role.value)
    assert f"tom is now {role.label}." in Page(response).words
    assert role_of(teammate, scene.team) == role


def test_an_unknown_role_changes_nothing(as_owner, scene, teammate):
    change(as_owner, scene.membership, "role", role="king")
    assert role_of(teammate, scene.team) == "viewer"


def test_the_last_admin_stays_admin_and_stays_in(as_owner, owner, team):
    own = team.memberships.get()
    assert LAST_ADMIN in Page(change(as_owner, own, "role", role="viewer")).words
    assert LAST_ADMIN in Page(change(as_owner, own, "remove")).words
    assert role_of(owner, team) == "admin"


def test_with_a_second_admin_one_may_step_down(as_owner, owner, scene):
    change(as_owner, scene.membership, "role", role="admin")
    response = change(as_owner, scene.team.memberships.get(user=owner), "role", role="viewer")
    assert response.status_code == 200
    assert not Page(response).has_form(reverse("accounts:member-add", args=[scene.team.slug]))


def test_a_member_of_another_team_cannot_be_reached_through_ones_own(as_owner, team, stranger):
    foreign = stranger.memberships.get()
    for action in ["role", "remove"]:
        url = reverse(f"accounts:member-{action}", args=[team.slug, foreign.pk])
        assert as_owner.post(url, {"role": "viewer"}).status_code == 404
    assert role_of(stranger, foreign.team) == "admin"


# Removing, and back


def test_a_removal_can_be_undone_with_the_old_role(as_owner, scene, teammate):
    change(as_owner, scene.membership, "role", role="operator")
    removed = change(as_owner, scene.membership, "remove")
    assert "tom was removed." in Page(removed).words
    assert role_of(teammate, scene.team) is None
    (undo,) = undo_forms(removed)
    back = as_owner.post(undo.action, undo.fields, follow=True)
    assert "tom is back in the team." in Page(back).words
    assert role_of(teammate, scene.team) == "operator"


def test_an_undo_after_the_person_was_added_again_keeps_the_new_role(as_owner, scene, teammate):
    token = member_remove(membership=scene.membership)
    add(as_owner, scene.team, "tom", "curator")
    restore(as_owner, scene.team, token)
    assert role_of(teammate, scene.team) == "curator"


@pytest.mark.parametrize(("seconds", "is_back"), [(590, True), (610, False)])
def test_an_undo_works_for_ten_minutes(as_owner, scene, teammate, seconds, is_back):
    token = member_remove(membership=scene.membership)
    with time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=False):
        response = restore(as_owner, scene.team, token)
    assert ("This can't be undone any more." in Page(response).words) is not is_back
    assert (role_of(teammate, scene.team) is not None) is is_back


def test_an_undo_of_another_team_is_refused(as_owner, owner, scene, teammate):
    token = member_remove(membership=scene.membership)
    other = team_create(name="Runners", by=owner)
    assert "This undo belongs to another team." in Page(restore(as_owner, other, token)).words
    assert role_of(teammate, other) is None


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "\x00", "signed for another purpose"])
def test_a_made_up_undo_is_refused(as_owner, team, token):
    if token.startswith("signed"):
        token = signing.dumps({"team": team.pk, "user": 1, "role": "admin"})
    response = restore(as_owner, team, token)
    assert "This can't be undone any more." in Page(response).words


@pytest.mark.django_db(transaction=True)
def test_an_undo_for_an_account_that_is_gone_is_refused(as_owner, scene, teammate):
    token = member_remove(membership=scene.membership)
    teammate.delete()
    response = restore(as_owner, scene.team, token)
    assert "This can't be undone any more." in Page(response).words


def leave(client: Client, user: User, membership: Membership):
    """The user goes, after making the other member admin."""
    change(client, membership, "role", role="admin")
    return change(client, membership.team.memberships.get(user=user), "remove")


def test_who_removes_himself_lands_on_the_home_page(as_owner, owner, scene):
    response = leave(as_owner, owner, scene.membership)
    assert response.redirect_chain == [(reverse("crawler:home"), 302)]
    assert "You are not in a team yet." in Page(response).words


def test_who_removes_himself_is_offered_no_undo_that_fails(as_owner, owner, scene):
    for undo in undo_forms(leave(as_owner, owner, scene.membership)):
        assert as_owner.post(undo.action, undo.fields, follow=True).status_code == 200


# The page


def test_a_viewer_sees_members_and_roles_but_no_buttons(as_teammate, team):
    page = Page(as_teammate.get(page_of(team)))
    assert "olga" in page.words
    assert "Admin" in page.words
    assert [form.action for form in page.forms if "/members/" in form.action] == []


def test_a_large_team_costs_no_more_queries(as_owner, team, django_assert_max_num_queries):
    for number in range(20):
        user = User.objects.create(username=f"member-{number}")
        Membership.objects.create(user=user, team=team, role=Role.VIEWER)
    with django_assert_max_num_queries(8):
        assert "member-19" in as_owner.get(page_of(team)).content.decode()


@pytest.mark.parametrize("where", ["home", "team", "refusal"])
def test_a_hostile_team_name_is_text_and_turns_nothing_round(client, owner, teammate, where):
    team = team_create(name=HOSTILE, by=owner)
    Membership.objects.create(user=teammate, team=team, role=Role.VIEWER)
    client.force_login(teammate)
    addresses = {"home": reverse("crawler:home"), "team": page_of(team)}
    response = add(client, team, "x") if where == "refusal" else client.get(addresses[where])
    assert "<script>alert" not in response.content.decode()
    shown = [text for text in Page(response).texts if HOSTILE in text.words]
    assert shown
    loose = [text for text in shown if not {"bdi", "title"} & set(text.inside)]
    assert [text.words for text in loose if f"\u2068{HOSTILE}\u2069" not in text.words] == []
