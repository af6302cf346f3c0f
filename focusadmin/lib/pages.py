"""Pages, read in a parsing child: the task on the child's side, the call on the parent's."""

import codecs
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from focusadmin.lib.decode import WEB_ENCODINGS
from focusadmin.lib.duplicates import signature
from focusadmin.lib.html import PageContent, PageLink, read_page
from focusadmin.lib.parsing_pool import ParsingPool
from focusadmin.lib.parsing_worker import WorkFailure

_HEADERS = ("content-type", "x-robots-tag")  # all that reading a page needs


@dataclass(frozen=True, slots=True)
class ReadPage:
    """A page's content and its near-duplicate signature."""

    content: PageContent
    signature: tuple[int, ...] = field(repr=False)


def prepare(setup: dict[str, Any]) -> None:
    """Load what is loaded lazily, by use: the child can open no file later."""
    meta = {"url": "http://prepare.invalid/", "headers": {}, "is_plain": False}
    for text, codec in _SAMPLES:
        page_task(meta, f"<title>{text}</title><p>{40 * text}".encode(codec))
    for codec in WEB_ENCODINGS:
        codecs.lookup(codec)


# An encoding that is declared nowhere wakes the detector, a language that is not, the identifier.
_SAMPLES = (
    ("un été à l'école, où l'élève étudie. ", "cp1252"),
    ("всякое слово про велосипед ", "koi8-r"),
    ("自転車についての言葉 ", "euc_jp"),
)


def page_task(meta: dict[str, Any], body: bytes) -> dict[str, Any]:
    """In the child: everything that is kept of the page, as JSON can carry it."""
    content = read_page(body, meta["url"], meta["headers"], is_plain=meta["is_plain"])
    links = [[link.url, link.anchor, link.context, link.is_nofollow] for link in content.links]
    fields = {name: getattr(content, name) for name in _FIELDS}
    return {**fields, "links": links, "signature": signature(content.text)}


_FIELDS = tuple(name for name in PageContent.__slots__ if name not in {"links", "words"})


async def read_page_in(
    pool: ParsingPool, body: bytes, url: str, headers: Mapping[str, str]
) -> ReadPage | WorkFailure:
    """Read a page in a child; when that one dies over it, once more without a parser."""
    answer = await pool.run(_meta(url, headers, is_plain=False), body)
    if isinstance(answer, WorkFailure):
        answer = await pool.run(_meta(url, headers, is_plain=True), body)
    return answer if isinstance(answer, WorkFailure) else _read(answer)


def read_page_blocking(
    pool: ParsingPool, body: bytes, url: str, headers: Mapping[str, str]
) -> ReadPage | WorkFailure:
    """The same for code without an event loop."""
    answer = pool.run_blocking(_meta(url, headers, is_plain=False), body)
    if isinstance(answer, WorkFailure):
        answer = pool.run_blocking(_meta(url, headers, is_plain=True), body)
    return answer if isinstance(answer, WorkFailure) else _read(answer)


def _meta(url: str, headers: Mapping[str, str], *, is_plain: bool) -> dict[str, Any]:
    kept = {name: headers[name] for name in _HEADERS if name in headers}
    return {"url": url, "headers": kept, "is_plain": is_plain}


def _read(answer: dict[str, Any]) -> ReadPage:
    numbers = tuple(answer.pop("signature"))
    links = tuple(PageLink(*link) for link in answer.pop("links"))
    return ReadPage(PageContent(**answer, links=links), numbers)
