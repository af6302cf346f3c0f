"""OPML feed lists, XBEL (KDE, Qt browsers) and RDF item lists (Epiphany)."""

import re
from collections.abc import Iterator

from taxonomy.core.bookmarks.addresses import UnusableAddressError, web_address
from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.markup import (
    Tag,
    attributes,
    is_self_closing,
    tag_pattern,
    tags,
    text_between,
)
from taxonomy.core.bookmarks.mending import BROKEN_OFF, breaks_off
from taxonomy.core.bookmarks.types import BookmarkFileError, FolderPath

OPML_TAGS = tag_pattern("outline")
OPML_ATTRIBUTES = frozenset(
    {"text", "title", "type", "htmlurl", "xmlurl", "url", "description", "category", "created"}
)
XBEL_TAGS = tag_pattern("folder", "bookmark", "title", "desc")
XBEL_ATTRIBUTES = frozenset({"href", "added"})
RDF_TAGS = tag_pattern("item", "_?title", "_?link", "subject", "description", "date")
RDF_ATTRIBUTES = frozenset({"about"})


def read_opml(data: bytes, collector: Collector) -> str:
    """Outlines with an address are bookmarks (the page rather than its feed), others folders."""
    open_folders: list[FolderPath] = [()]
    for tag in _xml_tags(data, OPML_TAGS, collector):
        if tag.closing:
            if len(open_folders) > 1:
                open_folders.pop()
            continue
        folder = _read_outline(attributes(data, tag, OPML_ATTRIBUTES), open_folders[-1], collector)
        if not is_self_closing(data, tag):
            open_folders.append(folder)
    return _ended(data, b"opml", "OPML", collector)


def read_xbel(data: bytes, collector: Collector) -> str:
    """Folders and bookmarks with their titles inside them."""
    _XbelReader(data, collector).read()
    return _ended(data, b"xbel", "XBEL", collector)


def read_rdf(data: bytes, collector: Collector) -> str:
    """A flat list of items; subjects are tags."""
    item: dict[str, list[str]] = {}
    text_start = 0
    for tag in _xml_tags(data, RDF_TAGS, collector):
        name = tag.name.lstrip("_")
        if name == "item":
            _add_item(item, collector)
            about = attributes(data, tag, RDF_ATTRIBUTES).get("about", "")
            item = {} if tag.closing else {"about": [about]}
        elif tag.closing and item:
            item.setdefault(name, []).append(text_between(data, text_start, tag.start))
        text_start = tag.end
    _add_item(item, collector)
    return _ended(data, b"rdf", "RDF", collector)


def _ended(data: bytes, root: bytes, label: str, collector: Collector) -> str:
    if breaks_off(data, root):
        collector.skip(BROKEN_OFF)
    return label


def _xml_tags(data: bytes, pattern: re.Pattern[bytes], collector: Collector) -> Iterator[Tag]:
    """The wanted tags; a document with entities of its own is refused, not expanded."""
    if b"<!ENTITY" in data:
        raise BookmarkFileError(
            "This XML file declares its own entities, which bookmark files never need. "
            "It is not read for safety; export it again or remove the declarations."
        )
    for tag in tags(data, pattern):
        collector.count_part()
        yield tag


def _read_outline(outline: dict[str, str], parent: FolderPath, collector: Collector) -> FolderPath:
    if outline.get("type") == "rule":  # how Liferea defines its searches
        return parent
    name = outline.get("title") or outline.get("text", "")
    addresses = [outline[key] for key in ("htmlurl", "url", "xmlurl") if outline.get(key)]
    if not addresses:
        return collector.folder(parent, name)
    collector.add(
        _first_web_address(addresses),
        name,
        parent,
        description=outline.get("description", ""),
        tags=outline.get("category", "").split(","),
        added=outline.get("created"),
    )
    return parent


def _first_web_address(addresses: list[str]) -> str:
    for address in addresses:
        try:
            return web_address(address, allow_private=True)
        except UnusableAddressError:
            continue
    return addresses[0]


def _add_item(item: dict[str, list[str]], collector: Collector) -> None:
    if not item:
        return
    first = {name: texts[0] for name, texts in item.items()}
    collector.add(
        first.get("link") or first.get("about", ""),
        first.get("title", ""),
        description=first.get("description", ""),
        tags=item.get("subject", []),
        added=first.get("date"),
    )


class _XbelReader:
    """A title belongs to whatever was opened last and not closed: a bookmark or a folder."""

    def __init__(self, data: bytes, collector: Collector) -> None:
        self.data = data
        self.collector = collector
        self.folder: FolderPath = ()
        self.open_folders: list[FolderPath] = []
        self.bookmark: dict[str, str] | None = None
        self.is_named = True
        self.text_start = 0

    def read(self) -> None:
        for tag in _xml_tags(self.data, XBEL_TAGS, self.collector):
            if tag.name == "bookmark":
                self.handle_bookmark(tag)
            elif tag.name == "folder":
                self.handle_folder(tag)
            elif tag.closing:
                self.handle_text(tag.name, text_between(self.data, self.text_start, tag.start))
            self.text_start = tag.end
        self.finish_bookmark()

    def handle_bookmark(self, tag: Tag) -> None:
        self.finish_bookmark()
        if not tag.closing:
            self.bookmark = attributes(self.data, tag, XBEL_ATTRIBUTES)

    def handle_folder(self, tag: Tag) -> None:
        self.finish_bookmark()
        self.is_named = tag.closing
        if not tag.closing:
            if not is_self_closing(self.data, tag):
                self.open_folders.append(self.folder)
        elif self.open_folders:
            self.folder = self.open_folders.pop()

    def handle_text(self, name: str, text: str) -> None:
        if self.bookmark is not None:
            self.bookmark.setdefault(name, text)
        elif name == "title" and self.open_folders and not self.is_named:
            self.folder = self.collector.folder(self.folder, text)
            self.is_named = True

    def finish_bookmark(self) -> None:
        found, self.bookmark = self.bookmark, None
        if found is not None:
            self.collector.add(
                found.get("href", ""),
                found.get("title", ""),
                self.folder,
                description=found.get("desc", ""),
                added=found.get("added"),
            )
