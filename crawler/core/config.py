"""What a person decides about a crawl, checked once and then read-only.

A configuration is stored as JSON. Reading is strict, because a misspelt bound that is silently left
out would be no bound at all; a field that is missing has its default, so that old ones can be read.
There is no switch for robots.txt: it is always respected.
"""

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Self, TypeVar, get_type_hints

from crawler.core.budget import Budget
from crawler.core.caps import Caps
from crawler.core.frontier.registry import DEFAULT, KEYS
from crawler.core.revisits import Revisit
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.politeness import LONGEST_DELAY_SECONDS
from focusadmin.lib.urls import canonical_url, web_url

Parameter = bool | int | float | str
MAX_CONCURRENCY = 256
MAX_SEED = 2**63 - 1

_WORDS: dict[Any, str] = {
    bool: "true or false",
    str: "text",
    int: "a whole number",
    float: "a number",
    int | None: "a whole number or null",
    float | None: "a number or null",
    tuple[str, ...]: "a list of texts",
    Mapping[str, Parameter]: "an object of numbers, texts and true or false",
    Mapping[str, int]: "an object of whole numbers",
}
Part = TypeVar("Part")


class ConfigError(FocusAdminError):
    """A field that is unknown or has a value that is not allowed; the text names both."""


class StayAway:
    """Hosts and paths that a crawl must not visit.

    | entry | stays away from |
    |---|---|
    | `example.com` | this host, at any port; not from www.example.com |
    | `*.example.com` | every name below it; not from example.com |
    | `example.com/private` | what begins so, also /private-old; write /private/ for a folder only |

    `*.` and a path may come together. Entries are compared as canonical URLs are spelled.
    """

    def __init__(self, entries: tuple[str, ...]) -> None:
        self.entries = tuple(dict.fromkeys(_spelled_entry(entry) for entry in entries))
        self._prefixes: dict[str, list[str]] = {}
        for entry in self.entries:
            host, slash, path = entry.partition("/")
            self._prefixes.setdefault(host, []).append(slash + path)

    def entry_for(self, url: str) -> str | None:
        """The entry that keeps us away from `url`, or None."""
        parts = web_url(url) if self._prefixes else None
        if parts is None:
            return None
        for name in _names_for(parts.host.rstrip(".")):
            prefixes = self._prefixes.get(name)
            if prefixes and (prefix := _prefix_of(url, prefixes)) is not None:
                return name + prefix
        return None


def _names_for(host: str) -> list[str]:
    """The host as an entry may name it: itself, and `*.` with each part of it behind a dot."""
    names, at = [host], host.find(".")
    while at >= 0:
        names.append("*" + host[at:])
        at = host.find(".", at + 1)
    return names


def _prefix_of(url: str, prefixes: list[str]) -> str | None:
    # Only now, since hardly any URL gets here: the path in its one spelling.
    parts = web_url(canonical_url(url) or url)
    path = parts.path if parts else "/"
    return next((prefix for prefix in prefixes if path.startswith(prefix)), None)


def _spelled_entry(entry: str) -> str:
    below = "*." if entry.startswith("*.") else ""
    rest = entry.removeprefix(below)
    parts = None
    if not rest.startswith("/") and "://" not in rest and not set(rest) & set("*?#@\\ "):
        parts = web_url(canonical_url(f"http://{rest}") or "")
    if parts is None or parts.port != 80:
        raise ConfigError(
            f"exclusions: {entry!r} is not a host such as example.com, *.example.com for all names "
            "below it, or a host with the beginning of a path such as example.com/private."
        )
    return below + parts.host + ("" if parts.path == "/" else parts.path)


