"""Reads any bookmark file: finds out what it is by its content and calls the right reader."""

import re
from collections.abc import Callable

from taxonomy.core.bookmarks.addresses import Allowed
from taxonomy.core.bookmarks.adr import read_adr
from taxonomy.core.bookmarks.cleaning import as_utf8, clean_line
from taxonomy.core.bookmarks.collecting import Collector
from taxonomy.core.bookmarks.compressed import MAGIC as COMPRESSED
from taxonomy.core.bookmarks.compressed import unpacked
from taxonomy.core.bookmarks.csv_lists import is_table, is_url_list, read_table, read_url_list
from taxonomy.core.bookmarks.html_files import is_html, read_html
from taxonomy.core.bookmarks.json_files import read_json
from taxonomy.core.bookmarks.plist_files import read_plist
from taxonomy.core.bookmarks.types import MAX_BYTES, BookmarkFile, BookmarkFileError
from taxonomy.core.bookmarks.xml_files import read_opml, read_rdf, read_xbel

Reader = Callable[[bytes, Collector], str]

HEAD = 4096
BINARY_PLIST = b"bplist"
# What people pick by mistake beside the file they wanted.
FOREIGN = {
    b"SQLite format 3\0": "This is a browser's database. Export your bookmarks as HTML from the "
    "browser and use that file.",
    b"PK\x03\x04": "This is a ZIP archive. Unpack it and use the bookmark file inside.",
    b"\x1f\x8b": "This is a compressed file. Unpack it and use the bookmark file inside.",
    b"%PDF": "This is a PDF document. Export your bookmarks as HTML from your browser.",
}
UNKNOWN = (
    "does not look like a bookmark file. Export your bookmarks as HTML from your browser "
    "(bookmark manager, Export), or use a list with one web address per line."
)
ROOT_TAG = re.compile(rb"<(opml|xbel|plist|(?:\w{1,20}:)?rdf)[\s>]", re.I)
XML_READERS: dict[bytes, Reader] = {
    b"opml": read_opml,
    b"xbel": read_xbel,
    b"plist": read_plist,
    b"rdf": read_rdf,
}
JSON_START = re.compile(rb"""\{\s*["}]|\[\s*[\[{\]"]""")


def read_bookmarks(
    data: bytes, name: str = "", *, allow_private: bool | Allowed = False
) -> BookmarkFile:
    """The bookmarks and folders of a file, whatever program wrote it.

    `name` is only used to name the file in errors. Addresses inside a house or machine
    (localhost, 192.168…) are skipped unless `allow_private`, which may judge host and port. Every
    refusal is a `BookmarkFileError` that says what to do.
    """
    _refuse_at_sight(data)
    if data.startswith(COMPRESSED):
        data = unpacked(data)
    collector = Collector(allow_private=allow_private)
    if data.startswith(BINARY_PLIST):
        return collector.finish(read_plist(data, collector))
    text = as_utf8(data)
    reader = _reader_of(text)
    if reader is None:
        shown = f"“{clean_line(name, 80)}”" if clean_line(name, 80) else "This"
        raise BookmarkFileError(f"{shown} {UNKNOWN}")
    return collector.finish(reader(text, collector))


def _refuse_at_sight(data: bytes) -> None:
    if not data.strip():
        raise BookmarkFileError("This file is empty. Export your bookmarks again and try it.")
    if len(data) > MAX_BYTES:
        raise BookmarkFileError(
            f"This file is larger than {MAX_BYTES // 1024**2} MB. "
            "Export only the folders you need, or split the file."
        )
    for magic, advice in FOREIGN.items():
        if data.startswith(magic):
            raise BookmarkFileError(advice)


def _reader_of(text: bytes) -> Reader | None:
    head = text[:HEAD].lstrip()
    if head[:13].lower() == b"opera hotlist":
        return read_adr
    if JSON_START.match(head):
        return read_json
    if head.startswith(b"<") and (root := ROOT_TAG.search(head)):
        return XML_READERS[root[1].lower().rpartition(b":")[2]]
    tests: list[tuple[Callable[[bytes], bool], Reader]] = [
        (is_table, read_table),
        (is_html, read_html),
        (is_url_list, read_url_list),
    ]
    return next((reader for fits, reader in tests if fits(text)), None)
