"""The product's web server for benchmarks, on the data folder of the environment."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from tests.product import ROOT, is_listening, wait_for


@contextmanager
def daphne(port: int) -> Iterator[int]:
    command = ["-m", "daphne", "--verbosity", "0", "--bind", "127.0.0.1"]
    process = subprocess.Popen(
        [sys.executable, *command, "--port", str(port), "focusadmin.asgi:application"],
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: is_listening(port), seconds=180, what="Daphne")
        yield process.pid
    finally:
        process.terminate()
        process.wait(timeout=30)
