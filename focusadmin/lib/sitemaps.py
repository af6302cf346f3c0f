"""Sitemaps, sitemap indexes and plain lists of URLs.

No XML parser: one linear look for `<loc>`. So there are no entities to expand, nothing external to
load, no depth to exhaust, and a sitemap with one bad byte still gives its other URLs.
"""

import html
import re
from collections import deque
from collections.abc import Iterator
from dataclasses import dataclass

from focusadmin.lib.decode import decode
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.http import Fetcher, HopCheck
from focusadmin.lib.inflate import gunzip
from focusadmin.lib.limits import SITEMAP_LIMITS
from focusadmin.lib.outcomes import FetchResult
from focusadmin.lib.sites import site_of
from focusadmin.lib.urls import canonical_url, host_of

MAX_URLS = 50_000  # what the protocol allows in one file
MAX_FILES = 20
# Every repetition is bounded, and none can give way to its neighbour: linear on any input.
_LOC = re.compile(r"<loc\s{0,9}>(?:\s{0,99}<!\[CDATA\[)?([^<>\]]{1,4000})", re.IGNORECASE)
_IS_INDEX = re.compile(r"<(?:\w{1,20}:)?sitemapindex[\s>]", re.IGNORECASE)


@dataclass(frozen=True)
class Sitemap:
    """URLs of pages, or of further sitemaps when `is_index`."""

    urls: tuple[str, ...]
    is_index: bool


def read_sitemap(body: bytes, content_type: str = "") -> Sitemap:
    """What a sitemap names, canonical and without doubles; rubbish gives an empty one."""
    text = decode(_unpacked(body), content_type).text
    is_index = _IS_INDEX.search(text[:4096]) is not None
    found = (canonical_url(url) for url in _candidates(text))
    return Sitemap(tuple(dict.fromkeys(url for url in found if url)), is_index)


def _unpacked(body: bytes) -> bytes:
    if not body.startswith(b"\x1f\x8b"):
        return body
    try:
        return gunzip(body, max_bytes=SITEMAP_LIMITS.max_body_bytes)
    except FocusAdminError:
        return b""


def _candidates(text: str) -> Iterator[str]:
    if "<" in text[:1024]:
        for count, found in enumerate(_LOC.finditer(text)):
            if count >= MAX_URLS:
                return
            yield html.unescape(found[1])
        return
    yield from text.splitlines()[:MAX_URLS]


async def sitemap_urls(
    fetcher: Fetcher, starts: list[str], *, max_urls: int, hop_check: HopCheck | None = None
) -> list[str]:
    """The pages named by the sitemaps at `starts` and by the indexes below them."""
    waiting, seen = deque(starts), set(starts)
    pages: dict[str, None] = {}
    for _ in range(MAX_FILES):
        if not waiting or len(pages) >= max_urls:
            break
        asked = waiting.popleft()
        outcome = await fetcher.fetch(asked, limits=SITEMAP_LIMITS, hop_check=hop_check)
        if not isinstance(outcome, FetchResult) or not outcome.is_ok:
            continue
        sitemap = read_sitemap(outcome.body, outcome.headers.get("content-type", ""))
        if not sitemap.is_index:
            pages.update(dict.fromkeys(sitemap.urls))
            continue
        # An index speaks for its own site only: nobody may send us to read files of others.
        own = [url for url in sitemap.urls if _site(url) == _site(asked)]
        fresh = [url for url in own[:MAX_FILES] if url not in seen]
        waiting.extend(fresh)
        seen.update(fresh)
    return list(pages)[:max_urls]


def _site(url: str) -> str:
    return site_of(host_of(url))
