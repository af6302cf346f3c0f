"""The parent's side of one parsing child: give it a job, wait so long, kill it if it must be."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from focusadmin.lib.parsing_child import LENGTH, OUT_OF_MEMORY

START_SECONDS = 30.0
MAX_ANSWER_BYTES = 64 * 1024 * 1024


class WorkReason(StrEnum):
    """Why a child brought nothing."""

    TIME = "time"
    MEMORY = "memory"
    CRASH = "crash"
    ERROR = "error"
    START = "start"  # the job was never read: no child could be started


@dataclass(frozen=True, slots=True)
class WorkFailure:
    reason: WorkReason
    detail: str


@dataclass(frozen=True)
class WorkLimits:
    """What one job may take, and how many jobs a child lives for (memory leaks end with it)."""

    cpu_seconds: int = 5
    wall_seconds: float = 10.0
    memory_bytes: int = 512 * 1024 * 1024
    jobs_per_child: int = 5_000


class _NoStartError(Exception):
    """The child ended, or was silent, before it could take a job."""


class _LateError(Exception):
    """The child did not answer in time."""


class ParsingWorker:
    """One child process at a time, replaced when it dies. Not for use by two threads at once."""

    def __init__(self, task: str, limits: WorkLimits, setup_file: Path | None = None) -> None:
        self.task, self.limits, self.setup_file = task, limits, setup_file
        self._child: subprocess.Popen[bytes] | None = None
        self._is_ready = False
        self._jobs = 0

    def run(self, meta: dict[str, Any], body: bytes) -> dict[str, Any] | WorkFailure:
        """What the task made of the job, or why there is nothing."""
        try:
            answer = self._ask(meta, body)
        except _NoStartError:
            return self._failed(WorkReason.START, "no child could be started")
        except _LateError:
            return self._failed(WorkReason.TIME, f"longer than {self.limits.wall_seconds:g} s")
        except (OSError, EOFError, ValueError):
            return self._failed(*self._how_it_died())
        if self._jobs >= self.limits.jobs_per_child:
            self.close()
        if "result" in answer:
            result: dict[str, Any] = answer["result"]
            return result
        return WorkFailure(WorkReason.ERROR, str(answer.get("error", "")))

    def start(self) -> None:
        """Start a child without waiting for it."""
        if self._child is None:
            limits = self.limits
            command = [sys.executable, "-m", "focusadmin.lib.parsing_child", self.task]
            self._child = subprocess.Popen(  # noqa: S603 - our own interpreter and module
                [
                    *command,
                    str(limits.memory_bytes),
                    str(limits.cpu_seconds),
                    *([str(self.setup_file)] if self.setup_file else []),
                ],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=_bare_environment(),
                bufsize=0,
            )
            self._is_ready, self._jobs = False, 0

    def close(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        child.wait()

    def _ask(self, meta: dict[str, Any], body: bytes) -> dict[str, Any]:
        self.start()
        if not self._is_ready:
            self._await_ready()
        self._jobs += 1
        deadline = time.monotonic() + self.limits.wall_seconds
        head = json.dumps(meta).encode()
        frames = [LENGTH.pack(len(head)), head, LENGTH.pack(len(body)), body]
        self._send(b"".join(frames), deadline)
        return self._receive(deadline)

    def _await_ready(self) -> None:
        try:
            self._receive(time.monotonic() + START_SECONDS)
        except (_LateError, OSError, EOFError, ValueError):
            raise _NoStartError from None
        self._is_ready = True

    def _send(self, data: bytes, deadline: float) -> None:
        pipe = self._pipe(is_input=True)
        os.set_blocking(pipe, False)
        view = memoryview(data)
        while view:
            try:
                view = view[os.write(pipe, view) :]
            except BlockingIOError:
                _wait(pipe, select.POLLOUT, deadline)

    def _receive(self, deadline: float) -> dict[str, Any]:
        size = LENGTH.unpack(self._read(LENGTH.size, deadline))[0]
        if size > MAX_ANSWER_BYTES:
            raise ValueError("answer too large")
        answer: dict[str, Any] = json.loads(self._read(size, deadline))
        return answer

    def _read(self, size: int, deadline: float) -> bytes:
        pipe = self._pipe(is_input=False)
        pieces = []
        while size:
            _wait(pipe, select.POLLIN, deadline)
            piece = os.read(pipe, size)
            if not piece:
                raise EOFError
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    def _pipe(self, *, is_input: bool) -> int:
        if self._child is None:
            raise EOFError
        pipe = self._child.stdin if is_input else self._child.stdout
        if pipe is None:
            raise EOFError
        return pipe.fileno()

    def _how_it_died(self) -> tuple[WorkReason, str]:
        if self._child is None:
            return WorkReason.CRASH, "no child"
        try:
            code = self._child.wait(1)
        except subprocess.TimeoutExpired:
            return WorkReason.CRASH, "nonsense from the child"
        if code == -signal.SIGXCPU:
            return WorkReason.TIME, f"more than {self.limits.cpu_seconds} s of CPU"
        if code == OUT_OF_MEMORY:
            return WorkReason.MEMORY, f"more than {self.limits.memory_bytes} bytes"
        return WorkReason.CRASH, f"exit code {code}"

    def _failed(self, reason: WorkReason, detail: str) -> WorkFailure:
        self.close()
        return WorkFailure(reason, detail)


def _wait(pipe: int, event: int, deadline: float) -> None:
    poll = select.poll()
    poll.register(pipe, event)
    if not poll.poll(max(0.0, deadline - time.monotonic()) * 1000):
        raise _LateError


def _bare_environment() -> dict[str, str]:
    """No secrets for a process that reads foreign bytes; one thread, as memory is counted."""
    # Where our byte code is; compiling SciPy anew takes 0.8 s of CPU at each start, reading it 0.3.
    compiled = {"PYTHONPYCACHEPREFIX": sys.pycache_prefix} if sys.pycache_prefix else {}
    return {
        "PATH": os.defpath,
        "PYTHONPATH": os.pathsep.join(path or str(Path.cwd()) for path in sys.path),
        "PYTHONDONTWRITEBYTECODE": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
        **compiled,
    }