@dataclass(frozen=True)
class CrawlConfig:
    """Everything that makes two crawls from the same start set differ.

    `parameters` are checked by the strategy itself when it is built (`registry.build`).
    """

    strategy: str = DEFAULT
    parameters: Mapping[str, Parameter] = field(default_factory=dict, hash=False)
    seed: int = 0
    budget: Budget = field(default_factory=Budget)
    concurrency: int = 16
    delay_seconds: float = 1.0  # between two requests to a host; 0 only for hosts that you own
    caps: Caps = field(default_factory=Caps)
    site_caps: Mapping[str, int] = field(default_factory=dict, hash=False)  # instead of `caps`
    exclusions: tuple[str, ...] = ()
    keep_bodies: bool = False  # as they were fetched, for archives
    enough_relevant: int | None = None  # stop after so many relevant pages
    enough_recall: float | None = None  # stop when surely this share of what there is was found
    revisit: Revisit = field(default_factory=Revisit)
    _stay_away: StayAway = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        if self.strategy not in KEYS:
            raise ConfigError(f"strategy must be one of {', '.join(KEYS)}, not {self.strategy}.")
        _check_range("seed", self.seed, 0, MAX_SEED)
        _check_range("concurrency", self.concurrency, 1, MAX_CONCURRENCY)
        _check_range("delay_seconds", self.delay_seconds, 0, LONGEST_DELAY_SECONDS)
        if self.enough_relevant is not None:
            _check_range("enough_relevant", self.enough_relevant, 1, MAX_SEED)
        if self.enough_recall is not None:
            _check_range("enough_recall", self.enough_recall, 0.1, 0.99)
        for site, most in self.site_caps.items():
            _check_range(f"site_caps: {site}", most, 1, MAX_SEED)
        stay_away = StayAway(self.exclusions)
        object.__setattr__(self, "parameters", dict(self.parameters))
        object.__setattr__(self, "site_caps", dict(self.site_caps))
        object.__setattr__(self, "exclusions", stay_away.entries)
        object.__setattr__(self, "_stay_away", stay_away)

    @property
    def max_depth(self) -> int:
        return self.caps.max_depth

    @property
    def respects_robots(self) -> bool:
        """Always: here so that reports can say it."""
        return True

    def is_excluded(self, url: str) -> str | None:
        """The entry of the stay-away list that `url` falls under, or None."""
        return self._stay_away.entry_for(url)

    def why_enough(self, relevant_pages: int) -> str | None:
        """The reason to stop because enough was found, fit to show."""
        if self.enough_relevant is None or relevant_pages < self.enough_relevant:
            return None
        return f"enough: {relevant_pages:,} relevant pages found"

    def to_json(self) -> dict[str, Any]:
        """Plain values for JSON; `from_json` makes the same configuration of them."""
        plain = {part.name: getattr(self, part.name) for part in fields(self) if part.init}
        return plain | {
            "parameters": dict(self.parameters),
            "budget": asdict(self.budget),
            "caps": asdict(self.caps),
            "site_caps": dict(self.site_caps),
            "revisit": asdict(self.revisit),
            "exclusions": list(self.exclusions),
        }

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> Self:
        """The configuration that was stored; a ConfigError names what is wrong with it."""
        return _read(cls, given, "")


def _check_range(name: str, value: float, least: float, most: float) -> None:
    if not least <= value <= most:  # also false for NaN
        raise ConfigError(f"{name} must be from {least:,} to {most:,}, not {value}.")


def _read(part: type[Part], given: object, where: str) -> Part:
    if not isinstance(given, Mapping):
        raise ConfigError(f"{where.rstrip('.') or 'A configuration'} must be an object.")
    hints = get_type_hints(part)
    known = [known.name for known in fields(part) if known.init]  # type: ignore[arg-type]
    for name in given:
        if name not in known:
            raise ConfigError(f"{where}{name} is unknown. Known are: {', '.join(known)}.")
    values = {name: _value(hints[name], given[name], where + name) for name in given}
    try:
        return part(**values)
    except ConfigError:
        raise
    except FocusAdminError as error:
        raise ConfigError(f"{where}{error}") from error


def _value(hint: Any, given: Any, name: str) -> Any:
    if hint in (Budget, Caps, Revisit):
        return _read(hint, given, f"{name}.")
    if not _is_allowed(hint, given):
        raise ConfigError(f"{name} must be {_WORDS[hint]}, not {given!r}.")
    if hint == tuple[str, ...]:
        return tuple(given)
    is_whole_for_number = hint in (float, float | None) and isinstance(given, int)
    return float(given) if is_whole_for_number else given


def _is_allowed(hint: Any, given: object) -> bool:
    if hint == tuple[str, ...]:
        return isinstance(given, list | tuple) and all(isinstance(text, str) for text in given)
    if hint == Mapping[str, Parameter]:
        return isinstance(given, Mapping) and all(map(_is_parameter, given, given.values()))
    if hint == Mapping[str, int]:
        return isinstance(given, Mapping) and all(map(_is_count, given, given.values()))
    if given is None:
        return hint in (int | None, float | None)
    if hint is bool:
        return isinstance(given, bool)
    if hint is str:
        return isinstance(given, str)
    return _is_number(given, may_be_fraction=hint in (float, float | None))


def _is_count(name: object, value: object) -> bool:
    return isinstance(name, str) and _is_number(value, may_be_fraction=False)


def _is_parameter(name: object, value: object) -> bool:
    is_plain = isinstance(value, bool | str) or _is_number(value, may_be_fraction=True)
    return isinstance(name, str) and is_plain


def _is_number(given: object, *, may_be_fraction: bool) -> bool:
    """A number that JSON has: no truth value, not infinite, not beyond what a float can hold."""
    if isinstance(given, bool) or not isinstance(given, int | float):
        return False
    if isinstance(given, int):
        return abs(given) <= MAX_SEED
    return may_be_fraction and math.isfinite(given)
