"""A bookmarks file that leads into the demo web, as a browser would write it."""

from collections.abc import Iterable, Iterator
from html import escape

from crawler.core.demoweb.catalogue import DemoPage
from crawler.core.demoweb.web import DemoWeb

FOLDERS = {
    "Bikes": (("/Recreation/Cycling", 15),),
    "Health": (("/Health/First_Aid", 3), ("/Health/Fitness", 2)),
    "Misc": (("/Home/Cooking", 2), ("/News", 1), ("/Science", 1)),
}


def sample_bookmarks(web: DemoWeb, port: int) -> bytes:
    """About 24 bookmarks in three folders, most of them of the cycling community."""
    folders = (
        f"    <DT><H3>{escape(name)}</H3>\n    <DL><p>\n{''.join(_lines(web, port, wanted))}"
        "    </DL><p>\n"
        for name, wanted in FOLDERS.items()
    )
    return (
        "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n"
        '<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">\n'
        f"<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n{''.join(folders)}</DL><p>\n"
    ).encode()


def _lines(web: DemoWeb, port: int, wanted: Iterable[tuple[str, int]]) -> Iterator[str]:
    for topic, number in wanted:
        for page in web.start_pages(topic, number):
            yield _line(page, port)


def _line(page: DemoPage, port: int) -> str:
    address = escape(page.place.url(port))
    return f'        <DT><A HREF="{address}">{escape(page.title)}</A>\n'
