"""A bookmark file as a taxonomy: folders are topics, bookmarks are their examples."""

from collections.abc import Iterator
from typing import BinaryIO

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.types import MAX_BYTES, BookmarkFile, FolderPath
from taxonomy.core.records import Record, Skipped, import_path, make_example, make_topic


def read_bookmark_file(stream: BinaryIO) -> Iterator[Record]:
    """The records of any browser's export; it has no line numbers, so what is skipped has none."""
    found = read_bookmarks(stream.read(MAX_BYTES + 1))
    for folder in found.folders:
        if path := _topic_path(found, folder):
            yield from make_topic(0, path)
    for mark in found.bookmarks:
        path = _topic_path(found, mark.folder)
        yield make_example(0, path, title=mark.title, url=mark.url, text=mark.description)
    yield from (Skipped(0, f"{skip.reason} ({skip.count} times)") for skip in found.skipped)


def _topic_path(found: BookmarkFile, folder: FolderPath) -> tuple[str, ...]:
    """Without the folders that the browser made: nobody chose "Bookmarks bar" as a topic."""
    own = max((len(root) for root in found.roots if folder[: len(root)] == root), default=0)
    return import_path(folder[own:])
