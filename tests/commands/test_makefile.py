"""What `make` says on machines that are not ready."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.product import ROOT

TOO_OLD = """#!/bin/sh
case "$*" in
  *version_info*) exit 1 ;;
  -V) echo "Python 3.9.2" ;;
esac
"""
NO_VENV = """#!/bin/sh
case "$*" in
  *ensurepip*) exit 1 ;;
esac
"""


def make(tmp_path: Path, python: str, target: str = "run") -> subprocess.CompletedProcess[str]:
    """`make target` with a Python that is told to us as a shell script."""
    script = tmp_path / "python"
    script.write_text(python)
    script.chmod(0o755)
    return subprocess.run(
        ["make", target, f"PYTHON={script}", f"VENV={tmp_path / 'venv'}"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env={**os.environ, "MAKEFLAGS": ""},
    )


@pytest.mark.parametrize(
    ("python", "words"),
    [
        (TOO_OLD, ["needs Python 3.11 or newer", "Python 3.9.2", "PYTHON=python3.12"]),
        (NO_VENV, ["venv module is missing", "apt install python3-venv"]),
    ],
)
def test_a_machine_that_is_not_ready_gets_one_clear_line(tmp_path, python, words):
    done = make(tmp_path, python)
    said = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert done.returncode != 0
    assert len(said) == 1
    assert all(word in said[0] for word in words)


def test_make_alone_lists_the_targets(tmp_path):
    listed = make(tmp_path, TOO_OLD, "help").stdout
    assert all(f"{target} " in listed for target in ("run", "test", "lint", "bench"))
