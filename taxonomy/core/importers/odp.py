"""The Open Directory's RDF dumps, structure and content alike.

The dumps have gigabytes and are not always well formed. So the file as a whole is never parsed
as XML: it is cut at the starts and ends of `Topic` and `ExternalPage` elements, and each such
block is parsed alone. A prolog or document type is between blocks and never seen by the parser,
so no entity can be declared; a broken block costs only itself.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import BinaryIO
from xml.parsers import expat

from taxonomy.core.importers.sources import CHUNK, LINE_MAX, TOO_LONG
from taxonomy.core.records import Record, Skipped, import_path, make_example, make_topic
from taxonomy.core.tree import DEPTH_MAX, NAME_MAX

BLOCK_MAX = LINE_MAX
TOPIC_MAX = NAME_MAX * DEPTH_MAX
ROOT = "Top"

_BOUNDARY = re.compile(rb"<(?:(Topic|ExternalPage)(?=[\s/>])|/(Topic|ExternalPage)\s{0,8}>)")
_BOUNDARY_MAX = 32  # bytes; so much of a chunk's end may be the beginning of a boundary
_EMPTY_ELEMENT = re.compile(rb"<[^<]*/>")
_DECLARATION = re.compile(r"<!(?!--|\[CDATA\[)")
_NOT_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_FIELDS = {"Title", "Description", "topic"}


@dataclass(frozen=True, slots=True)
class _Block:
    line: int
    name: str
    xml: bytes


@dataclass(slots=True)
class _Element:
    """What the parser found in one block."""

    attributes: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)


def read_odp(stream: BinaryIO) -> Iterator[Record]:
    """The topics and example pages of a structure or content dump."""
    for block in _Cutter(stream).blocks():
        if isinstance(block, Skipped):
            yield block
        else:
            yield from _block_records(block)


class _Cutter:
    """Cuts the stream into blocks while it holds little more than one block and one chunk."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._held = b""
        self._scanned = 0  # boundaries before this offset of what is held are dealt with
        self._start = 0  # where the open block began
        self._name = b""  # the open block's element; empty between blocks
        self._counted = 0  # line ends before this offset are in `_line`
        self._line = 1

    def blocks(self) -> Iterator[_Block | Skipped]:
        while chunk := self._stream.read(CHUNK):
            self._held += chunk
            yield from self._cut()
            if self._name and len(self._held) - self._start > BLOCK_MAX:
                yield self._skip(f"the element is {TOO_LONG}")
            self._forget()
        yield from self._close_before(len(self._held))

    def _cut(self) -> Iterator[_Block | Skipped]:
        for boundary in _BOUNDARY.finditer(self._held, self._scanned):
            start, end = boundary.groups()
            if start:
                yield from self._close_before(boundary.start())
                self._start, self._name = boundary.start(), start
            elif self._name == end:
                yield self._close(boundary.end())
            self._scanned = boundary.end()

    def _close_before(self, end: int) -> Iterator[_Block | Skipped]:
        """A block without an end tag is whole only if it is a single empty-element tag."""
        if self._name:
            tag = _EMPTY_ELEMENT.match(self._held, self._start, end)
            yield self._close(tag.end()) if tag else self._skip("the element has no end")

    def _close(self, end: int) -> _Block | Skipped:
        if end - self._start > BLOCK_MAX:
            return self._skip(f"the element is {TOO_LONG}")
        name, self._name = self._name.decode(), b""
        return _Block(self._line_at(self._start), name, self._held[self._start : end])

    def _skip(self, reason: str) -> Skipped:
        self._name = b""
        return Skipped(self._line_at(self._start), reason)

    def _forget(self) -> None:
        """Let go of what is before the open block, or before a boundary that may be half read."""
        self._scanned = max(self._scanned, len(self._held) - _BOUNDARY_MAX)
        keep = self._start if self._name else self._scanned
        self._line_at(keep)
        self._held = self._held[keep:]
        self._start, self._scanned, self._counted = 0, self._scanned - keep, 0

    def _line_at(self, offset: int) -> int:
        self._line += self._held.count(b"\n", self._counted, offset)
        self._counted = offset
        return self._line


def _block_records(block: _Block) -> Iterator[Record]:
    text = _NOT_XML.sub("", block.xml.decode("utf-8", "replace"))
    if _DECLARATION.search(text):
        yield Skipped(block.line, "the element has a declaration in it")
        return
    try:
        element = _parse(text)
    except expat.ExpatError as error:
        yield Skipped(block.line, f"malformed XML: {expat.ErrorString(error.code)}")
        return
    yield from (_topic if block.name == "Topic" else _page)(block.line, element)


def _parse(text: str) -> _Element:
    """The block's own attributes and the texts of its first child of each kind we use."""
    element = _Element()
    depth, pieces = 0, [""]

    def start(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth, pieces
        depth += 1
        if depth == 1:
            element.attributes = {_local(key): value for key, value in attributes.items()}
        elif depth == 2:
            pieces = []

    def end(name: str) -> None:
        nonlocal depth
        if depth == 2 and (kind := _local(name)) in _FIELDS:
            element.texts.setdefault(kind, "".join(pieces))
        depth -= 1

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler = lambda text: pieces.append(text)
    parser.Parse(text, True)
    return element


def _local(name: str) -> str:
    return name.rpartition(":")[2]


def _topic(line: int, element: _Element) -> Iterator[Record]:
    name = element.attributes.get("id", "").strip()
    if not name or len(name) > TOPIC_MAX:
        yield Skipped(line, "the topic has no usable r:id")
    elif path := _path(name):
        yield from make_topic(line, path, description=element.texts.get("Description", ""))
    elif name != ROOT:
        yield Skipped(line, "the topic has no name")


def _page(line: int, element: _Element) -> Iterator[Record]:
    topic = element.texts.get("topic", "").strip()
    if not topic or len(topic) > TOPIC_MAX:
        yield Skipped(line, "the page has no usable topic")
        return
    yield make_example(
        line,
        _path(topic),
        title=element.texts.get("Title", ""),
        url=element.attributes.get("about", ""),
        text=element.texts.get("Description", ""),
    )


@lru_cache(maxsize=1024)  # pages follow each other by topic
def _path(topic: str) -> tuple[str, ...]:
    names = topic.strip("/").split("/")
    return import_path(names[1:] if names[0] == ROOT else names)
