"""The best hubs and authorities as bookmarks of a browser and as an outline."""

from collections.abc import Iterable
from itertools import groupby
from typing import IO

from crawler.core.exports.markup import xml_text
from crawler.core.exports.types import BestPage
from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.core.bookmarks.writing import netscape_file

FOLDERS = {"hub": "Hubs", "authority": "Authorities"}


def write_bookmarks(pages: Iterable[BestPage], out: IO[bytes]) -> None:
    marks = [Bookmark(page.url, page.title, (FOLDERS[page.kind],)) for page in pages]
    out.write(netscape_file(marks).encode("utf-8", "replace"))


def write_opml(pages: Iterable[BestPage], out: IO[bytes]) -> None:
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        '<opml version="2.0">',
        "<head><title>Hubs and authorities</title></head>",
        "<body>",
    ]
    for kind, same in groupby(pages, key=lambda page: page.kind):
        lines.append(f'<outline text="{FOLDERS[kind]}">')
        lines += [_outline(page) for page in same]
        lines.append("</outline>")
    out.write("\n".join([*lines, "</body>", "</opml>", ""]).encode("utf-8", "replace"))


def _outline(page: BestPage) -> str:
    url, title = xml_text(page.url), xml_text(page.title or page.url)
    return f'  <outline type="link" text="{title}" url="{url}" htmlUrl="{url}"/>'
