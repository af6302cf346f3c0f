"""A tokenizer for the few tags of bookmark files, HTML or XML, in time linear in the size.

Only the tags asked for are looked at; what lies between them is text. Entities are decoded one
by one and declarations are never followed, so no document can make the text grow.
"""

import html
import re
from collections.abc import Iterator
from html.entities import html5
from itertools import islice
from typing import NamedTuple

TEXT_BYTES = 20_000
MAX_ATTRIBUTES = 200
# A tag that never ends makes us read to the end of the file; so often is that forgiven.
FORGIVEN = 5

TAG_END = re.compile(rb"""(?:[^"'>]++|"[^"]*+"|'[^']*+')*+>""")
ATTRIBUTE = re.compile(rb"""([^\s=>"'/<]++)(?:\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s>"']++)))?+""")
INNER_TAG = re.compile(rb"<[^<>]*+>")
ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[a-zA-Z][a-zA-Z0-9]{1,31});")


class Tag(NamedTuple):
    """One tag and where it stands."""

    name: str
    closing: bool
    start: int
    body: int
    end: int


def tag_pattern(*names: str) -> re.Pattern[bytes]:
    """What to look for: these tags, with any namespace prefix, and comments."""
    wanted = "|".join(names).encode()
    return re.compile(rb"<(?:(/?)(?:\w{1,20}:)?(" + wanted + rb")(?=[\s/>])|!--)", re.I)


def tags(data: bytes, pattern: re.Pattern[bytes]) -> Iterator[Tag]:
    """The tags in their order, those within comments left out."""
    position, unfinished, comments_end = 0, 0, True
    while found := pattern.search(data, position):
        position = found.end()
        if found[2] is None:
            end = data.find(b"-->", position) if comments_end else -1
            comments_end = end >= 0
            position = end + 3 if comments_end else position
            continue
        complete = TAG_END.match(data, position) if unfinished < FORGIVEN else None
        unfinished += complete is None
        end = complete.end() if complete else data.find(b">", position) + 1
        if not end:
            return
        yield Tag(found[2].decode().lower(), bool(found[1]), found.start(), position, end)
        position = end


def is_self_closing(data: bytes, tag: Tag) -> bool:
    """Whether the tag ends itself, as in <outline … />."""
    return data.endswith(b"/", tag.body, tag.end - 1)


def attributes(data: bytes, tag: Tag, wanted: frozenset[str]) -> dict[str, str]:
    """The wanted attributes by lower-case name without prefix; the first of a kind counts."""
    values: dict[str, str] = {}
    for found in islice(ATTRIBUTE.finditer(data, tag.body, tag.end - 1), MAX_ATTRIBUTES):
        name = found[1][-60:].decode("utf-8", "ignore").lower().rpartition(":")[2]
        if name in wanted and name not in values:
            raw = found[found.lastindex or 0][:TEXT_BYTES] if found.lastindex != 1 else b""
            values[name] = unescape(raw.decode("utf-8", "ignore"))
    return values


def text_between(data: bytes, start: int, end: int) -> str:
    """The words between two places, without tags and with entities decoded."""
    raw = data[start : min(end, start + TEXT_BYTES)]
    if b"<" in raw:
        raw = INNER_TAG.sub(b"", raw.replace(b"<![CDATA[", b"").replace(b"]]>", b""))
    return unescape(raw.decode("utf-8", "ignore"))


def unescape(text: str) -> str:
    """Decodes complete entities only: `?a=1&copy=2` in an address stays as it is."""
    return ENTITY.sub(_decoded, text) if "&" in text else text


def _decoded(found: re.Match[str]) -> str:
    entity = found[0]
    return html.unescape(entity) if entity[1] == "#" or entity[1:] in html5 else entity
