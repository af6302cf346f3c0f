"""Where the real files are, and how tests read bytes as if they were a file."""

import os
from pathlib import Path

import pytest

from taxonomy.core.importers.detect import read
from taxonomy.core.records import ExampleRecord, Record, Skipped, TopicRecord
from tests.product import ROOT

SHARED = Path(os.environ.get("FOCUSADMIN_SHARED", ROOT.parent / "shared")) / "data"


def real_file(name: str) -> Path:
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not here; FOCUSADMIN_SHARED names the folder that has it")
    return path


def read_bytes(folder: Path, data: bytes, kind: str = "auto", name: str = "file") -> list[Record]:
    path = folder / name
    path.write_bytes(data)
    return list(read(path, kind))


def kinds(records: list[Record]) -> tuple[int, int, int]:
    """How many topics, examples and skipped parts."""
    return (
        sum(isinstance(record, TopicRecord) for record in records),
        sum(isinstance(record, ExampleRecord) for record in records),
        sum(isinstance(record, Skipped) for record in records),
    )


def skipped(records: list[Record]) -> list[Skipped]:
    return [record for record in records if isinstance(record, Skipped)]
