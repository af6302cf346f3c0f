"""Pages read a second: ours against lxml and BeautifulSoup, and through the killable children.

The same work for all: title, text without scripts, and every link's canonical URL, anchor and the
words around it. Ours also decodes, guards against bombs and reads the orders to robots.
"""

import asyncio
import random
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.report import report
from focusadmin.lib.html import read_page
from focusadmin.lib.pages import page_task, read_page_in
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.urls import canonical_url

URL = "http://www.example.com/section/page.html"


def synthetic_page(seed: int) -> bytes:
    """About 15 KB, 45 links, a menu, paragraphs and a footer."""
    rng = random.Random(seed)
    words = [f"word{rng.randrange(4_000)}" for _ in range(1_000)]
    menu = "".join(f"<li><a href='/menu/{n}'>Menu {n}</a></li>" for n in range(15))
    paragraphs = "".join(
        f"<p class='text'>{' '.join(words[i : i + 30])} <a href='../{i}.html?id={i}'>{words[i]}</a>"
        f"<em>{words[i + 1]}</em>.</p>"
        for i in range(0, 900, 30)
    )
    style = (
        "<style>" + "p { margin: 0 } " * 60 + "</style><script>" + "var x = 1;" * 200 + "</script>"
    )
    return (
        f"<!doctype html><html lang=en><head><title>Page {seed}</title>{style}</head>"
        f"<body><ul>{menu}</ul><main>{paragraphs}</main></body></html>"
    ).encode()


def around(text: str, place: int, anchor: str) -> str:
    before = text[max(0, place - 160) : place].split()[-10:]
    after = text[place + len(anchor) : place + len(anchor) + 160].split()[:10]
    return " ".join([*before, anchor, *after])


def with_contexts(text: str, links: list[tuple[str, str]]) -> list[tuple[str | None, str, str]]:
    """Canonical URL, anchor and context; anchors are looked for in the order of the page."""
    found, place = [], 0
    for href, raw in links:
        anchor = " ".join(raw.split())
        place = max(text.find(anchor, place), place)
        found.append((canonical_url(href, URL), anchor, around(text, place, anchor)))
    return found


def with_lxml() -> Callable[[bytes], object]:
    from lxml import etree, html  # type: ignore[import-untyped]

    def read(body: bytes) -> object:
        tree = html.document_fromstring(body)
        title = tree.findtext(".//title")
        links = [(a.get("href"), a.text_content()) for a in tree.iter("a") if a.get("href")]
        etree.strip_elements(tree, "script", "style", with_tail=False)
        text = " ".join(" ".join(tree.body.itertext()).split())
        return title, text, with_contexts(text, links)

    return read


def with_beautifulsoup() -> Callable[[bytes], object]:
    from bs4 import BeautifulSoup

    def read(body: bytes) -> object:
        soup = BeautifulSoup(body, "lxml")
        links = [(str(a["href"]), a.get_text(" ")) for a in soup.find_all("a", href=True)]
        for unseen in soup(["script", "style"]):
            unseen.decompose()
        text = " ".join(soup.get_text(" ").split())
        return soup.title and soup.title.string, text, with_contexts(text, links)

    return read


def milliseconds(read: Callable[[bytes], object], pages: list[bytes]) -> float:
    times = []
    read(pages[0])
    for _ in range(3):
        began = time.process_time()
        for page in pages:
            read(page)
        times.append((time.process_time() - began) / len(pages) * 1_000)
    return sorted(times)[1]


async def through_children(pages: list[bytes], workers: int) -> tuple[float, float]:
    """Pages a second, and CPU milliseconds a page of the process that asks."""
    async with ParsingPool(workers=workers) as pool:
        await asyncio.gather(*(read_page_in(pool, page, URL, {}) for page in pages[:10]))
        began, used = time.monotonic(), time.process_time()
        await asyncio.gather(*(read_page_in(pool, page, URL, {}) for page in pages))
        seconds, used = time.monotonic() - began, time.process_time() - used
    return len(pages) / seconds, used / len(pages) * 1_000


def main() -> None:
    pages = [synthetic_page(seed) for seed in range(200)]
    meta = {"url": URL, "headers": {}, "is_plain": False}
    ways: dict[str, Callable[[bytes], object]] = {
        "read_page": lambda body: read_page(body, URL),
        "read_page and signature": lambda body: page_task(meta, body),
    }
    for name, make in (("lxml", with_lxml), ("BeautifulSoup (lxml)", with_beautifulsoup)):
        try:
            ways[name] = make()
        except ImportError:
            print(f"{name} is not installed: left out")
    measured = {name: milliseconds(read, pages) for name, read in ways.items()}
    ours = measured["read_page"]
    rows = [
        {"what": name, "CPU ms a page": cost, "pages a second": 1_000 / cost, "ratio": cost / ours}
        for name, cost in measured.items()
    ]
    report("pages", f"Reading pages of {sum(map(len, pages)) // len(pages):,} bytes", rows)
    pooled = []
    for workers in (1, 2):
        rate, parent = asyncio.run(through_children(pages * 5, workers))
        pooled.append(
            {"children": workers, "pages a second": rate, "CPU ms a page in the parent": parent}
        )
    report("pages_pool", "Through the parsing pool", pooled)


if __name__ == "__main__":
    main()
