"""Starts, kills and watches `manage.py engine` as a worker does, on the test's own database."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

from crawler.models import Crawl
from tests.crawl_rows import expire
from tests.product import ROOT, wait_for

PATIENCE_SECONDS = 180


@dataclass
class Engines:
    """All that a test has started; what still runs at its end is killed."""

    environment: dict[str, str]
    log: Path
    started: list["subprocess.Popen[bytes]"] = field(default_factory=list)

    def start(
        self, crawl: Crawl, *, failpoint: str = "", seconds: float = 120.0
    ) -> "subprocess.Popen[bytes]":
        command = [sys.executable, str(ROOT / "manage.py"), "engine", str(crawl.pk)]
        with self.log.open("ab") as errors:
            process = subprocess.Popen(
                [*command, "--seconds", str(seconds)],
                env={**self.environment, "FOCUSADMIN_FAILPOINT": failpoint},
                cwd=ROOT,
                stdin=subprocess.PIPE,
                stdout=errors,
                stderr=errors,
            )
        self.started.append(process)
        return process

    def run(self, crawl: Crawl, *, failpoint: str = "", seconds: float = 120.0) -> int:
        """One slice to its end; the exit code."""
        process = self.start(crawl, failpoint=failpoint, seconds=seconds)
        code = process.wait(PATIENCE_SECONDS)
        if code < 0:
            expire(crawl)  # so that the next need not wait for half a minute
        crawl.refresh_from_db()
        return code

    def kill(self, crawl: Crawl, process: "subprocess.Popen[bytes]") -> None:
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE_SECONDS)
        expire(crawl)

    def close(self) -> None:
        for process in self.started:
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
                process.wait()
            if process.stdin is not None:
                process.stdin.close()

    def said(self) -> str:
        return self.log.read_text(errors="replace")


def wait_for_pages(crawl: Crawl, number: int) -> None:
    """Until so many pages are committed."""

    def are_there() -> bool:
        crawl.refresh_from_db()
        return crawl.fetched >= number

    wait_for(are_there, seconds=PATIENCE_SECONDS, what=f"{number} pages")


def wait_for_state(crawl: Crawl, *states: str) -> None:
    def is_there() -> bool:
        crawl.refresh_from_db()
        return crawl.state in states

    wait_for(is_there, seconds=PATIENCE_SECONDS, what=" or ".join(states))
