"""What is exported, apart from where it comes from."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from focusadmin.lib.errors import FocusAdminError


class NothingToExportError(FocusAdminError):
    """There is nothing of the kind yet; the text says what to do first."""


@dataclass(frozen=True, slots=True)
class ExportLink:
    url: str
    number: int
    anchor: str
    context: float


@dataclass(frozen=True, slots=True)
class ExportPage:
    """A visit to a page; text, links and body only for formats that have a place for them."""

    seq: int
    number: int
    url: str
    title: str
    site: str
    outcome: str
    status: int
    language: str
    relevance: float | None
    topic: str
    topic_probability: float
    depth: int
    size_bytes: int
    fetched_at: float
    text: str = field(default="", repr=False)
    links: tuple[ExportLink, ...] = field(default=(), repr=False)
    content_type: str = ""
    body: bytes = field(default=b"", repr=False)

    @property
    def time(self) -> str:
        at = datetime.fromtimestamp(self.fetched_at, UTC)
        return at.isoformat(timespec="seconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class BestPage:
    """A hub or an authority."""

    kind: str
    rank: int
    url: str
    title: str
    score: float


COLUMNS = (
    "page", "url", "title", "site", "topic", "topic_probability", "relevance", "language", "depth",
    "outcome", "status", "size_bytes", "fetched_at",
)  # fmt: skip
Cell = str | int | float | None


def cells(page: ExportPage) -> tuple[Cell, ...]:
    """The values of COLUMNS."""
    return (
        page.seq, page.url, page.title, page.site, page.topic, round(page.topic_probability, 6),
        None if page.relevance is None else round(page.relevance, 6), page.language, page.depth,
        page.outcome, page.status, page.size_bytes, page.time,
    )  # fmt: skip
