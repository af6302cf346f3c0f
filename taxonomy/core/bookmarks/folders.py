"""Bookmark folders as topics: what an imported file adds to a taxonomy."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from taxonomy.core.bookmarks.types import Bookmark, BookmarkFile, FolderPath
from taxonomy.core.records import ExampleRecord, TopicRecord, import_path
from taxonomy.core.tree import DEPTH_MAX, name_key

UNSORTED = ("Unsorted",)
# Containers that browsers make themselves, for files that do not mark them as such.
ROOT_NAMES = frozenset(
    name.strip()
    for name in """
    bookmarks|bookmarks bar|bookmarks menu|bookmarks toolbar|bookmarks toolbar folder
    other bookmarks|mobile bookmarks|synced bookmarks|all bookmarks|imported bookmarks
    personal toolbar folder|favorites|favourites|favorites bar|favourites bar|other favorites
    reading list|bookmarksbar|bookmarksmenu|com.apple.readinglist|unlabeled
    lesezeichen|lesezeichenleiste|lesezeichen-leiste|lesezeichen-symbolleiste|lesezeichen-menü
    weitere lesezeichen|andere lesezeichen|mobile lesezeichen|favoriten|favoritenleiste
    weitere favoriten|leseliste|barre de favoris|barre personnelle|autres favoris|favoris
    marque-pages|autres marque-pages|menu signets|menu des marque-pages|barre de signets
    barra de marcadores|otros marcadores|otros favoritos|barra de favoritos|outros favoritos
    barra dei preferiti|altri preferiti|preferiti|bladwijzerbalk|andere bladwijzers
    pasek zakładek|inne zakładki|панель закладок|другие закладки|书签栏|其他书签|收藏夹栏
    ブックマーク バー|その他のブックマーク|お気に入りバー
    """.replace("\n", "|").split("|")
    if name.strip()
)
READING_LISTS = frozenset({"Pocket HTML", "Instapaper CSV"})
READING_STATES = frozenset({"unread", "archive", "read archive", "starred"})


def records(file: BookmarkFile) -> Iterator[TopicRecord | ExampleRecord]:
    """First every folder as a topic, parents before children, then every bookmark as an example.

    Bookmarks outside any folder go to the topic Unsorted. The browser's own containers are left
    out of the paths; if two different folders would then be one, all containers are kept.
    """
    sorted_file = with_tag_folders(file)
    paths = _topic_paths(sorted_file)
    for topic in dict.fromkeys(paths[folder] for folder in sorted_file.folders):
        if topic and topic != UNSORTED:
            yield TopicRecord(topic)
    if any(_topic_of(bookmark, paths) == UNSORTED for bookmark in sorted_file.bookmarks):
        yield TopicRecord(UNSORTED)
    for bookmark in sorted_file.bookmarks:
        yield ExampleRecord(
            _topic_of(bookmark, paths), bookmark.title, bookmark.url, bookmark.description
        )


def with_tag_folders(file: BookmarkFile) -> BookmarkFile:
    """A file without folders but with tags, sorted by each bookmark's most used tag.

    The tag that the file uses most gathers more than the first one does; among equals the
    first one counts. Files with folders stay as they are.
    """
    if file.folders:
        return file
    uses = Counter(tag.casefold() for bookmark in file.bookmarks for tag in bookmark.tags)
    spelling: dict[str, str] = {}
    bookmarks = tuple(_in_tag_folder(bookmark, uses, spelling) for bookmark in file.bookmarks)
    folders = dict.fromkeys(bookmark.folder for bookmark in bookmarks if bookmark.folder)
    return replace(file, bookmarks=bookmarks, folders=tuple(folders))


def _in_tag_folder(bookmark: Bookmark, uses: Counter[str], spelling: dict[str, str]) -> Bookmark:
    if not bookmark.tags:
        return bookmark
    tag = max(bookmark.tags, key=lambda tag: uses[tag.casefold()])
    return replace(bookmark, folder=(spelling.setdefault(tag.casefold(), tag),))


def _topic_of(bookmark: Bookmark, paths: dict[FolderPath, FolderPath]) -> FolderPath:
    return paths.get(bookmark.folder) or UNSORTED


def _topic_paths(file: BookmarkFile) -> dict[FolderPath, FolderPath]:
    """The topic of each folder; folders whose names differ only in case are one topic."""
    paths = _without_roots(file)
    spelling: dict[FolderPath, FolderPath] = {}
    return {
        folder: spelling.setdefault(_key(names), names)
        for folder, path in paths.items()
        for names in [import_path(path)[:DEPTH_MAX]]
    }


def _key(path: FolderPath) -> FolderPath:
    return tuple(name_key(name) for name in path)


def _without_roots(file: BookmarkFile) -> dict[FolderPath, FolderPath]:
    """Each folder's path without a browser's container, unless two folders would be one."""
    shorter = {path: path[1:] if _is_root(path, file) else path for path in file.folders}
    kept = [_key(path) for path in shorter.values() if path]
    if len(kept) > len(set(kept)):
        return {path: path for path in file.folders}
    return shorter


def _is_root(path: FolderPath, file: BookmarkFile) -> bool:
    name = path[0].casefold()
    is_state = file.format in READING_LISTS and name in READING_STATES
    return is_state or name in ROOT_NAMES or path[:1] in file.roots
