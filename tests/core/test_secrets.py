"""The installation's secret is made once and kept private."""

import stat
from concurrent.futures import ThreadPoolExecutor

import pytest

from focusadmin.lib.secrets import (
    SECRET_FILE,
    SECRET_MINIMUM,
    DataFolderError,
    ensure_data_dir,
    persistent_secret,
)


def test_secret_is_long_kept_and_readable_by_its_owner_only(tmp_path):
    first = persistent_secret(tmp_path)
    assert len(first) >= SECRET_MINIMUM
    assert persistent_secret(tmp_path) == first
    assert stat.S_IMODE((tmp_path / SECRET_FILE).stat().st_mode) == 0o600
    assert [path.name for path in tmp_path.iterdir()] == [SECRET_FILE]


def test_two_installations_differ(tmp_path):
    assert persistent_secret(tmp_path / "a") != persistent_secret(tmp_path / "b")


def test_processes_that_start_at_once_agree(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: persistent_secret(tmp_path), range(40)))) == 1


def test_a_folder_that_cant_be_made_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(DataFolderError, match="make run DATA_DIR="):
        ensure_data_dir(tmp_path / "file" / "data")
