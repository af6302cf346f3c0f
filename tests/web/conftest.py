"""Fixtures of the view tests."""

import pytest
from django.test import Client
from django.utils import timezone

from crawler.models import Alarm, Export
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, User
from taxonomy.models import Focus, FocusPage, TrainedModel
from taxonomy.services.edits import topic_rename
from taxonomy.services.focuses import focus_create
from tests.crawl_rows import make_crawl
from tests.taxonomy.conftest import at, taxonomy
from tests.web.access_table import Scene

__all__ = ["at", "taxonomy"]


@pytest.fixture
def focus(taxonomy, owner) -> Focus:
    """On the small tree, without a good topic."""
    return focus_create(name="Hills", taxonomy=taxonomy, by=owner)


@pytest.fixture
def scene(team, teammate, owner, taxonomy, at, focus) -> Scene:
    topic = at("/Recreation/Cycling")
    model = TrainedModel.objects.create(
        taxonomy=taxonomy, version=1, kind="svm", state="ready", taxonomy_revision=0
    )
    crawl = make_crawl(focus)
    return Scene(
        team=team,
        membership=Membership.objects.get(user=teammate),
        taxonomy=taxonomy,
        topic=topic,
        edit=topic_rename(taxonomy=taxonomy, topic=at("/Arts/Painting"), name="Art", by=owner),
        focus=focus,
        model=model,
        crawl=crawl,
        export=Export.objects.create(crawl=crawl, format="csv", by=owner),
        alarm=Alarm.objects.create(
            crawl=crawl, rule="relevance", state="firing", since=timezone.now(), evidence="It fell"
        ),
        focus_page=FocusPage.objects.create(
            focus=focus, url="https://a.example/", url_digest="a", source="pasted", state="read"
        ),
    )


@pytest.fixture
def as_owner(client: Client, owner) -> Client:
    client.force_login(owner)
    return client


@pytest.fixture
def as_teammate(client: Client, teammate) -> Client:
    client.force_login(teammate)
    return client


@pytest.fixture
def as_curator(client: Client, team) -> Client:
    """In the owner's team, with the rights to edit topics and no more."""
    user = User.objects.create_user("cora", password="a-long-pass-phrase")
    Membership.objects.create(user=user, team=team, role=Role.CURATOR)
    client.force_login(user)
    return client


@pytest.fixture
def newcomer(db) -> User:
    """Has an account by a one-time link only: no password, no team."""
    user = User.objects.create_user("nils")
    user.set_unusable_password()
    user.save()
    return user
