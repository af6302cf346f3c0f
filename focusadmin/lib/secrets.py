"""The installation's own secret: made once, kept in the data folder, readable by its owner only."""

import os
import secrets
import stat
import tempfile
from pathlib import Path

from focusadmin.lib.errors import FocusAdminError

SECRET_FILE = "secret_key"  # noqa: S105 - the name of a file
SECRET_MINIMUM = 50


class DataFolderError(FocusAdminError):
    """The data folder can't be used."""


def ensure_data_dir(folder: Path) -> Path:
    """The folder, made if it is missing; a clear error when we may not write there."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        raise DataFolderError(
            f"The data folder {folder} can't be written ({error.strerror}). "
            "Choose another: make run DATA_DIR=/some/folder"
        ) from error
    return folder


def persistent_secret(folder: Path) -> str:
    """The secret kept in `folder`; generated at first use.

    Two processes may start at once: the file is written whole under another name and linked into
    place, so that one of them wins and both read the same secret.
    """
    ensure_data_dir(folder)
    path = folder / SECRET_FILE
    if not path.exists():
        draft = folder / f".{SECRET_FILE}-{os.getpid()}-{secrets.token_hex(4)}"
        draft.touch(mode=stat.S_IRUSR | stat.S_IWUSR)
        draft.write_text(secrets.token_urlsafe(64), encoding="ascii")
        try:
            path.hardlink_to(draft)
        except FileExistsError:
            pass
        finally:
            draft.unlink()
    return path.read_text(encoding="ascii").strip()
