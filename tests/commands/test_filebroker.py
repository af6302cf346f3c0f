"""Messages between processes by files: each arrives whole, and once."""

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from kombu import Connection

from tests.product import ROOT, clean_environment

MESSAGES, WRITERS, READERS = 100, 2, 3
PROGRAM = textwrap.dedent(
    """
    import sys
    import focusadmin.celery
    from kombu import Connection, Exchange, Queue
    from queue import Empty
    role, folder, number = sys.argv[1:4]
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": folder}
    queue = Queue("jobs", Exchange("jobs", type="direct"), routing_key="jobs")
    with Connection("filesystem://", transport_options=options) as line:
        jobs = line.SimpleQueue(queue)
        if role == "write":
            for n in range(int(number)):
                jobs.put({"n": n, "text": "x" * 20_000})
        else:
            while True:
                try:
                    message = jobs.get(timeout=5)
                except jobs.Empty:
                    break
                print(message.payload["n"])
                message.ack()
    """
)


def started(role: str, folder: Path) -> "subprocess.Popen[str]":
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM, role, str(folder), str(MESSAGES)],
        env=clean_environment(folder / "data"),
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


@pytest.mark.process
def test_of_many_writers_and_readers_each_message_arrives_whole_and_once(tmp_path):
    processes = [started("read", tmp_path) for _ in range(READERS)]
    processes += [started("write", tmp_path) for _ in range(WRITERS)]
    done = [process.communicate(timeout=120) for process in processes]
    assert [process.returncode for process in processes] == [0] * len(processes), done
    read = sorted(int(line) for output, _ in done for line in output.split())
    assert read == sorted(list(range(MESSAGES)) * WRITERS)
    assert list(tmp_path.glob("*.msg*")) == []


def test_a_message_that_is_still_being_written_is_left_alone(tmp_path):
    import focusadmin.celery  # noqa: F401 - puts our transport in place

    folder = str(tmp_path)
    options = {"data_folder_in": folder, "data_folder_out": folder, "control_folder": folder}
    (tmp_path / "1_a.jobs.msg.part").write_text('{"half')
    with Connection("filesystem://", transport_options=options) as line:
        jobs = line.SimpleQueue("jobs")
        jobs.put({"n": 1})
        assert jobs.get(timeout=5).payload == {"n": 1}
        with pytest.raises(jobs.Empty):
            jobs.get_nowait()
