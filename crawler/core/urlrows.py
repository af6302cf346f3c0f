"""URLs of the frontier on their way: found, leased, stored."""

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
import numpy.typing as npt

from crawler.core.hosts import Host
from crawler.core.keyindex import Keys


class UrlState(IntEnum):
    """The first three are stored; the others are a waiting URL's life in memory."""

    WAITING = 0
    DONE = 1
    DEAD = 2
    LEASED = 3
    LATER = 4  # a retry that is not due yet
    RESTING = 5  # left alone while only pages that are due again are visited


@dataclass(frozen=True, slots=True)
class NewUrl:
    key: int
    url: str
    priority: float
    depth: int
    found_on: int  # slot of the page; -1 for a start URL


@dataclass(frozen=True, slots=True)
class Lease:
    """A URL that is ours to fetch. `url` is None when the ledger must be asked for it."""

    slot: int
    url: str | None
    host: Host
    tries: int
    depth: int


@dataclass(frozen=True)
class FrontierRow:
    """A URL as it is stored."""

    number: int
    key: int
    url: str
    host: int
    state: int
    priority: float
    tries: int
    depth: int
    not_before: float
    found_on: int


@dataclass(frozen=True)
class FrontierChanges:
    """What to write: rows to insert, and (number, state, priority, tries, not_before) to update."""

    new: list[FrontierRow]
    updated: list[tuple[int, int, float, int, float]]


@dataclass(frozen=True)
class StoredFrontier:
    """All URLs of a crawl as columns, in the order of their numbers."""

    keys: Keys
    hosts: npt.NDArray[np.int32]
    states: npt.NDArray[np.uint8]
    priorities: npt.NDArray[np.float64]
    tries: npt.NDArray[np.uint8]
    depths: npt.NDArray[np.uint16]
    not_before: npt.NDArray[np.float64]
