"""A training killed with SIGKILL, in a process of its own, leaves the old model in use."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

from tests.product import ROOT, clean_environment, manage, wait_for

TOPICS, EXAMPLES = 40, 8


def said(data_dir: Path, *arguments: str) -> dict[str, Any]:
    done = manage(data_dir, *arguments, "--json")
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def tree_file(folder: Path) -> Path:
    """Large enough that a support vector machine is at work for seconds."""
    letters = "abcdefghij"
    words = [a + b + c for a in letters for b in letters for c in letters]
    lines = (
        {
            "path": f"/Top {topic % 4}/Topic {topic}",
            "title": f"Page {number}",
            "text": " ".join(words[(topic * 24 + number * each) % 1000] for each in range(150)),
        }
        for topic in range(TOPICS)
        for number in range(EXAMPLES)
    )
    file = folder / "tree.jsonl"
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return file


def states(data_dir: Path) -> list[tuple[str, bool, str]]:
    """State, use and progress of every version."""
    with closing(sqlite3.connect(data_dir / "focusadmin.sqlite3")) as database:
        rows = database.execute(
            "SELECT state, is_current, progress FROM taxonomy_trainedmodel ORDER BY version"
        )
        return [(state, bool(used), progress) for state, used, progress in rows]


def let_time_pass(data_dir: Path) -> None:
    with closing(sqlite3.connect(data_dir / "focusadmin.sqlite3")) as database:
        database.execute("UPDATE taxonomy_trainedmodel SET heartbeat_at = '2020-01-01'")
        database.commit()


def test_a_killed_training_leaves_the_old_model_and_makes_room(
    tmp_path: Path, migrated_folder: Path
) -> None:
    data_dir = migrated_folder
    said(data_dir, "taxonomy", "import", str(tree_file(tmp_path)), "--name", "Large")
    assert said(data_dir, "train", "--taxonomy", "large")["version"] == 1
    training = subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "train", "--taxonomy", "large", "--model", "svm"],
        env=clean_environment(data_dir),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(
            lambda: len(states(data_dir)) == 2 and states(data_dir)[1][2] not in ("", "Starting"),
            seconds=60,
            what="the second training to be at work",
        )
    finally:
        os.kill(training.pid, signal.SIGKILL)
        assert training.wait(30) == -signal.SIGKILL
    killed = states(data_dir)
    assert [state[:2] for state in killed] == [("ready", True), ("training", False)]

    judged = said(data_dir, "classify", "--taxonomy", "large", "--text", "aaa aab aac")
    assert judged["model_version"] == 1
    let_time_pass(data_dir)
    assert said(data_dir, "train", "--taxonomy", "large")["version"] == 3
    assert [state[:2] for state in states(data_dir)] == [
        ("ready", False),
        ("failed", False),
        ("ready", True),
    ]
