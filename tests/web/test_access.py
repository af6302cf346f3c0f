"""Every route has a row in the access table, and every row holds for every person."""

import re
from collections.abc import Iterator

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

from focusadmin.accounts.models import User
from focusadmin.lib.text import isolated
from tests.web.access_table import PEOPLE, ROWS, Access, Scene
from tests.web.pages import Page
from tests.web.rehearsal import wrong_rows


def is_read(row: Access) -> bool:
    return row.method == "get"


def route_names(resolver: URLResolver, prefix: str = "") -> Iterator[str]:
    for entry in resolver.url_patterns:
        if isinstance(entry, URLPattern):
            yield f"{prefix}{entry.name or f'(unnamed: {entry.pattern})'}"
        elif entry.namespace == "admin":
            yield "admin:index"  # Django's own site stands behind one door
        else:
            inner = f"{prefix}{entry.namespace}:" if entry.namespace else prefix
            yield from route_names(entry, inner)


def call(client: Client, row: Access, scene: Scene):
    return getattr(client, row.method)(row.url(scene), row.data)


def test_every_route_has_a_row_and_every_row_a_route():
    routes = set(route_names(get_resolver()))
    rows = {row.route for row in ROWS}
    assert routes - rows == set(), "routes without a row in access_table.py"
    assert rows - routes == set(), "rows in access_table.py without a route"


def test_no_way_to_call_a_route_is_listed_twice():
    assert len({str(row) for row in ROWS}) == len(ROWS)


@pytest.mark.parametrize("who", PEOPLE)
def test_the_access_table_holds(client, scene, request, who):
    if who != "anonymous":
        client.force_login(request.getfixturevalue(who))

    def check(row: Access) -> None:
        response = call(client, row, scene)
        assert response.status_code == getattr(row, who)
        if who == "anonymous" and response.status_code == 302:
            where = reverse(row.sign_in)
            wanted = f"{where}?next={row.url(scene)}" if is_read(row) else where
            assert response["Location"].startswith(wanted)

    assert wrong_rows(client, ROWS, check) == []


def test_a_stranger_is_not_told_that_there_is_something(client, scene, stranger):
    client.force_login(stranger)

    def check(row: Access) -> None:
        page = call(client, row, scene).content.decode()
        assert "This page was not found" in page
        assert scene.team.name not in page

    assert wrong_rows(client, [row for row in ROWS if row.stranger == 404], check) == []


def test_a_refused_viewer_reads_who_can_grant_it(as_teammate, scene):
    def check(row: Access) -> None:
        words = Page(call(as_teammate, row, scene)).words
        assert re.search("Only an? (admin|curator|operator) of", words)
        assert f"Ask: {isolated('olga')}." in words

    assert wrong_rows(as_teammate, [row for row in ROWS if row.teammate == 403], check) == []


READABLE = {row.route for row in ROWS if row.method == "get"}


def test_a_route_that_writes_refuses_get(as_owner, scene):
    def check(row: Access) -> None:
        assert as_owner.get(row.url(scene)).status_code == 405

    assert wrong_rows(as_owner, [row for row in ROWS if row.route not in READABLE], check) == []


def test_no_route_answers_a_method_it_does_not_know_with_a_page(as_owner, scene):
    def check(row: Access) -> None:
        assert as_owner.delete(row.url(scene)).status_code in {302, 405}

    assert wrong_rows(as_owner, {row.route: row for row in ROWS}.values(), check) == []


def test_a_deactivated_account_is_signed_out_at_once(as_owner, owner, scene):
    owner.is_active = False
    owner.save()

    def check(row: Access) -> None:
        assert call(as_owner, row, scene).status_code == row.anonymous

    assert wrong_rows(as_owner, [row for row in ROWS if row.owner == 200], check) == []


def test_a_wrong_row_would_be_told(as_owner, scene):
    """Each row is called on the scene as it was: what the one before deleted is there again."""
    removal = next(row for row in ROWS if row.route == "accounts:member-remove")

    def check(row: Access) -> None:
        assert call(as_owner, row, scene).status_code == 302
        assert not scene.team.memberships.filter(pk=scene.membership.pk).exists()

    assert wrong_rows(as_owner, [removal, removal], check) == []
    assert scene.team.memberships.filter(pk=scene.membership.pk).exists()
    home = next(row for row in ROWS if row.route == "crawler:home")
    assert wrong_rows(as_owner, [home], check) == [f"{home}: assert 200 == 302"]


def test_the_admin_site_opens_for_staff(client, db):
    client.force_login(User.objects.create_superuser("root"))
    assert client.get(reverse("admin:index")).status_code == 200


def test_a_removed_member_sees_nothing_any_more(as_teammate, scene):
    assert as_teammate.get(reverse("accounts:team", args=[scene.team.slug])).status_code == 200
    scene.membership.delete()
    assert as_teammate.get(reverse("accounts:team", args=[scene.team.slug])).status_code == 404
