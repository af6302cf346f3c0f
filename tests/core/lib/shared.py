"""Vectors that are not ours to copy: tests read them where they are and skip when they are not."""

import os
from pathlib import Path

import pytest

from tests.product import ROOT

SHARED = Path(os.environ.get("FOCUSADMIN_SHARED", ROOT.parent / "shared")) / "data"


def shared_file(*parts: str) -> Path:
    path = SHARED.joinpath(*parts)
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path
