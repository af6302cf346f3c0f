"""The supervisor with real children: shells and Python, not stand-ins."""

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from focusadmin.lib import supervisor
from focusadmin.lib.supervisor import ChildSpec, Supervisor
from tests.product import is_running, wait_for

NOTE_PID = "import os, sys, time; open(sys.argv[1], 'a').write(f'{os.getpid()}\\n')"
SLEEPER = f"{NOTE_PID}; time.sleep(600)"
FAILER = f"{NOTE_PID}; sys.exit(3)"
STUBBORN = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEPER}"
PARENT = (
    "import subprocess, sys, time; "
    "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)']); "
    "open(sys.argv[1], 'a').write(f'{child.pid}\\n'); time.sleep(600)"
)


def spec(folder: Path, code: str, name: str = "child") -> ChildSpec:
    command = [sys.executable, "-c", code, str(folder / f"{name}.pids")]
    return ChildSpec(name, command, folder / "logs" / f"{name}.log")


def pids(folder: Path, name: str = "child") -> list[int]:
    path = folder / f"{name}.pids"
    return [int(line) for line in path.read_text().split()] if path.exists() else []


@contextmanager
def running(*specs: ChildSpec) -> Iterator[list[str]]:
    reports: list[str] = []
    watched = Supervisor(specs, report=reports.append)
    watched.start()
    watcher = threading.Thread(target=watched.watch)
    watcher.start()
    try:
        yield reports
    finally:
        watched.stop()
        watcher.join(timeout=30)
        assert not watcher.is_alive()


def test_a_killed_child_is_started_again_and_reported(tmp_path):
    with running(spec(tmp_path, SLEEPER)) as reports:
        wait_for(lambda: len(pids(tmp_path)) == 1, seconds=10, what="the first start")
        os.kill(pids(tmp_path)[0], signal.SIGKILL)
        wait_for(lambda: len(pids(tmp_path)) == 2, seconds=10, what="the second start")
    assert "child ended (signal 9)" in reports[0]
    assert str(tmp_path / "logs" / "child.log") in reports[0]


def test_stop_ends_every_child(tmp_path):
    with running(spec(tmp_path, SLEEPER, "one"), spec(tmp_path, SLEEPER, "two")):
        wait_for(
            lambda: bool(pids(tmp_path, "one") and pids(tmp_path, "two")), seconds=10, what="both"
        )
    assert not any(is_running(pid) for pid in pids(tmp_path, "one") + pids(tmp_path, "two"))


def test_stop_ends_a_child_that_ignores_the_request(tmp_path, monkeypatch):
    monkeypatch.setattr(supervisor, "GRACE_SECONDS", 0.5)
    with running(spec(tmp_path, STUBBORN)):
        wait_for(lambda: bool(pids(tmp_path)), seconds=10, what="the start")
    assert not is_running(pids(tmp_path)[0])


def test_grandchildren_of_a_killed_child_do_not_stay_behind(tmp_path):
    with running(spec(tmp_path, PARENT)):
        wait_for(lambda: bool(pids(tmp_path)), seconds=10, what="the grandchild")
    wait_for(lambda: not is_running(pids(tmp_path)[0]), seconds=5, what="its end")


def test_a_child_that_can_not_start_is_tried_with_growing_pauses(tmp_path):
    with running(spec(tmp_path, FAILER)) as reports:
        wait_for(lambda: len(reports) == 3, seconds=20, what="three tries")
    pauses = [line.split("again in ")[1].split(" s.")[0] for line in reports[:3]]
    assert pauses == ["0.5", "1", "2"]
    assert "exit code 3" in reports[0]
