"""What the engine asks of the world outside; each has a real and an in-memory implementation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from crawler.core.hosts import Host
from crawler.core.nudges import Nudge
from crawler.core.urlrows import FrontierChanges
from focusadmin.lib.errors import FocusAdminError

OK = "ok"


class LedgerDownError(FocusAdminError):
    """Nothing can be written at the moment; the same batch may be tried again."""


class LeaseLostError(FocusAdminError):
    """Somebody else holds the crawl now; nothing of ours may be written any more."""


@dataclass(frozen=True, slots=True)
class PageRecord:
    """A fetch that came to an end, as it is kept. `relevance` is None when there is no page."""

    number: int
    key: int
    url: str
    host: int
    site: str
    outcome: str  # OK, or the reason
    fetched_at: float
    depth: int
    detail: str = ""
    status: int = 0
    title: str = ""
    language: str = ""
    relevance: float | None = None
    priority_relevance: float | None = None
    topic: str = ""
    topic_probability: float = 0.0
    is_on_topic: bool = False
    content_similarity: float = 0.0
    size_bytes: int = 0
    text: str = field(default="", repr=False)
    targets: npt.NDArray[np.int32] | None = field(default=None, repr=False)
    contexts: npt.NDArray[np.float32] | None = field(default=None, repr=False)
    anchors: tuple[str, ...] = field(default=(), repr=False)
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)  # only of crawls that keep bodies
    is_revisit: bool = False  # of a page that is there already


@dataclass(frozen=True)
class Batch:
    """What is committed together: pages, the frontier changes they caused, hosts, figures."""

    pages: Sequence[PageRecord]
    frontier: FrontierChanges
    hosts: Sequence[Host]
    seconds_run: float
    frontier_size: int
    status: dict[str, Any]
    nudges: Sequence[int] = ()  # applied, by their ids


class Ledger(Protocol):
    """Where a crawl is written down. All methods block, and are called from one thread only."""

    def commit(self, batch: Batch) -> int:
        """Write all or nothing; returns the seq of the last page.

        Raises LeaseLostError, or LedgerDownError when another try may succeed.
        """

    def urls(self, numbers: Sequence[int]) -> dict[int, str]:
        """The URLs of committed frontier rows."""

    def nudges(self) -> Sequence[Nudge]:
        """Wishes that no committed batch has applied; none when the ledger is away."""

    def close(self) -> None:
        """Nothing more is asked from this thread."""
