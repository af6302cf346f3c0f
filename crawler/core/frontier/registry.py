"""All strategies by key. A strategy is one module, named like its key, that registers one class."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib import import_module
from typing import Any, TypeVar

from crawler.core.frontier.base import FrontierStrategy, NoParameters
from focusadmin.lib.errors import FocusAdminError

KEYS = (
    "soft_focus",
    "link_context",
    "otie",
    "opic",
    "hybrid_seed_rank",
    "evolved",
    "hard_focus",
    "breadth_first",
    "unfocused",
)
DEFAULT = "soft_focus"

Strategy = TypeVar("Strategy", bound=type)


class StrategyError(FocusAdminError):
    """An unknown strategy, or parameters that it does not have."""


@dataclass(frozen=True)
class StrategyEntry:
    """A strategy as forms and documents show it."""

    key: str
    label: str
    summary: str  # one sentence in plain words
    parameters: type
    build: Callable[..., FrontierStrategy]


_entries: dict[str, StrategyEntry] = {}


def strategy(
    *, key: str, label: str, summary: str, parameters: type = NoParameters
) -> Callable[[Strategy], Strategy]:
    """Class decorator: the class takes (parameters, seed) and follows `FrontierStrategy`."""

    def register(made: Strategy) -> Strategy:
        _entries[key] = StrategyEntry(key, label, summary, parameters, made)
        return made

    return register


def entry(key: str) -> StrategyEntry:
    if key not in KEYS:
        raise StrategyError(f"There is no strategy {key}. Choose one of: {', '.join(KEYS)}.")
    import_module(f"crawler.core.frontier.{key}")
    return _entries[key]


def entries() -> list[StrategyEntry]:
    """All strategies in the order in which people should see them."""
    return [entry(key) for key in KEYS]


def build(
    key: str, parameters: Mapping[str, Any] | None = None, *, seed: int = 0
) -> FrontierStrategy:
    """A fresh strategy; parameters that are not named keep their defaults."""
    found = entry(key)
    known = {field.name for field in fields(found.parameters)}
    given = dict(parameters or {})
    if unknown := sorted(set(given) - known):
        raise StrategyError(f"{key} has no parameter {', '.join(unknown)}.")
    try:
        return found.build(found.parameters(**given), seed)
    except (TypeError, ValueError) as error:
        raise StrategyError(f"{key}: {error}") from error
