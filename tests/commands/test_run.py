"""`manage.py run`, the product as a person starts it."""

import os
import signal
import socket
from pathlib import Path

import httpx
import pytest

from tests.product import Product, is_running, manage, wait_for

pytestmark = [pytest.mark.process]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory) -> Path:
    folder: Path = tmp_path_factory.mktemp("run")
    return folder


def answers(running: Product) -> bool:
    try:
        return httpx.get(f"{running.base}/healthz", timeout=2).status_code == 200
    except httpx.HTTPError:
        return False


def the_child(running: Product, word: str) -> int:
    wait_for(lambda: bool(running.child_pids(word)), seconds=20, what=f"a {word} process")
    return running.child_pids(word)[0]


def test_it_prints_a_link_that_signs_in_once_and_replaces_killed_children(data_dir):
    with Product.started(data_dir) as running:
        with httpx.Client(follow_redirects=True) as visitor:
            page = visitor.get(running.printed_link())
            assert page.url == f"{running.base}/"
            assert "Welcome" in page.text
        assert httpx.get(running.printed_link()).status_code == 410
        second = manage(data_dir, "run", "--port", "0")
        assert second.returncode == 1
        assert f"running already at {running.base}/" in second.stderr
        assert len(second.stderr.splitlines()) == 1
        for word in ("daphne", "jobs@%h", "crawls@%h", "beat", "demoweb"):
            assert_replaced(running, word)
        wait_for(lambda: answers(running), seconds=20, what="the dashboard")
        assert running.said().count("ended (signal 9)") == 5
        count = "from crawler.selectors.system import system_status as s; print(s().workers_alive)"
        wait_for(
            lambda: manage(data_dir, "shell", "--no-imports", "-c", count).stdout.strip() == "1",
            seconds=60,
            what="the worker's first heartbeat",
        )


def assert_replaced(running: Product, word: str) -> None:
    victim = the_child(running, word)
    os.kill(victim, signal.SIGKILL)
    wait_for(
        lambda: any(pid != victim for pid in running.child_pids(word)),
        seconds=20,
        what=f"a new {word}",
    )


def test_ctrl_c_and_terminate_stop_every_process_and_the_data_is_kept(data_dir):
    secrets = set()
    for number in (signal.SIGINT, signal.SIGTERM):
        with Product.started(data_dir) as running:
            the_child(running, "beat")
            everyone = running.descendants()
            assert len(everyone) >= 3
            running.process.send_signal(number)
            assert running.process.wait(timeout=40) == 0
            wait_for(lambda: not any(map(is_running, everyone)), seconds=5, what="their end")  # noqa: B023
            assert running.said().rstrip().endswith("Stopped.")
        secrets.add((data_dir / "secret_key").read_bytes())
    assert len(secrets) == 1


def test_nothing_is_left_when_the_supervisor_itself_is_killed(data_dir):
    with Product.started(data_dir) as running:
        the_child(running, "beat")
        everyone = running.descendants()
        running.process.kill()
        wait_for(lambda: not any(map(is_running, everyone)), seconds=40, what="their end")


def test_a_port_in_use_gives_one_clear_line(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = manage(tmp_path, "run", "--port", str(port))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert f"Port {port} can't be used" in done.stderr
    assert f"PORT={port + 1}" in done.stderr


@pytest.mark.parametrize("port", ["0", "70000", "-1"])
def test_an_impossible_port_gives_one_clear_line(tmp_path, port):
    done = manage(tmp_path, "run", "--port", port)
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "1 to 65535" in done.stderr


def test_a_data_folder_that_can_not_be_written_gives_one_clear_line(tmp_path):
    (tmp_path / "file").touch()
    done = manage(tmp_path / "file" / "data", "run")
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "can't be written" in done.stderr
    assert "DATA_DIR=" in done.stderr


def test_embedded_mode_refuses_other_addresses_than_loopback(tmp_path):
    done = manage(tmp_path, "run", FOCUSADMIN_BIND="0.0.0.0")
    assert done.returncode == 1
    assert "FA.E004" in done.stderr


def test_an_odd_setting_gives_one_clear_line(tmp_path):
    done = manage(tmp_path, "check", FOCUSADMIN_MODE="cluster")
    assert done.returncode == 1
    assert done.stderr.splitlines() == [
        "focusadmin: FOCUSADMIN_MODE='cluster' is not usable: choose one of distributed, embedded."
    ]
