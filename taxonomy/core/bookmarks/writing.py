"""Writes bookmarks as the Netscape file that every browser reads."""

from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from taxonomy.core.bookmarks.types import Bookmark

HEAD = (
    "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
    '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n'
    "<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n"
)


def netscape_file(bookmarks: Iterable[Bookmark]) -> str:
    """One folder for each path of folders, in the order of their names."""
    by_folder = sorted(bookmarks, key=lambda mark: mark.folder)
    return f"{HEAD}{''.join(_folders(by_folder))}</DL><p>\n"


def _folders(bookmarks: Iterable[Bookmark]) -> Iterator[str]:
    for folder, marks in groupby(bookmarks, key=lambda mark: mark.folder):
        links = "".join(
            f'<DT><A HREF="{escape(mark.url)}">{escape(mark.title or mark.url)}</A>\n'
            for mark in marks
        )
        opened = "".join(f"<DT><H3>{escape(name)}</H3>\n<DL><p>\n" for name in folder)
        yield f"{opened}{links}{'</DL><p>' * len(folder)}\n"
