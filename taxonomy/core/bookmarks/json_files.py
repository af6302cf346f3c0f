"""Bookmarks in JSON: Chrome, Firefox, Pinboard, Delicious, wallabag and their relatives.

All of them are trees or lists of objects that differ only in the names of their fields, so one
walk reads every kind, and unknown exporters with usual names too.
"""

import json
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from taxonomy.core.bookmarks.cleaning import split_tags
from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.mending import mended_json
from taxonomy.core.bookmarks.types import BookmarkFileError, FolderPath

Node = dict[str, Any]

URL_KEYS = ("url", "uri", "href", "link", "given_url", "resolved_url")
TITLE_KEYS = ("title", "name", "given_title", "resolved_title")
NOTE_KEYS = ("description", "excerpt", "note", "notes")
DATE_KEYS = (
    *("add_date", "dateAdded", "date_added", "time", "time_added", "added"),
    *("created", "created_at", "createdAt"),
)
CHILD_KEYS = (
    *("roots", "children", "folders", "collections", "bookmarks", "items", "links"),
    *("entries", "list", "data", "_embedded"),
)
FOLDER_TYPES = ("folder", "text/x-moz-place-container")
FIREFOX_TAGS = "tagsFolder"


def read_json(data: bytes, collector: Collector) -> str:
    """Walks the whole document without recursion; depth costs nothing."""
    try:
        document: object = json.loads(data, strict=False)  # tabs and the like are forgiven
    except RecursionError:
        raise _refusal("is nested deeper than any bookmark file") from None
    except ValueError as error:
        return _read_damaged(data, error, collector)
    _JsonReader(collector, _firefox_tags(document)).read(document)
    return _label(document)


def _read_damaged(data: bytes, error: ValueError, collector: Collector) -> str:
    """What is whole is read; what is not is counted."""
    damage = error.pos if isinstance(error, json.JSONDecodeError) else 0
    mended = mended_json(data.decode("utf-8", "replace"), damage)
    reader = _JsonReader(collector, _firefox_tags(mended.beginning))
    for part in (mended.beginning, *mended.behind):
        reader.read(part)
    if not collector.bookmarks:
        raise _refusal(f"is damaged or incomplete ({str(error)[:100]})")
    for _ in range(max(mended.lost, 1)):
        collector.skip(mended.reason)
    return _label(mended.beginning)


def _refusal(problem: str) -> BookmarkFileError:
    return BookmarkFileError(f"This JSON file {problem}. Export your bookmarks again.")


def _label(document: object) -> str:
    first = document[0] if isinstance(document, list) and document else document
    if not isinstance(first, dict):
        return "JSON list"
    signs = {
        "Chrome JSON": "roots" in first,
        "Firefox JSON": str(first.get("type")).startswith("text/x-moz-place"),
        "Pinboard JSON": "href" in first and "extended" in first,
        "Delicious JSON": "private" in first and "created" in first,
        "wallabag JSON": "is_read" in first or "is_archived" in first,
        "JSON tree": any(key in first for key in CHILD_KEYS),
    }
    return next((label for label, fits in signs.items() if fits), "JSON list")


class _JsonReader:
    """Takes nodes from a stack; the folder of each node stands beside it."""

    def __init__(self, collector: Collector, tags_by_url: dict[str, list[str]]) -> None:
        self.collector = collector
        self.tags_by_url = tags_by_url
        self.waiting: list[tuple[object, FolderPath, bool]] = []

    def read(self, document: object) -> None:
        self.waiting.append((document, (), False))
        while self.waiting:
            self.collector.count_part()
            self.visit(*self.waiting.pop())

    def visit(self, node: object, folder: FolderPath, is_root: bool) -> None:
        if isinstance(node, list):
            self.waiting.extend((child, folder, False) for child in reversed(node))
        elif isinstance(node, str):
            self.collector.add(node, "", folder)
        elif isinstance(node, dict) and node.get("root") != FIREFOX_TAGS:
            self.visit_object(node, folder, is_root)

    def visit_object(self, node: Node, folder: FolderPath, is_root: bool) -> None:
        children = list(_children(node))
        url = _first_text(_with_content(node), URL_KEYS)
        if url is not None and not children:
            self.add(node, url, folder)
            return
        if children or node.get("type") in FOLDER_TYPES:
            is_root = is_root or bool(node.get("root") or node.get("ns_root"))
            name = _first_text(node, TITLE_KEYS) or ""
            path = self.collector.folder(folder, name, root=is_root)
            self.waiting.extend((child, path, root) for child, root in reversed(children))

    def add(self, node: Node, url: str, folder: FolderPath) -> None:
        title, note = _first_text(node, TITLE_KEYS), _first_text(node, NOTE_KEYS)
        if title is None:  # Pinboard calls the title a description, and the description extended
            title, note = note, _first_text(node, ("extended",))
        self.collector.add(
            url,
            title or "",
            folder,
            description=note or _firefox_note(node),
            tags=_tags(node.get("tags")) + self.tags_by_url.get(url, []),
            added=next((node[key] for key in DATE_KEYS if node.get(key)), None),
        )


def _children(node: Node) -> Iterator[tuple[object, bool]]:
    """The children, each with whether it is one of the browser's own containers."""
    for key in CHILD_KEYS:
        value = node.get(key)
        if isinstance(value, list):
            yield from ((child, False) for child in value)
        elif isinstance(value, dict):
            parts = value.values() if key == "roots" else [value]
            yield from ((part, key == "roots") for part in parts if isinstance(part, dict))


def _with_content(node: Node) -> Node:
    """Some exporters keep the address one level down, under `content`."""
    content = node.get("content")
    return {**content, **node} if isinstance(content, dict) else node


def _first_text(node: Node, keys: tuple[str, ...]) -> str | None:
    """The first non-empty text, else an empty one if the field is there at all."""
    texts = [value for key in keys if isinstance(value := node.get(key), str)]
    return next((text for text in texts if text), texts[0] if texts else None)


def _tags(raw: object) -> list[str]:
    if isinstance(raw, str):
        return split_tags(raw)
    if not isinstance(raw, list):
        return []
    return [name for tag in raw[:1000] if (name := _tag_name(tag))]


def _tag_name(tag: object) -> str:
    if isinstance(tag, dict):
        return _first_text(tag, ("name", "label", "title", "slug")) or ""
    return tag if isinstance(tag, str) else ""


def _firefox_note(node: Node) -> str:
    """Older Firefox backups keep descriptions among the annotations."""
    annotations = node.get("annos")
    for note in annotations if isinstance(annotations, list) else []:
        if isinstance(note, dict) and note.get("name") == "bookmarkProperties/description":
            return str(note.get("value") or "")
    return ""


def _firefox_tags(document: object) -> dict[str, list[str]]:
    """Older Firefox backups list the addresses of each tag in a folder of that name."""
    tags_by_url: defaultdict[str, list[str]] = defaultdict(list)
    for top in _objects_under(document):
        if top.get("root") == FIREFOX_TAGS:
            for tag in _objects_under(top):
                for entry in _objects_under(tag):
                    tags_by_url[str(entry.get("uri"))].append(str(tag.get("title") or ""))
    return tags_by_url


def _objects_under(node: object) -> list[Node]:
    children = node.get("children") if isinstance(node, dict) else None
    return [child for child in children or [] if isinstance(child, dict)]
