"""Runs FocusAdmin itself in a child process, for tests that must see the real thing."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
START_SECONDS = 180.0  # on a busy machine; a quiet one needs a tenth


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def wait_for(condition: Callable[[], bool], *, seconds: float, what: str) -> None:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return
        time.sleep(0.1)
    raise AssertionError(f"waited {seconds:g} s in vain for {what}")


def clean_environment(data_dir: Path) -> dict[str, str]:
    """The caller's environment without settings that the tests made for themselves."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("FOCUSADMIN_", "DJANGO_"))}
    return {**kept, "FOCUSADMIN_DATA_DIR": str(data_dir), "PYTHONUNBUFFERED": "1"}


def manage(data_dir: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, str(ROOT / "manage.py"), *arguments],
        env={**clean_environment(data_dir), **environment},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


_COMMANDS = """
import json, sys
import django
django.setup()
from django.core.management import call_command
for line in sys.stdin:
    call_command(*json.loads(line))
    sys.stdout.flush()
"""


@contextmanager
def command_line(data_dir: Path) -> Iterator[Callable[..., Any]]:
    """Runs commands one after the other in one process, and gives what each prints with --json.

    Starting Django costs more than most commands: this is for tests that need many.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _COMMANDS],
        env={**clean_environment(data_dir), "DJANGO_SETTINGS_MODULE": "focusadmin.settings"},
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin
        assert process.stdout
        commands, answers = process.stdin, process.stdout

        def run(*arguments: str) -> Any:
            commands.write(json.dumps([*arguments, "--json"]) + "\n")
            commands.flush()
            answer = answers.readline()
            assert answer, f"{' '.join(arguments)} failed; its reason is on standard error"
            return json.loads(answer)

        yield run


@dataclass
class Product:
    """A running supervisor and its children."""

    data_dir: Path
    port: int
    process: subprocess.Popen[str]
    output: Path

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @classmethod
    @contextmanager
    def started(cls, data_dir: Path) -> Iterator["Product"]:
        port = free_port()
        output = data_dir / "run.out"
        data_dir.mkdir(parents=True, exist_ok=True)
        with output.open("w") as stream:
            process = subprocess.Popen(
                [sys.executable, str(ROOT / "manage.py"), "run", "--port", str(port)],
                env=clean_environment(data_dir),
                cwd=ROOT,
                stdout=stream,
                stderr=subprocess.STDOUT,
                text=True,
            )
        running = cls(data_dir, port, process, output)
        try:
            wait_for(
                lambda: "Sign in (works once)" in running.said() or process.poll() is not None,
                seconds=START_SECONDS,
                what="the sign-in link",
            )
            assert process.poll() is None, running.said()
            yield running
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            process.wait(timeout=40)

    def said(self) -> str:
        return self.output.read_text()

    def printed_link(self) -> str:
        found = re.search(r"http://\S+token=\S+", self.said())
        assert found, self.said()
        return found.group()

    def new_link(self, username: str | None = None) -> str:
        user = ["--user", username] if username else []
        done = manage(self.data_dir, "signin_link", "--json", "--base", self.base, *user)
        assert done.returncode == 0, done.stderr
        link: str = json.loads(done.stdout)["link"]
        return link

    def child_pids(self, word: str) -> list[int]:
        """Direct children of the supervisor with the argument `word`."""
        return [
            pid
            for pid, parent, command in processes()
            if parent == self.process.pid and word in command.split("\0")
        ]

    def demo_port(self) -> int:
        """Where the demo web listens; it comes up beside the dashboard."""
        told = self.data_dir / "demoweb.port"
        wait_for(told.exists, seconds=START_SECONDS, what="the demo web")
        return int(told.read_text().split()[0])

    def descendants(self) -> set[int]:
        found = {self.process.pid}
        everyone = processes()
        for _ in range(4):  # supervisor, child, pool process, and one to spare
            found |= {pid for pid, parent, _ in everyone if parent in found}
        return found - {self.process.pid}


def processes() -> list[tuple[int, int, str]]:
    """Process id, parent's id and command line of everything that runs on this machine."""
    found = []
    for status in Path("/proc").glob("[0-9]*/status"):
        try:
            parent = re.search(r"^PPid:\s+(\d+)", status.read_text(), re.MULTILINE)
            command = status.with_name("cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if parent:
            found.append((int(status.parent.name), int(parent.group(1)), command))
    return found


def is_running(pid: int) -> bool:
    """Whether the process is there and not only waiting to be collected by its parent."""
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] != "Z"
