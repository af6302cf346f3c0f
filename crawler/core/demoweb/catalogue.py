"""What the demo web consists of: sites, pages, links, and the places where something is wrong."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from crawler.core.demoweb.plans import RobotsRule, SiteKind

_TRAP_TARGET = re.compile(
    r"/calendar\?month=\d{4}-\d\d|/calendar/day\?date=\d{4}-\d\d-\d\d|/s/[0-9a-f]{12}/events/\d+"
)


class Place(NamedTuple):
    """Where something is: a host, and the path (with its query) on it."""

    host: str
    path: str

    def url(self, port: int) -> str:
        """The address when the web is served at `port`."""
        return f"http://{self.host}{'' if port == 80 else f':{port}'}{self.path}"


class PageKind(StrEnum):
    """The part a page plays on its site."""

    HOME = "home"
    SECTION = "section"  # lists the articles of a topic
    ARTICLE = "article"
    LEAFLET = "leaflet"  # without any link: a dead end
    HUB = "hub"  # lists good pages of one topic on other sites
    SERVICE = "service"  # about, contact
    PRIVATE = "private"  # forbidden by robots.txt


class LinkKind(StrEnum):
    """Where on a page a link stands."""

    MENU = "menu"
    LISTED = "listed"
    RELATED = "related"  # same site, beside the text
    CITED = "cited"  # another site, in a sentence


class Clarity(StrEnum):
    """How plainly a page is about its topic; real pages are not all written to be classified."""

    CLEAR = "clear"
    WANDERING = "wandering"  # nearly as much about something else
    VAGUE = "vague"  # mostly the chatter of its site


class Fault(StrEnum):
    """What is wrong with a broken page."""

    TRUNCATED = "truncated"
    WRONG_ENCODING = "wrong-encoding"
    EMPTY = "empty"
    NOT_FOUND = "not-found"
    GONE = "gone"
    BINARY = "binary"


@dataclass(frozen=True, slots=True)
class DemoLink:
    """A link as it stands on a page."""

    place: Place
    kind: LinkKind


@dataclass(frozen=True, slots=True)
class DemoPage:
    """A page with its true topic; pages that are about nothing have the topic ''."""

    place: Place
    title: str
    topic: str
    kind: PageKind
    clarity: Clarity = Clarity.CLEAR
    links: tuple[DemoLink, ...] = ()

    @property
    def host(self) -> str:
        return self.place.host

    @property
    def path(self) -> str:
        return self.place.path

    @property
    def is_hub(self) -> bool:
        return self.kind is PageKind.HUB

    def targets(self, kind: LinkKind) -> list[Place]:
        """The places that links of this kind lead to."""
        return [link.place for link in self.links if link.kind is kind]


@dataclass(frozen=True, slots=True)
class DemoSite:
    """A host of the demo web."""

    host: str
    title: str
    home: str  # topic of its front page
    voice: str
    kind: SiteKind
    robots: RobotsRule
    theme: int


@dataclass(frozen=True)
class Catalogue:
    """Everything that can be asked for, by place."""

    seed: int
    sites: Mapping[str, DemoSite]
    pages: Mapping[Place, DemoPage]
    redirects: Mapping[Place, Place]
    faults: Mapping[Place, Fault]

    def knows(self, place: Place) -> bool:
        """Whether something is planned there: a page, a redirect, a fault or a bit of the trap."""
        planned = place in self.pages or place in self.redirects or place in self.faults
        return planned or self.is_trap(place)

    def is_trap(self, place: Place) -> bool:
        """Whether the place is made up on request, endlessly."""
        site = self.sites.get(place.host)
        is_host = site is not None and site.kind is SiteKind.TRAP
        return is_host and _TRAP_TARGET.fullmatch(place.path) is not None

    def title_and_topic(self, place: Place) -> tuple[str, str]:
        """What a link to the place is about, as far as its author knew."""
        page = self.pages.get(self.redirects.get(place, place))
        site = self.sites[place.host]
        if page is None:
            return f"From the archive of {site.title}", site.home
        return page.title, page.topic or site.home
