"""Atom (RFC 4287) and RSS 2.0 from entries whose words are those of strangers.

The trees are built, never pasted together, so that everything is escaped; what XML can't hold at
all is taken out first.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from email.utils import format_datetime
from xml.etree import ElementTree as Xml  # it writes here, and reads nothing

_ATOM = "http://www.w3.org/2005/Atom"
# All that XML 1.0 allows is outside; direction marks are left out, too: readers show titles bare.
_NO_XML = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\ud800-\udfff\ufffe\uffff"
    "\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
_TITLE_LENGTH = 200


@dataclass(frozen=True)
class Entry:
    """One thing to tell. `href` is an address of the Web, or nothing."""

    id: str
    title: str
    href: str | None
    at: datetime
    summary: str


@dataclass(frozen=True)
class Feed:
    id: str
    title: str
    href: str  # of the page that shows the same
    updated: datetime
    entries: Sequence[Entry]


def clean_text(text: str) -> str:
    """Without characters that XML forbids, on one line."""
    return " ".join(_NO_XML.sub("", text).split())


def safe_href(href: str | None) -> str | None:
    """Only addresses of the Web become links."""
    if href is None or not href.lower().startswith(("http://", "https://")):
        return None
    return clean_text(href)


def atom(feed: Feed) -> bytes:
    root = Xml.Element("feed", {"xmlns": _ATOM})
    _leaf(root, "id", feed.id)
    _leaf(root, "title", feed.title)
    _leaf(root, "updated", feed.updated.isoformat())
    Xml.SubElement(root, "link", {"href": feed.href, "rel": "alternate"})
    _leaf(Xml.SubElement(root, "author"), "name", "FocusAdmin")
    for entry in feed.entries:
        item = Xml.SubElement(root, "entry")
        _leaf(item, "id", entry.id)
        _leaf(item, "title", _title(entry))
        _leaf(item, "updated", entry.at.isoformat())
        if href := safe_href(entry.href):
            Xml.SubElement(item, "link", {"href": href, "rel": "alternate"})
        _leaf(item, "summary", entry.summary)
    return _bytes(root)


def rss(feed: Feed) -> bytes:
    root = Xml.Element("rss", {"version": "2.0"})
    channel = Xml.SubElement(root, "channel")
    _leaf(channel, "title", feed.title)
    _leaf(channel, "link", feed.href)
    _leaf(channel, "description", "What a focused crawl has come upon")
    _leaf(channel, "lastBuildDate", format_datetime(feed.updated))
    for entry in feed.entries:
        item = Xml.SubElement(channel, "item")
        _leaf(item, "title", _title(entry))
        if href := safe_href(entry.href):
            _leaf(item, "link", href)
        _leaf(item, "guid", entry.id).set("isPermaLink", "false")
        _leaf(item, "pubDate", format_datetime(entry.at))
        # Readers take a description for HTML: escaped once for that, and once more for XML.
        _leaf(item, "description", _as_html(entry.summary))
    return _bytes(root)


def _leaf(parent: Xml.Element, name: str, text: str) -> Xml.Element:
    leaf = Xml.SubElement(parent, name)
    leaf.text = clean_text(text)
    return leaf


def _title(entry: Entry) -> str:
    title = clean_text(entry.title)
    return title if len(title) <= _TITLE_LENGTH else f"{title[: _TITLE_LENGTH - 1]}…"


def _as_html(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _bytes(root: Xml.Element) -> bytes:
    data: bytes = Xml.tostring(root, encoding="utf-8", xml_declaration=True)
    return data
