"""Files that break off in the middle or are damaged there: what can be read of them is read.

A document of nested parts is cut after the last part that was closed, and what is open there is
closed. In JSON, single objects behind the damage are picked up, too. All of it in linear time.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass

BROKEN_OFF = "cut off where the file ends"
DAMAGED = "in a damaged part of the file"

CLOSERS = {"{": "}", "[": "]"}
# Everything up to and with the next bracket or comma that stands in no string.
TO_MARK = re.compile(r'(?:[^"{}\[\],]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+([{}\[\],])', re.S)
FORGIVEN = 5  # times that we lose our way among quotes
PLIST_PART = re.compile(rb"<(/?)(dict|array)\b[^<>]*?(/?)>")


@dataclass(frozen=True)
class Mended:
    """What is whole in a damaged document: its beginning, and single objects behind the damage."""

    beginning: object
    behind: Sequence[object]
    lost: int

    @property
    def reason(self) -> str:
        return DAMAGED if self.behind or self.lost else BROKEN_OFF


def mended_json(text: str, damage: int) -> Mended:
    """What can be read of a document in which the character number `damage` is wrong."""
    beginning, end = _closed_before(text, damage)
    behind, lost = _leaves(text, max(end, damage))
    return Mended(beginning, behind, lost)


def _closed_before(text: str, damage: int) -> tuple[object, int]:
    """The document up to its last complete value before the damage, and where that ends."""
    opened: list[str] = []
    end, depth, at = 0, 0, 0
    while (found := TO_MARK.match(text, at, damage)) is not None:
        at, mark = found.end(), found[1]
        if mark in CLOSERS:
            opened.append(CLOSERS[mark])
            continue
        if mark != "," and opened:
            opened.pop()
        end, depth = at - (mark == ","), len(opened)
    try:
        return json.loads(text[:end] + "".join(reversed(opened[:depth])), strict=False), end
    except (ValueError, RecursionError):
        return [], 0


def _leaves(text: str, start: int) -> tuple[list[object], int]:
    """Objects without parts, read one by one, and how many of them can't be."""
    found: list[object] = []
    opened, lost, at, lost_ways = -1, 0, start, 0
    while lost_ways < FORGIVEN:
        mark = TO_MARK.match(text, at)
        if mark is None:  # a quote too many: what looked like a string is none, or the other way
            lost_ways, opened = lost_ways + 1, -1
            at = text.find('"', at) + 1 or len(text)
            continue
        at = mark.end()
        if mark[1] == "{":
            opened = at - 1
        elif mark[1] == "}" and opened >= 0:
            try:
                found.append(json.loads(text[opened:at], strict=False))
            except ValueError:
                lost += 1
            opened = -1
    return found, lost


def mended_plist(data: bytes) -> bytes | None:
    """A property list in XML, cut after its last closed part and closed properly."""
    opened: list[bytes] = []
    end, depth = 0, 0
    for tag in PLIST_PART.finditer(data):
        if not tag[1] and not tag[3]:
            opened.append(tag[2])
            continue
        if tag[1] and (not opened or opened.pop() != tag[2]):
            break
        end, depth = tag.end(), len(opened)
    if not end:
        return None
    closing = [b"</" + name + b">" for name in reversed(opened[:depth])]
    return data[:end] + b"".join([*closing, b"</plist>"])


def breaks_off(markup: bytes, root: bytes = b"") -> bool:
    """Whether markup ends within a tag, or without closing its root element."""
    if markup.rfind(b"<") > markup.rfind(b">"):
        return True
    return bool(root) and not re.search(rb"</(?:\w{1,20}:)?" + root + rb"\s*>", markup, re.I)
