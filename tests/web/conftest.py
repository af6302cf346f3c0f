"""Fixtures of the view tests."""

import pytest
from django.test import Client

from focusadmin.accounts.models import Membership, User
from tests.web.access_table import Scene


@pytest.fixture
def scene(team, teammate) -> Scene:
    return Scene(team=team, membership=Membership.objects.get(user=teammate))


@pytest.fixture
def as_owner(client: Client, owner) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def as_teammate(client: Client, teammate) -> Client:
    client.force_login(teammate)
    return client


@pytest.fixture
def newcomer(db) -> User:
    """Has an account by a one-time link only: no password, no team."""
    user = User.objects.create_user("nils")
    user.set_unusable_password()
    user.save()
    return user
