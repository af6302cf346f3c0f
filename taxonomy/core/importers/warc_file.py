"""A web archive (WARC) as examples: pages as they were fetched, or texts made of them.

We frame the records ourselves, because a line of a stranger's file may be of any length; warcio
takes each record apart. Pages are parsed in a child that may die of them. Archives that FocusAdmin
wrote say the topic of each page; what others hold is unsorted.
"""

import io
from collections.abc import Iterator
from typing import BinaryIO

from warcio.archiveiterator import ArchiveIterator
from warcio.exceptions import ArchiveLoadFailed
from warcio.recordloader import ArcWarcRecord

from focusadmin.lib.limits import PAGE_LIMITS
from focusadmin.lib.pages import read_page_blocking
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import WorkFailure
from taxonomy.core.importers.sources import CHUNK, ImportFileError
from taxonomy.core.records import TITLE_MAX, Record, Skipped, import_path, make_example

START = b"WARC/"
TOPIC_FIELD = "FocusAdmin-Topic"  # ISO 28500 lets writers add fields, and readers pass them over
_LONGEST_LINE = 64 * 1024
_MOST_LINES = 200
_LARGEST = PAGE_LIMITS.max_body_bytes + _LONGEST_LINE
_TELLING = (b"response", b"conversion")
_OK = "200"


def read_warc(stream: BinaryIO) -> Iterator[Record]:
    """Numbered by record; requests, notes and what redirects are passed over."""
    with ParsingPool() as pool:
        for number, (head, block) in enumerate(_records(stream), 1):
            if block is None:
                yield Skipped(number, f"larger than {PAGE_LIMITS.max_body_bytes // 1024**2} MiB")
            elif record := _opened(head, block):
                yield from _examples(number, record, pool)


def _records(stream: BinaryIO) -> Iterator[tuple[bytes, bytes | None]]:
    """Head and block of each record that may hold a page; no block for one that is too large."""
    while head := _head(stream):
        fields = _fields(head)
        length = fields.get(b"content-length", b"")
        if not length.isdigit() or len(length) > 18:
            raise ImportFileError("The archive is damaged: a record does not say its length.")
        left = int(length)
        if fields.get(b"warc-type") not in _TELLING:
            _pass(stream, left)
        elif left > _LARGEST:
            _pass(stream, left)
            yield head, None
        else:
            block = stream.read(left)
            if len(block) < left:
                raise ImportFileError("The archive ends in the middle of a record. Copy it again.")
            yield head, block


def _head(stream: BinaryIO) -> bytes:
    """From the version to the empty line; nothing at the end of the file."""
    lines: list[bytes] = []
    while line := stream.readline(_LONGEST_LINE):
        if not line.strip() and not lines:
            continue
        if not lines and not line.startswith(START):
            raise ImportFileError("The archive is damaged: something stands between its records.")
        lines.append(line)
        if not line.strip():
            return b"".join(lines)
        if not line.endswith(b"\n") or len(lines) > _MOST_LINES:
            raise ImportFileError("The archive is damaged: the head of a record has no end.")
    return b"".join(lines)


def _fields(head: bytes) -> dict[bytes, bytes]:
    pairs = (line.partition(b":") for line in head.splitlines()[1:])
    return {name.strip().lower(): value.strip() for name, _, value in pairs}


def _pass(stream: BinaryIO, left: int) -> None:
    while left > 0 and (chunk := stream.read(min(CHUNK, left))):
        left -= len(chunk)


def _opened(head: bytes, block: bytes) -> ArcWarcRecord | None:
    try:
        return next(iter(ArchiveIterator(io.BytesIO(head + block + b"\r\n\r\n"))), None)
    except (ArchiveLoadFailed, ValueError, EOFError, IndexError):
        return None


def _examples(number: int, record: ArcWarcRecord, pool: ParsingPool) -> Iterator[Record]:
    url = record.rec_headers.get_header("WARC-Target-URI") or ""
    topic = record.rec_headers.get_header(TOPIC_FIELD) or ""
    path = import_path(topic.strip("/").split("/"))
    headers = record.http_headers
    if record.rec_type == "response" and (headers is None or headers.get_statuscode() != _OK):
        return
    try:
        body = record.content_stream().read(PAGE_LIMITS.max_body_bytes + 1)
    except Exception as error:  # noqa: BLE001 - warcio's decoders raise what their bytes make them
        yield Skipped(number, f"can't be unpacked ({type(error).__name__})")
        return
    if record.rec_type == "conversion":
        title, text = _parted(body.decode("utf-8", "replace"))
        yield make_example(number, path, title=title, url=url, text=text)
        return
    kind = headers.get_header("content-type") or ""
    if kind.partition(";")[0].strip().lower() not in PAGE_LIMITS.types:
        yield Skipped(number, "neither a page nor a text")
        return
    read = read_page_blocking(pool, body[: PAGE_LIMITS.max_body_bytes], url, {"content-type": kind})
    if isinstance(read, WorkFailure):
        yield Skipped(number, f"can't be parsed: {read.detail}")
        return
    yield make_example(number, path, title=read.content.title, url=url, text=read.content.text)


def _parted(text: str) -> tuple[str, str]:
    """Title and text of a conversion, as our archives have them."""
    title, gap, rest = text.partition("\n\n")
    is_title = bool(gap) and "\n" not in title and len(title) <= TITLE_MAX
    return (title, rest) if is_title else ("", text)
