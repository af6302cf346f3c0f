"""What every bookmark reader returns, and the limits all of them keep."""

from dataclasses import dataclass

from focusadmin.lib.errors import FocusAdminError

MAX_BYTES = 50 * 1024 * 1024
MAX_BOOKMARKS = 200_000
MAX_FOLDERS = 20_000
MAX_DEPTH = 100
# Folders, tags, separators and links together; a real file has about five for each bookmark.
MAX_PARTS = 1_500_000

FolderPath = tuple[str, ...]


class BookmarkFileError(FocusAdminError):
    """The file cannot be read as bookmarks; the text says what to do instead."""


@dataclass(frozen=True, slots=True)
class Bookmark:
    """One saved web page; `added_at` is in seconds since 1970, UTC."""

    url: str
    title: str
    folder: FolderPath = ()
    description: str = ""
    tags: tuple[str, ...] = ()
    added_at: int | None = None


@dataclass(frozen=True, slots=True)
class SkippedBookmark:
    """How many entries were left out for one reason."""

    reason: str
    count: int


@dataclass(frozen=True, slots=True)
class BookmarkFile:
    """Everything that was understood of one file, in the order of the file.

    `folders` holds every folder, also the empty ones, parents first; `roots` those among them
    that the browser made itself (bookmarks bar and the like). `duplicates` counts every further
    appearance of an address: in the same folder it is dropped, in another folder it is kept,
    because one page can be a good example of two topics.
    """

    format: str
    bookmarks: tuple[Bookmark, ...]
    folders: tuple[FolderPath, ...] = ()
    skipped: tuple[SkippedBookmark, ...] = ()
    duplicates: int = 0
    roots: tuple[FolderPath, ...] = ()
