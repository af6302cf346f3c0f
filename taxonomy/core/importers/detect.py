"""Tells what a file is and reads it."""

import codecs
import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import BinaryIO

from taxonomy.core.importers.bookmark_file import read_bookmark_file
from taxonomy.core.importers.csv_file import HEADER_LINES, find_header, read_csv
from taxonomy.core.importers.jsonl import read_jsonl
from taxonomy.core.importers.odp import read_odp
from taxonomy.core.importers.sources import ImportFileError, open_source
from taxonomy.core.importers.warc_file import START as WARC_START
from taxonomy.core.importers.warc_file import read_warc
from taxonomy.core.records import Record

HEAD = 64 * 1024
AUTO = "auto"


class Format(StrEnum):
    """The kinds of file that can be imported."""

    ODP = "odp"
    JSONL = "jsonl"
    CSV = "csv"
    BOOKMARKS = "bookmarks"
    WARC = "warc"


_READERS: dict[str, Callable[[BinaryIO], Iterator[Record]]] = {
    Format.ODP: read_odp,
    Format.JSONL: read_jsonl,
    Format.CSV: read_csv,
    Format.BOOKMARKS: read_bookmark_file,
    Format.WARC: read_warc,
}
_ODP_SIGNS = ("<externalpage", "<topic ", "/dmoz.org/rdf")
_BOOKMARK_STARTS = ("[", "Opera Hotlist", "bplist", "http://", "https://")
_BOOKMARK_TAGS = ("<!doctype netscape", "<html", "<dl", "<opml", "<xbel", "<rdf:rdf", "<plist")
_ENDINGS = {
    (".rdf.u8", ".rdf.u8.gz"): Format.ODP,
    (".jsonl", ".ndjson", ".jsonl.gz", ".ndjson.gz"): Format.JSONL,
    (".csv", ".tsv", ".tab", ".csv.gz", ".tsv.gz", ".tab.gz"): Format.CSV,
    (".html", ".htm", ".opml", ".xbel", ".adr", ".json", ".rdf"): Format.BOOKMARKS,
}


def read(
    path: Path, format: str = AUTO, on_bytes: Callable[[int], None] | None = None
) -> Iterator[Record]:
    """Every record of the file, in its order; the file may be far larger than memory."""
    with open_source(path, on_bytes) as stream:
        kind = detect_format(stream.peek(HEAD)[:HEAD], path.name) if format == AUTO else format
        yield from reader_of(kind)(stream)


def reader_of(format: str) -> Callable[[BinaryIO], Iterator[Record]]:
    """The reader for a format's name."""
    if format not in _READERS:
        raise ImportFileError(f'There is no format "{format}". {_formats()}')
    return _READERS[format]


def detect_format(head: bytes, name: str) -> Format:
    """The format of a file from its first bytes, or from its name if these tell nothing."""
    text = _text(head).lstrip("\ufeff").lstrip()
    if not text:
        raise ImportFileError(f"{name} is empty.")
    found = _by_content(text) or _by_name(name.lower())
    if found is None:
        raise ImportFileError(f"{name} is in no known format. {_formats()}")
    return found


def _formats() -> str:
    return f"The formats are {', '.join(Format)}; name the right one with --format."


def _text(head: bytes) -> str:
    is_utf16 = head.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return head.decode("utf-16" if is_utf16 else "utf-8", "replace")


def _by_content(text: str) -> Format | None:
    if text.startswith(WARC_START.decode()):
        return Format.WARC
    if text.startswith("<"):
        return _markup(text.casefold())
    if text.startswith("{"):
        return _json(text)
    if text.startswith(_BOOKMARK_STARTS):
        return Format.BOOKMARKS
    return Format.CSV if find_header(text.splitlines()[:HEADER_LINES]) else None


def _markup(text: str) -> Format | None:
    if any(sign in text for sign in _ODP_SIGNS):
        return Format.ODP
    return Format.BOOKMARKS if any(tag in text for tag in _BOOKMARK_TAGS) else None


def _json(text: str) -> Format:
    """Our own lines are whole objects with a path; browsers write one object over many lines."""
    line = text.splitlines()[0]
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        looks_ours = '"path"' in line and '"children"' not in line
        return Format.JSONL if looks_ours else Format.BOOKMARKS
    is_tree = isinstance(value, dict) and ("children" in value or "roots" in value)
    return Format.BOOKMARKS if is_tree else Format.JSONL


def _by_name(name: str) -> Format | None:
    return next((kind for endings, kind in _ENDINGS.items() if name.endswith(endings)), None)
