"""What every importer yields: topics, examples, and what could not be used and why.

Files come from strangers, so the two makers here are the one door through which a file's texts
become records: cut to size, free of what a database refuses, and with web addresses only.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from taxonomy.core.tree import DEPTH_MAX, NAME_MAX, import_name

TITLE_MAX = 500
URL_MAX = 2000
TEXT_MAX = 200_000
DESCRIPTION_MAX = 4000
TERM_MAX = 100
# With these two a record at every limit still fits one line of an export (1 MiB).
TERMS_MAX = 200
START_URLS_MAX = 100

# PostgreSQL stores no NUL, nothing encodes a lone surrogate, and the other controls mean nothing.
_UNUSABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff]")
# Browsers drop these wherever they stand in an address: "java\nscript:" is a script to them.
_NOT_IN_URL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_WEB_URL = re.compile(r"https?://[^\s/?#\\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TopicRecord:
    """A topic to be there, with what is known of it."""

    path: tuple[str, ...]
    description: str = ""
    terms: tuple[str, ...] = ()
    start_urls: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExampleRecord:
    """A page or text that belongs to a topic; an empty path means that nobody placed it yet."""

    path: tuple[str, ...]
    title: str = ""
    url: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A part of the file that could not be used."""

    line: int
    reason: str


Record = TopicRecord | ExampleRecord | Skipped


def clean_text(raw: str, limit: int) -> str:
    """The text without unusable characters, trimmed and cut."""
    text = _UNUSABLE.sub("", raw).strip()
    return text if len(text) <= limit else text[:limit].rstrip()


def clean_url(raw: str) -> str | None:
    """The address if it is one of the Web (http or https, with a host), else nothing."""
    url = _NOT_IN_URL.sub("", raw).strip()
    return url if len(url) <= URL_MAX and _WEB_URL.match(url) else None


def import_path(names: Iterable[str]) -> tuple[str, ...]:
    """A path of names as found in a file; those with nothing visible are left out."""
    return tuple(name for raw in names if (name := _name(raw)))


def _name(raw: str) -> str | None:
    """Names come again and again in a file; long ones are not worth the memory."""
    return _remembered_name(raw) if len(raw) <= NAME_MAX else import_name(raw)


_remembered_name = lru_cache(maxsize=16_384)(import_name)


def make_topic(
    line: int,
    path: tuple[str, ...],
    *,
    description: str = "",
    terms: Iterable[str] = (),
    start_urls: Iterable[str] = (),
) -> Iterator[Record]:
    """The topic, and a note for every start address that had to be left out."""
    if reason := _unusable_path(path):
        yield Skipped(line, reason)
        return
    if not path:
        yield Skipped(line, "no topic path")
        return
    cleaned = [(raw, clean_url(raw)) for raw in start_urls if raw.strip()]
    yield TopicRecord(
        path,
        clean_text(description, DESCRIPTION_MAX),
        tuple(term for raw in terms if (term := clean_text(raw, TERM_MAX)))[:TERMS_MAX],
        tuple(url for _, url in cleaned if url)[:START_URLS_MAX],
    )
    yield from (Skipped(line, _bad_url(raw)) for raw, url in cleaned if url is None)


def make_example(
    line: int, path: tuple[str, ...], *, title: str = "", url: str = "", text: str = ""
) -> ExampleRecord | Skipped:
    """The example, or why it is none."""
    if reason := _unusable_path(path):
        return Skipped(line, reason)
    address = clean_url(url) if url else ""
    if address is None and url.strip():
        return Skipped(line, _bad_url(url))
    example = ExampleRecord(
        path, clean_text(title, TITLE_MAX), address or "", clean_text(text, TEXT_MAX)
    )
    if example.title or example.url or example.text:
        return example
    return Skipped(line, "no address, title or text")


def _unusable_path(path: tuple[str, ...]) -> str | None:
    return f"the path has more than {DEPTH_MAX} levels" if len(path) > DEPTH_MAX else None


def _bad_url(raw: str) -> str:
    url = clean_text(_NOT_IN_URL.sub("", raw), 60)
    if len(raw) > URL_MAX:
        return f"the address is longer than {URL_MAX} characters: {url}…"
    return f"not an http or https address: {url}"
