"""What supervisors and load balancers ask."""

import pytest
from django.db import connection
from django.urls import reverse

from tests.web.pages import Page

HEALTH, READY = reverse("healthz"), reverse("readyz")


@pytest.fixture
def broken_database(transactional_db, monkeypatch, tmp_path):
    """The database can't be opened, as after a disk went away."""
    connection.close()
    with monkeypatch.context() as patch:
        patch.setitem(connection.settings_dict, "NAME", tmp_path / "gone" / "no.sqlite3")
        yield
    connection.close()


def test_healthz_answers_without_touching_the_database(client):
    # No database fixture: any query would fail the test.
    response = client.get(HEALTH)
    assert (response.status_code, response.json()) == (200, {"status": "ok"})


def test_readyz_is_ready_with_a_database(client, db):
    response = client.get(READY)
    assert (response.status_code, response.json()) == (200, {"status": "ready"})


def test_readyz_is_unavailable_without_its_database(client, broken_database):
    response = client.get(READY)
    assert response.status_code == 503
    assert response.json() == {"status": "unavailable", "reason": "database"}


def test_healthz_is_well_without_its_database(client, broken_database):
    assert client.get(HEALTH).status_code == 200


def test_a_page_that_needs_the_lost_database_is_our_error_page(as_owner, broken_database):
    as_owner.raise_request_exception = False
    response = as_owner.get(reverse("crawler:home"))
    assert response.status_code == 500
    assert "Something went wrong" in Page(response).words


@pytest.mark.parametrize("address", [HEALTH, READY])
def test_health_is_never_cached_and_never_redirected(client, db, settings, address):
    settings.SECURE_SSL_REDIRECT = True
    response = client.get(address)
    assert response.status_code == 200
    assert "no-store" in response["Cache-Control"]
    assert not response.cookies


@pytest.mark.parametrize("address", [HEALTH, READY])
def test_health_takes_no_writes(client, db, address):
    assert client.head(address).status_code == 200
    assert client.post(address).status_code == 405
