"""`manage.py demoweb`, as a person starts it."""

import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from tests.product import ROOT, clean_environment, free_port, manage

pytestmark = pytest.mark.process
SMALL = ("--sites", "12", "--pages", "150")


@contextmanager
def serving(data_dir: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, str(ROOT / "manage.py"), "demoweb", *SMALL, *arguments],
        env=clean_environment(data_dir),
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def first_line(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.readline()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_it_tells_as_json_where_to_start_and_stops_when_told(tmp_path, number):
    port_file = tmp_path / "demoweb.port"
    with serving(tmp_path, "--json", "--port", "0", "--port-file", str(port_file)) as process:
        told = json.loads(first_line(process))
        assert set(told) == {"port", "start_urls", "sites", "pages"}
        assert told["sites"] == 12
        assert told["pages"] >= 150
        assert port_file.read_text() == f"{told['port']} {process.pid}\n"
        host, path = told["start_urls"][0].removeprefix("http://").split("/", 1)
        visitor = http.client.HTTPConnection("127.0.0.1", told["port"], timeout=10)
        visitor.request("GET", f"/{path}", headers={"Host": host})
        assert visitor.getresponse().status == 200
        process.send_signal(number)
        rest, errors = process.communicate(timeout=20)
        visitor.close()
    assert process.returncode == 0
    assert rest == ""
    assert errors.strip() == "Stopped."
    assert not port_file.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--sites", "3"], "at least 12 sites"),
        (["--pages", "7"], "and 120 pages"),
        (["--port", "70000"], "from 0 to 65535"),
    ],
)
def test_impossible_wishes_are_refused_in_words(arguments, words):
    with pytest.raises(CommandError, match=words):
        call_command("demoweb", *arguments)


def test_it_tells_people_in_sentences_and_that_its_port_is_in_use(tmp_path):
    port = str(free_port())
    with serving(tmp_path, "--port", port) as first:
        assert first_line(first).startswith(f"The demo web is at http://localhost:{port}/")
        done = manage(tmp_path, "demoweb", *SMALL, "--port", port)
    assert done.returncode == 1
    assert "can't be served" in done.stderr
    assert len(done.stderr.splitlines()) == 1
