"""Which sites the demo web has, and what each is about."""

import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import count, islice
from typing import Any

from crawler.core.demoweb.vocabulary import DATA

FEWEST_SITES = 12  # with fewer there is no community, no popular site or no special host
FEWEST_PAGES = 120


class SiteKind(StrEnum):
    """What sort of a host it is."""

    TOPICAL = "topical"
    MIXED = "mixed"  # newspapers, blog hosts, portals: a little of everything
    POPULAR = "popular"  # cited by everybody, about nothing that anybody looks for
    SLOW = "slow"
    FLAKY = "flaky"
    TRAP = "trap"


class RobotsRule(StrEnum):
    """What the host answers for /robots.txt."""

    NONE = "none"  # 404
    OPEN = "open"
    PRIVATE = "private"  # disallows /private/
    DELAY = "delay"
    ERROR = "error"  # 500


@dataclass(frozen=True, slots=True)
class SitePlan:
    """A site before it has pages."""

    name: str
    title: str
    home: str
    voice: str
    kind: SiteKind
    topics: tuple[str, ...]  # the more important first
    hubs: tuple[str, ...]
    robots: RobotsRule
    weight: int

    @property
    def host(self) -> str:
        return f"{self.name}.localhost"


def site_plans(number: int) -> list[SitePlan]:
    """The first `number` plans; when they run out, the ordinary ones come again under new names."""
    entries = tomllib.loads((DATA / "sites.toml").read_text("utf-8"))["site"]
    plans = [_plan(entry) for entry in entries]
    return list(islice(_endless(plans), number))


def _endless(plans: Sequence[SitePlan]) -> Iterator[SitePlan]:
    yield from plans
    ordinary = [plan for plan in plans if plan.kind is SiteKind.TOPICAL]
    for edition in count(2):
        for plan in ordinary:
            yield replace(plan, name=f"{plan.name}-{edition}", title=f"{plan.title} {edition}")


def shares(plans: Sequence[SitePlan], pages: int) -> list[int]:
    """How many pages each site gets, by weight; together at least `pages`."""
    total = sum(plan.weight for plan in plans)
    return [-(-pages * plan.weight // total) for plan in plans]


def _plan(entry: dict[str, Any]) -> SitePlan:
    return SitePlan(
        name=entry["name"],
        title=entry["title"],
        home=entry["home"],
        voice=entry["voice"],
        kind=SiteKind(entry.get("kind", "topical")),
        topics=tuple(entry["topics"]),
        hubs=tuple(entry.get("hubs", ())),
        robots=RobotsRule(entry.get("robots", "none")),
        weight=entry["weight"],
    )
