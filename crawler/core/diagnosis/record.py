"""What a diagnosis is made from, and what it is made of."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from crawler.core.ports import OK
from crawler.core.types import Lineage

RELEVANT_FROM = 0.5


@dataclass(frozen=True, slots=True)
class RecordedPage:
    """A fetch that came to an end, and where the page links to."""

    seq: int
    number: int
    url: str
    host: str
    site: str
    outcome: str
    relevance: float
    topic: Lineage
    found_on: int = -1  # number of the page that led here first; -1 for a start page
    targets: tuple[int, ...] = ()
    contexts: tuple[float, ...] = ()  # how relevant the words around each link are

    @property
    def is_ok(self) -> bool:
        return self.outcome == OK

    @property
    def is_relevant(self) -> bool:
        return self.is_ok and self.relevance >= RELEVANT_FROM

    @property
    def is_stray(self) -> bool:
        """Fetched, and not what was wanted."""
        return self.is_ok and self.relevance < RELEVANT_FROM


@dataclass(frozen=True)
class CrawlRecord:
    """The latest pages of a crawl in their order, its frontier and its settings."""

    pages: Sequence[RecordedPage]
    waiting: Mapping[int, int]  # numbers of waiting URLs, and of the page each was found on
    good: Collection[Lineage]
    pass_through: Collection[Lineage] = ()
    strategy: str = ""
    is_active: bool = True
    reason: str = ""
    refusing_hosts: Sequence[tuple[str, int, str]] = ()  # refusals in a row, and of what kind
    left: "Left | None" = None


@dataclass(frozen=True)
class Left:
    """What an estimate says of the relevant pages that were not fetched yet."""

    expected: float  # among the URLs that wait
    found: float  # the share that the crawl has, at least


class Cause(StrEnum):
    """Why a harvest falls or a crawl ends."""

    MIXED_TOPICS = "mixed_topics"
    EXHAUSTED = "exhausted"
    TRAP = "trap"
    BLOCKED = "blocked"
    DRIFT = "drift"
    ERRORS = "errors"


class RemedyKind(StrEnum):
    """What one click does."""

    WIDEN = "widen"
    STAY_AWAY = "stay_away"
    STRATEGY = "strategy"
    SLOWER = "slower"
    STOP = "stop"


@dataclass(frozen=True)
class Remedy:
    """A change of settings; `values` are paths of topics, entries to stay away from, a key."""

    kind: RemedyKind
    label: str
    values: tuple[str, ...] = ()


@dataclass(frozen=True)
class Gain:
    """How many more relevant pages to expect: a mean and a 95 % interval."""

    expected: float
    low: float
    high: float


@dataclass(frozen=True)
class Finding:
    """A cause with its evidence, in sentences, and what to do."""

    cause: Cause
    title: str
    weight: float  # 0 to 1: how much of the lost harvest it explains
    evidence: tuple[str, ...]
    remedy: Remedy | None = None
    gain: Gain | None = None


@dataclass(frozen=True)
class Harvest:
    """How the crawl fared: in all, at its best, and of late."""

    overall: float
    best: float
    latest: float
    window: int

    @property
    def has_fallen(self) -> bool:
        return self.latest < 0.6 * self.best


@dataclass(frozen=True)
class Diagnosis:
    """Everything found, the weightiest first, and where the stray pages fall in the tree."""

    harvest: Harvest
    findings: Sequence[Finding]
    stray_topics: Sequence["TopicShare"] = ()
    looked_at: int = 0
    strays: int = 0


@dataclass(frozen=True)
class TopicShare:
    """A topic to which pages belong that were not wanted."""

    path: str
    pages: int
    share: float
    kinship: str  # "parent", "sibling", or nothing
    citing: int = field(default=0)  # times they cite relevant pages of other sites
