"""An edit of the tree as a list of small reversible changes.

What people do (rename, merge, split, ...) is told in a few kinds of change, each of which knows
what was before and what is after. Undoing an edit is applying the list backwards with both
swapped, so every edit, an undo too, can be undone in the same way.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias


@dataclass(frozen=True, slots=True)
class TopicMoved:
    """Under another parent; nothing for a parent means the trash."""

    topic: int
    before: int | None
    after: int | None


@dataclass(frozen=True, slots=True)
class TopicRenamed:
    topic: int
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class TopicDescribed:
    """Description, terms and start URLs, as the fields of the topic are called."""

    topic: int
    before: dict[str, Any]
    after: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ExamplesMoved:
    """To another topic; nothing for a topic means removed."""

    examples: tuple[int, ...]
    before: int | None
    after: int | None


Change: TypeAlias = TopicMoved | TopicRenamed | TopicDescribed | ExamplesMoved

_KINDS: dict[str, type[Change]] = {
    "topic_moved": TopicMoved,
    "topic_renamed": TopicRenamed,
    "topic_described": TopicDescribed,
    "examples_moved": ExamplesMoved,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}


def inverse(changes: Sequence[Change]) -> list[Change]:
    """The changes that lead back to where `changes` began."""
    return [_swapped(change) for change in reversed(changes)]


def _swapped(change: Change) -> Change:
    values = {name: getattr(change, name) for name in type(change).__slots__}
    values["before"], values["after"] = values["after"], values["before"]
    return type(change)(**values)


def to_json(changes: Sequence[Change]) -> list[dict[str, Any]]:
    return [{"kind": _NAMES[type(change)], **asdict(change)} for change in changes]


def from_json(stored: Sequence[dict[str, Any]]) -> list[Change]:
    return [_change(**fields) for fields in stored]


def _change(*, kind: str, **fields: Any) -> Change:
    if "examples" in fields:
        fields["examples"] = tuple(fields["examples"])
    return _KINDS[kind](**fields)
