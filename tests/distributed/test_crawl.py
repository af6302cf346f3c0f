"""Whole crawls with kills and odd pages, run once more on PostgreSQL."""

import subprocess
import sys

import pytest

from tests.product import ROOT, clean_environment

pytestmark = [pytest.mark.services]

THESE = (
    "tests/crawl/test_kill.py::test_killed_at_every_failpoint_of_a_commit",
    "tests/crawl/test_oddities.py::test_odd_pages_each_have_their_outcome",
)


def test_a_killed_crawl_loses_nothing_on_postgresql(postgresql_url, tmp_path):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--reuse-db"]
    done = subprocess.run(
        [*command, *THESE],
        env={**clean_environment(tmp_path), "FOCUSADMIN_DB_URL": postgresql_url},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:]
    assert f"{len(THESE)} passed" in done.stdout
