"""The list of pages, the words, the exports and the news, run once more on PostgreSQL."""

import subprocess
import sys

import pytest

from tests.product import ROOT, clean_environment

pytestmark = [pytest.mark.services, pytest.mark.xdist_group("processes")]

THESE = (
    "tests/harvest/test_page_list.py",
    "tests/harvest/test_exports.py",
    "tests/harvest/test_map.py",
    "tests/harvest/test_questions.py",
    "tests/harvest/test_news.py",
    "tests/web/test_pages_page.py",
)


def test_pages_are_found_and_exported_on_postgresql(postgresql_url, tmp_path):
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
    assert " passed" in done.stdout
