"""The child's side of the parsing pool: reads jobs, does them, writes answers, until end of input.

    python -m focusadmin.lib.parsing_child module:function memory_bytes cpu_seconds [setup.json]

Before the first foreign byte it gives up what it does not need: it can open no file and no socket
any more, takes no more memory than it was given, and the kernel ends it when a job takes longer.
"""

import importlib
import json
import os
import resource
import struct
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

Task = Callable[[dict[str, Any], bytes], dict[str, Any]]

LENGTH = struct.Struct(">I")
INPUT, OUTPUT = 0, 1
OUT_OF_MEMORY = 77  # exit code; memory may be in a state in which no answer can be made


def main(task_name: str, memory_bytes: int, cpu_seconds: int, setup_file: str = "") -> int:
    module_name, _, function_name = task_name.partition(":")
    module = importlib.import_module(module_name)
    task: Task = getattr(module, function_name)
    prepare: Callable[[dict[str, Any]], None] | None = getattr(module, "prepare", None)
    if prepare is not None:
        prepare(json.loads(Path(setup_file).read_bytes()) if setup_file else {})
    _confine(memory_bytes)
    _write({"ready": True})
    try:
        return _serve(task, cpu_seconds)
    except MemoryError:
        return OUT_OF_MEMORY


def _confine(memory_bytes: int) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (memory_bytes, memory_bytes))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    resource.setrlimit(resource.RLIMIT_NOFILE, (3, 3))  # the three that are open, and no other


def _serve(task: Task, cpu_seconds: int) -> int:
    while (meta := _read_frame()) is not None:
        body = _read_frame()
        if body is None:
            break
        _grant_cpu(cpu_seconds)
        _write(_done(task, json.loads(meta), body))
    return 0


def _done(task: Task, meta: dict[str, Any], body: bytes) -> dict[str, Any]:
    try:
        return {"result": task(meta, body)}
    except MemoryError:
        raise
    except Exception as error:  # noqa: BLE001 - whatever a parser does, the parent gets an answer
        return {"error": f"{type(error).__name__}: {error}"[:300]}


def _grant_cpu(seconds: int) -> None:
    used = resource.getrusage(resource.RUSAGE_SELF)
    limit = int(used.ru_utime + used.ru_stime) + 1 + seconds
    resource.setrlimit(resource.RLIMIT_CPU, (limit, resource.RLIM_INFINITY))


def _read_frame() -> bytes | None:
    size = _read(LENGTH.size)
    return None if size is None else _read(LENGTH.unpack(size)[0])


def _read(size: int) -> bytes | None:
    pieces = []
    while size:
        piece = os.read(INPUT, min(size, 1 << 20))
        if not piece:
            return None
        pieces.append(piece)
        size -= len(piece)
    return b"".join(pieces)


def _write(answer: dict[str, Any]) -> None:
    data = json.dumps(answer, ensure_ascii=False).encode("utf-8", "replace")
    view = memoryview(LENGTH.pack(len(data)) + data)
    while view:
        view = view[os.write(OUTPUT, view) :]


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:]))
