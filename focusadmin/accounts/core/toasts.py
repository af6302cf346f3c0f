"""Short notices at the foot of the page, some of which can be undone."""

from dataclasses import dataclass

_UNDO_PREFIX = "undo "


@dataclass(frozen=True)
class Toast:
    text: str
    level: str
    undo_url: str = ""
    undo_token: str = ""


def undo_tag(undo_url: str, undo_token: str) -> str:
    """How an undo travels in the one free field that Django's messages have."""
    return f"{_UNDO_PREFIX}{undo_url} {undo_token}"


def toast_from_message(text: str, level: str, extra_tags: str | None) -> Toast:
    if extra_tags and extra_tags.startswith(_UNDO_PREFIX):
        undo_url, undo_token = extra_tags.removeprefix(_UNDO_PREFIX).split(" ", 1)
        return Toast(text, level, undo_url, undo_token)
    return Toast(text, level)
