"""Gathers what a reader finds: cleans, counts, drops duplicates and keeps the limits."""

from collections import Counter

from taxonomy.core.bookmarks.addresses import Allowed, UnusableAddressError, web_address
from taxonomy.core.bookmarks.cleaning import clean_line, clean_tags, clean_text
from taxonomy.core.bookmarks.dates import seconds_of
from taxonomy.core.bookmarks.types import (
    MAX_BOOKMARKS,
    MAX_DEPTH,
    MAX_FOLDERS,
    MAX_PARTS,
    Bookmark,
    BookmarkFile,
    BookmarkFileError,
    FolderPath,
    SkippedBookmark,
)

FOLDER_NAME_LENGTH = 200


class Collector:
    """The one place where a found link becomes a bookmark."""

    def __init__(self, *, allow_private: bool | Allowed = False) -> None:
        self.allow_private = allow_private
        self.bookmarks: list[Bookmark] = []
        self.folders: dict[FolderPath, FolderPath] = {}
        self.roots: dict[FolderPath, None] = {}
        self.skipped: Counter[str] = Counter()
        self.duplicates = 0
        self._urls: set[str] = set()
        self._places: set[tuple[FolderPath, str]] = set()
        self._links = 0
        self._parts = 0

    def count_part(self) -> None:
        """Called for each piece of the file, so that no file can keep a reader busy for ever."""
        self._parts += 1
        if self._parts > MAX_PARTS:
            raise BookmarkFileError(
                "This file has far more parts than a bookmark file needs. "
                "Export your bookmarks again, or only some of the folders."
            )

    def folder(self, parent: FolderPath, name: str, *, root: bool = False) -> FolderPath:
        """Opens a folder; nameless ones and those too deep add no level of their own."""
        readable = clean_line(name, FOLDER_NAME_LENGTH)
        if not readable or len(parent) >= MAX_DEPTH:
            return parent
        path = self._remember((*parent, readable))
        if root:
            self.roots[path] = None
        return path

    def add(
        self,
        url: str,
        title: str = "",
        folder: FolderPath = (),
        *,
        description: str = "",
        tags: list[str] | None = None,
        added: object = None,
    ) -> None:
        """Keeps one link, or counts why not."""
        self._check_room()
        try:
            address = web_address(url, allow_private=self.allow_private)
        except UnusableAddressError as reason:
            self.skipped[str(reason)] += 1
            return
        if self._is_repeated(address, folder):
            return
        self.bookmarks.append(
            Bookmark(
                url=address,
                title=clean_line(title),
                folder=folder,
                description=clean_text(description),
                tags=clean_tags(tags or []),
                added_at=seconds_of(added),
            )
        )

    def skip(self, reason: str) -> None:
        """Counts an entry that is no link at all."""
        self._check_room()
        self.skipped[reason] += 1

    def finish(self, label: str) -> BookmarkFile:
        """The result; a file in which nothing was found is an error, not an empty success."""
        if not (self.bookmarks or self.folders or self.skipped):
            raise BookmarkFileError(
                f"There are no bookmarks in this file (read as {label}). "
                "Check that you exported the right browser profile or list."
            )
        return BookmarkFile(
            format=label,
            bookmarks=tuple(self.bookmarks),
            folders=tuple(self.folders),
            skipped=tuple(SkippedBookmark(*entry) for entry in self.skipped.most_common()),
            duplicates=self.duplicates,
            roots=tuple(self.roots),
        )

    def _remember(self, path: FolderPath) -> FolderPath:
        known = self.folders.setdefault(path, path)
        if len(self.folders) > MAX_FOLDERS:
            raise BookmarkFileError(
                f"This file has more than {MAX_FOLDERS:,} folders. "
                "Export only the folders you need, or split the file."
            )
        return known

    def _check_room(self) -> None:
        self._links += 1
        if self._links > MAX_BOOKMARKS:
            raise BookmarkFileError(
                f"This file has more than {MAX_BOOKMARKS:,} bookmarks. "
                "Export only the folders you need, or split the file."
            )

    def _is_repeated(self, url: str, folder: FolderPath) -> bool:
        """Counts a known address; true if it is known in this very folder."""
        place = (folder, url)
        if place in self._places:
            self.duplicates += 1
            return True
        if url in self._urls:
            self.duplicates += 1
        self._urls.add(url)
        self._places.add(place)
        return False
