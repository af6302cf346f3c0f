"""Typed readers of environment variables: an odd value is refused, never guessed at."""

import os
from collections.abc import Collection
from pathlib import Path

from focusadmin.lib.errors import FocusAdminError

_TRUE = frozenset({"1", "true", "yes", "on"})
_FALSE = frozenset({"0", "false", "no", "off"})


class SettingError(FocusAdminError):
    """An environment variable has a value we can't use."""

    def __init__(self, name: str, found: str, wanted: str) -> None:
        super().__init__(f"{name}={found!r} is not usable: {wanted}.")
        self.name = name


def env_str(name: str, *, default: str) -> str:
    """The variable's text without surrounding blanks; unset or blank gives the default."""
    return os.environ.get(name, "").strip() or default


def env_bool(name: str, *, default: bool) -> bool:
    text = env_str(name, default="").lower()
    if not text:
        return default
    if text in _TRUE:
        return True
    if text in _FALSE:
        return False
    raise SettingError(name, text, "say true or false")


def env_int(name: str, *, default: int, minimum: int, maximum: int) -> int:
    text = env_str(name, default=str(default))
    # int() alone would take "1_000" and " 8 "; a port written so is a slip.
    if not text.isascii() or not text.isdigit():
        raise SettingError(name, text, f"give a whole number from {minimum} to {maximum}")
    number = int(text)
    if not minimum <= number <= maximum:
        raise SettingError(name, text, f"give a whole number from {minimum} to {maximum}")
    return number


def env_choice(name: str, choices: Collection[str], *, default: str) -> str:
    text = env_str(name, default=default)
    if text not in choices:
        raise SettingError(name, text, "choose one of " + ", ".join(sorted(choices)))
    return text


def env_list(name: str, *, default: Collection[str]) -> list[str]:
    """Comma-separated words; blanks around them and empty ones are dropped."""
    text = env_str(name, default="")
    return [word.strip() for word in text.split(",") if word.strip()] or list(default)


def env_path(name: str, *, default: Path) -> Path:
    text = env_str(name, default=str(default))
    if "\0" in text:
        raise SettingError(name, text, "give the path of a folder")
    return Path(text).expanduser().resolve()
