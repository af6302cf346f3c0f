"""Distributed mode on a real PostgreSQL and a real Redis: the same code, other settings."""

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from tests.product import ROOT, clean_environment, free_port, manage, wait_for

pytestmark = [pytest.mark.services]


@pytest.fixture(scope="module")
def environment(postgresql_url, redis_url) -> dict[str, str]:
    return {
        "FOCUSADMIN_MODE": "distributed",
        "FOCUSADMIN_DB_URL": postgresql_url,
        "FOCUSADMIN_BROKER_URL": redis_url,
        "FOCUSADMIN_ALLOWED_HOSTS": "127.0.0.1",
        "FOCUSADMIN_HTTPS": "false",
    }


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory, environment) -> Path:
    """A data folder whose PostgreSQL has the schema and whose static files are gathered."""
    folder: Path = tmp_path_factory.mktemp("distributed")
    for command in (["migrate", "--verbosity", "0"], ["collectstatic", "--no-input"]):
        done = manage(folder, *command, **environment)
        assert done.returncode == 0, done.stderr
    return folder


@contextmanager
def started(data_dir: Path, environment: dict[str, str], *arguments: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", *arguments],
        env={**clean_environment(data_dir), **environment},
        cwd=ROOT,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(timeout=40)


def celery(*arguments: str) -> list[str]:
    return ["celery", "--app", "focusadmin.celery", "--quiet", *arguments]


def test_the_models_and_the_schema_agree_on_postgresql(data_dir, environment):
    assert manage(data_dir, "migrate", "--check", **environment).returncode == 0
    assert manage(data_dir, "check", "--database", "default", **environment).returncode == 0


def test_a_worker_and_beat_meet_through_redis_and_postgresql(data_dir, environment):
    def workers_alive() -> str:
        code = "from crawler.selectors.system import system_status as s; print(s().workers_alive)"
        return manage(data_dir, "shell", "--no-imports", "-c", code, **environment).stdout.strip()

    schedule = str(data_dir / "schedule")
    with (
        started(data_dir, environment, *celery("worker", "--concurrency", "1")),
        started(data_dir, environment, *celery("beat", "--pidfile", "", "--schedule", schedule)),
    ):
        wait_for(lambda: workers_alive() == "1", seconds=60, what="the worker's heartbeat")


def test_the_dashboard_serves_a_signed_in_person(data_dir, environment):
    port = free_port()
    base = f"http://127.0.0.1:{port}"
    daphne = ["daphne", "--port", str(port), "focusadmin.asgi:application"]
    with started(data_dir, environment, *daphne), httpx.Client(follow_redirects=True) as visitor:

        def is_ready() -> bool:
            try:
                return visitor.get(f"{base}/readyz").status_code == 200
            except httpx.HTTPError:
                return False

        wait_for(is_ready, seconds=30, what="the dashboard")
        made = manage(data_dir, "signin_link", "--json", "--base", base, **environment)
        page = visitor.get(json.loads(made.stdout)["link"])
        assert page.status_code == 200
        assert "PostgreSQL" in page.text
