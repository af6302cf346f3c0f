"""The tests of the tree, run once more on PostgreSQL: the same promises on both databases.

Those of training and of the shipped tree ask nothing of the database that the others do not.
"""

import subprocess
import sys

import pytest

from tests.product import ROOT, clean_environment

pytestmark = [pytest.mark.services]

THESE = [
    f"tests/taxonomy/test_{name}.py"
    for name in ("concurrency", "edits", "focuses", "imports", "learning", "reading")
]


def test_the_tree_keeps_its_promises_on_postgresql(postgresql_url, tmp_path):
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "no:cacheprovider",
            "--reuse-db",
            "-m",
            "not process",
            *THESE,
        ],
        env={**clean_environment(tmp_path), "FOCUSADMIN_DB_URL": postgresql_url},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
