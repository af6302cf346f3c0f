"""The values that travel through a crawl: frozen, small, free of any framework."""

import hashlib
from dataclasses import dataclass
from enum import StrEnum

Lineage = tuple[str, ...]  # names of topics from the top down
CONTEXT_DIGITS = 4  # of a context's relevance, as the parsing children tell it


def url_key(url: str) -> int:
    """A signed 64-bit name for a canonical URL; two of 10 million collide with odds 1 : 370,000."""
    return int.from_bytes(hashlib.blake2b(url.encode(), digest_size=8).digest(), signed=True)


@dataclass(frozen=True, slots=True)
class ScoredLink:
    """A link that may be followed, and how relevant the words around it are."""

    key: int
    url: str
    anchor: str
    context_relevance: float


@dataclass(frozen=True, slots=True)
class ScoredPage:
    """A fetched page as a strategy sees it.

    `relevance` is R(d) over the good topics and is what people are shown. Pass-through topics
    count in `priority_relevance` only (section 2.2 of the 1999 paper).
    """

    key: int
    url: str
    depth: int  # links from the start set; 0 for a start page
    relevance: float
    priority_relevance: float
    is_on_topic: bool  # its best leaf, or an ancestor of it, is good or pass-through
    content_similarity: float  # Jamali 2006: to the vocabularies of the sub-domains
    links: tuple[ScoredLink, ...]  # each target once, in the order of the page


class Merge(StrEnum):
    """What becomes of the priority of a URL that is found again."""

    MAX = "max"
    ADD = "add"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True)
class PriorityChange:
    """A URL that gets this priority, or this much more of it: the strategy's `merge` says how."""

    key: int
    priority: float


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a strategy makes of a fetched page.

    Links of the page that are not in `changes` are not followed. A change may also name a URL
    found earlier. `revisits` are fetched pages that are due again.
    """

    changes: tuple[PriorityChange, ...] = ()
    revisits: tuple[PriorityChange, ...] = ()


NOTHING = Expansion()
