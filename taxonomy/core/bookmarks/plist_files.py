"""Safari's own Bookmarks.plist, as XML or binary."""

import plistlib
from typing import Any
from xml.parsers.expat import ExpatError

from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.mending import BROKEN_OFF, mended_plist
from taxonomy.core.bookmarks.types import BookmarkFileError, FolderPath

ROOT_TITLES = ("BookmarksBar", "BookmarksMenu", "com.apple.ReadingList")
DAMAGED = (
    "This property list cannot be read. In Safari choose File, Export Bookmarks, "
    "and use the HTML file."
)


def read_plist(data: bytes, collector: Collector) -> str:
    """Walks folders (Children) and leaves (URLString); the library refuses XML entities."""
    waiting: list[tuple[object, FolderPath]] = [(_load(data, collector), ())]
    while waiting:
        collector.count_part()
        node, folder = waiting.pop()
        if not isinstance(node, dict):
            continue
        children = node.get("Children")
        if isinstance(children, list):
            path = _open_folder(node, folder, collector)
            waiting.extend((child, path) for child in reversed(children))
        elif "URLString" in node:
            _add_leaf(node, folder, collector)
    return "Safari plist"


def _load(data: bytes, collector: Collector) -> object:
    try:
        return _parsed(data)
    except BookmarkFileError:
        mended = mended_plist(data)
        if mended is None:
            raise
        document = _parsed(mended)
        collector.skip(BROKEN_OFF)
        return document


def _parsed(data: bytes) -> object:
    try:
        return plistlib.loads(data)
    except (ValueError, ExpatError, RecursionError, MemoryError, OverflowError) as error:
        raise BookmarkFileError(DAMAGED) from error
    except (AttributeError, LookupError, TypeError) as error:
        # plistlib meets malformed documents with these, too
        raise BookmarkFileError(DAMAGED) from error


def _open_folder(node: dict[str, Any], parent: FolderPath, collector: Collector) -> FolderPath:
    title = str(node.get("Title") or "")
    return collector.folder(parent, title, root=not parent and title in ROOT_TITLES)


def _add_leaf(node: dict[str, Any], folder: FolderPath, collector: Collector) -> None:
    names, reading = node.get("URIDictionary"), node.get("ReadingList")
    names = names if isinstance(names, dict) else {}
    reading = reading if isinstance(reading, dict) else {}
    collector.add(
        str(node["URLString"]),
        str(names.get("title") or ""),
        folder,
        description=str(reading.get("PreviewText") or ""),
        added=reading.get("DateAdded"),
    )
