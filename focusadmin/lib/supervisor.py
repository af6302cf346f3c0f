"""Keeps a few child processes alive until told to stop.

One loop: start what should run, restart what died (with a growing pause, so that a child that can't
start does not spin), and on SIGINT or SIGTERM stop every child and its own children.
"""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

GRACE_SECONDS = 25.0
FIRST_PAUSE_SECONDS = 0.5
LONGEST_PAUSE_SECONDS = 30.0
STEADY_SECONDS = 20.0  # a child that ran this long has started well: its next pause is short again
_TICK_SECONDS = 0.1
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class ChildSpec:
    """What to run, and where its output goes."""

    name: str
    command: Sequence[str]
    log_file: Path


@dataclass
class _Child:
    spec: ChildSpec
    process: subprocess.Popen[bytes] | None = None
    started_at: float = 0.0
    restart_at: float = 0.0
    pause_seconds: float = FIRST_PAUSE_SECONDS


@dataclass
class Supervisor:
    """Runs `specs` until `stop()`; `report` gets one line per event worth a person's notice."""

    specs: Sequence[ChildSpec]
    report: Callable[[str], None]
    _children: list[_Child] = field(default_factory=list)
    _is_stopping: bool = False

    def start(self) -> None:
        self._children = [_Child(spec) for spec in self.specs]
        for child in self._children:
            _spawn(child)

    def watch(self) -> None:
        """Return only after `stop()` was asked for and every child has ended."""
        while not self._is_stopping:
            for child in self._children:
                self._tend(child)
            time.sleep(_TICK_SECONDS)
        self.report("Stopping (work in progress is brought to a safe point) ...")
        self._end_all()

    def stop(self) -> None:
        """Ask `watch` to end; safe to call from a signal handler."""
        self._is_stopping = True

    def _tend(self, child: _Child) -> None:
        now = time.monotonic()
        if child.process is None:
            if now >= child.restart_at:
                _spawn(child)
            return
        status = child.process.poll()
        if status is None:
            return
        _signal_group(child.process.pid, signal.SIGKILL)  # what a killed child left behind
        if now - child.started_at > STEADY_SECONDS:
            child.pause_seconds = FIRST_PAUSE_SECONDS
        child.process, child.restart_at = None, now + child.pause_seconds
        self.report(
            f"{child.spec.name} ended ({_ending(status)}); starting it again in "
            f"{child.pause_seconds:g} s. Its log: {child.spec.log_file}"
        )
        child.pause_seconds = min(child.pause_seconds * 2, LONGEST_PAUSE_SECONDS)

    def _end_all(self) -> None:
        running = [child.process for child in self._children if child.process is not None]
        for process in running:
            if process.poll() is None:
                process.terminate()
        deadline = time.monotonic() + GRACE_SECONDS
        while time.monotonic() < deadline and any(p.poll() is None for p in running):
            time.sleep(_TICK_SECONDS)
        for process in running:
            _signal_group(process.pid, signal.SIGKILL)
            process.wait()


def _spawn(child: _Child) -> None:
    child.spec.log_file.parent.mkdir(parents=True, exist_ok=True)
    with child.spec.log_file.open("ab") as log:
        child.process = _popen(child.spec.command, log)
    child.started_at = time.monotonic()


def _popen(command: Sequence[str], log: IO[bytes]) -> subprocess.Popen[bytes]:
    # A group of its own: Ctrl-C in the terminal reaches only us, and the whole group can be ended.
    return subprocess.Popen(  # noqa: S603 - our own commands, no shell
        command,
        stdin=subprocess.DEVNULL,
        stdout=log,
        stderr=log,
        start_new_session=True,
        preexec_fn=_end_with_parent if sys.platform == "linux" else None,
    )


def _end_with_parent() -> None:
    """Ask Linux to end this child when the supervisor is gone, even by `kill -9`."""
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGTERM)


def _signal_group(pid: int, number: int) -> None:
    try:
        os.killpg(pid, number)
    except (ProcessLookupError, PermissionError):
        return


def _ending(status: int) -> str:
    return f"signal {-status}" if status < 0 else f"exit code {status}"
