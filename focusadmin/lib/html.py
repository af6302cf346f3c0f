"""What a crawler wants of a page: title, language, text, links with their surroundings, orders.

Runs in a parsing child (see parsing_pool): never call `read_page` on foreign bytes in a process
that matters.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from focusadmin.lib.decode import Decoded, decode
from focusadmin.lib.language import declared_language, guessed_language
from focusadmin.lib.markup import danger_in, plain_text, plain_title
from focusadmin.lib.urls import canonical_url, web_url

MAX_LINKS = 2_000
MAX_TEXT_CHARACTERS = 500_000
MAX_TITLE_CHARACTERS = 500
MAX_ANCHOR_CHARACTERS = 300
MAX_CONTEXT_CHARACTERS = 400
CONTEXT_WORDS = 10  # before the link, and as many after it
MAX_LABEL_WORDS = 60  # of the link itself

# Where a link begins and ends in the text. No page can forge these: decoding leaves no NUL, and the
# character reference for it is read as U+FFFD.
_MARK, _OPENS, _CLOSES = "\0", "(", ")"
_BEGIN, _END = _MARK + _OPENS, _MARK + _CLOSES
# Most links of a page lead where links of pages before it led: 0.16 ms less a page of 45 links.
_LINKS_REMEMBERED, _LONG_LINK = 50_000, 200
_UNSEEN = ["script", "style", "template", "noscript", "svg", "iframe"]
# What browsers take: a number, a separator, perhaps `url=`, perhaps a quotation mark.
_REFRESH = re.compile(
    r"""\s*+[\d.]++(?:\s*+[;,]|\s)\s*+(?:url\s*+=\s*+)?+(['"]?)(?P<url>.+)""",
    re.IGNORECASE | re.DOTALL,
)
_NOFOLLOW = frozenset({"nofollow", "ugc", "sponsored"})


class PageLink(NamedTuple):
    """A link as it stands on the page."""

    url: str  # canonical
    anchor: str
    context: str  # up to ten words before the link, its anchor, and up to ten words after
    is_nofollow: bool
    words: Sequence[str] = ()  # those of `context`, but not cut to so many characters


@dataclass(frozen=True, slots=True)
class PageContent:
    """Everything that is kept of a page."""

    title: str
    description: str
    language: str
    is_language_declared: bool
    text: str = field(repr=False)
    links: tuple[PageLink, ...] = field(repr=False)
    canonical: str | None
    is_noindex: bool
    is_nofollow: bool
    encoding: str
    has_replacements: bool
    plain_because: str | None = None  # why no parser saw this page, if none did
    words: Sequence[str] = field(default=(), repr=False, compare=False)  # those of `text`


def read_page(
    body: bytes, url: str, headers: Mapping[str, str] | None = None, *, is_plain: bool = False
) -> PageContent:
    """Everything of a page; `is_plain` (after a failed try) goes without a parser."""
    headers = headers or {}
    content_type = headers.get("content-type", "")
    decoded = decode(body, content_type)
    if content_type.startswith("text/plain"):
        return _without_parser(decoded, decoded.text, "plain text")
    why = "the parser gave up" if is_plain else danger_in(decoded.text)
    if why:
        return _without_parser(decoded, plain_text(decoded.text), why)
    return _parsed(decoded, url, headers.get("x-robots-tag", ""))


def _without_parser(decoded: Decoded, text: str, why: str) -> PageContent:
    """Text and title only. No links: who needs this path is hostile, or is no hypertext."""
    text = _clean(text[:MAX_TEXT_CHARACTERS])
    return PageContent(
        title=plain_title(decoded.text)[:MAX_TITLE_CHARACTERS],
        description="",
        language=guessed_language(text),
        is_language_declared=False,
        text=text,
        links=(),
        canonical=None,
        is_noindex=False,
        is_nofollow=False,
        encoding=decoded.encoding,
        has_replacements=decoded.has_replacements,
        plain_because=why,
        words=text.split(),
    )


def _parsed(decoded: Decoded, url: str, robots_header: str) -> PageContent:
    tree = LexborHTMLParser(decoded.text)
    head = _Head.of(tree, url)
    language = declared_language(head.lang)
    orders = _orders(f"{head.robots},{robots_header}")
    words, links = _words_and_links(tree, head.base)
    text = " ".join(words)
    if len(text) > MAX_TEXT_CHARACTERS:
        text = text[:MAX_TEXT_CHARACTERS]
        words = text.split()
    refresh = canonical_url(head.refresh, head.base) if head.refresh else None
    if refresh:  # a page that sends on is no redirect: its target waits its turn like any link
        link = PageLink(refresh, head.title, head.title, False, head.title.split())
        links = (*links[: MAX_LINKS - 1], link)
    return PageContent(
        title=head.title,
        description=head.description,
        language=language or guessed_language(text),
        is_language_declared=bool(language),
        text=text,
        links=links,
        canonical=head.canonical,
        is_noindex=bool(orders & {"noindex", "none"}),
        is_nofollow=bool(orders & {"nofollow", "none"}),
        encoding=decoded.encoding,
        has_replacements=decoded.has_replacements,
        words=words,
    )


@dataclass(slots=True)
class _Head:
    """What a page says about itself."""

    base: str
    title: str = ""
    description: str = ""
    lang: str | None = None
    robots: str = ""
    canonical: str | None = None
    refresh: str = ""

    @classmethod
    def of(cls, tree: LexborHTMLParser, url: str) -> "_Head":
        head = cls(base=url)
        root = tree.root
        head.lang = root.attributes.get("lang") if root else None
        for node in tree.css("title, base[href], meta[content], link[rel]"):
            head._take(node, url)
        return head

    def _take(self, node: LexborNode, url: str) -> None:
        attributes = node.attributes
        if node.tag == "title" and not self.title and not _is_in_drawing(node):
            self.title = _clean(node.text())[:MAX_TITLE_CHARACTERS]
        elif node.tag == "base" and self.base == url:
            base = web_url(attributes.get("href") or "", url)
            self.base = str(base) if base else url
        elif node.tag == "meta":
            name = attributes.get("name") or attributes.get("http-equiv") or ""
            self._take_meta(name.lower(), attributes.get("content") or "")
        elif (attributes.get("rel") or "").lower() == "canonical" and not self.canonical:
            self.canonical = canonical_url(attributes.get("href") or "", url)

    def _take_meta(self, name: str, content: str) -> None:
        if name in {"robots", "focusadmin"}:
            self.robots += f",{content}"
        elif name == "description" and not self.description:
            self.description = _clean(content)[:MAX_TITLE_CHARACTERS]
        elif name == "refresh" and not self.refresh and (found := _REFRESH.fullmatch(content)):
            self.refresh = found["url"].partition(found[1] or "\0")[0]


def _is_in_drawing(node: LexborNode) -> bool:
    return node.parent is not None and node.parent.tag not in {"head", "body", "html"}


def _orders(text: str) -> set[str]:
    """The words of robots meta tags and of X-Robots-Tag, those for other agents included."""
    return {word.rpartition(":")[2].strip() for word in text.lower().split(",")}


def _words_and_links(tree: LexborHTMLParser, base: str) -> tuple[list[str], tuple[PageLink, ...]]:
    body = tree.body
    if body is None:
        return [], ()
    tree.strip_tags(_UNSEEN)
    anchors = body.css("a[href], area[href]")[:MAX_LINKS]
    for anchor in anchors:
        anchor.insert_before(_BEGIN)
        anchor.insert_after(_END)
    words, places = _words_and_places(body.text(separator=" "))
    return words, tuple(_links(anchors, words, places, base))


def _words_and_places(marked: str) -> tuple[list[str], list[tuple[int, int]]]:
    """The words of a text, and from which to which word each link goes, in the order they begin."""
    first, *pieces = marked.split(_MARK)
    words = first.split()
    places: list[tuple[int, int]] = []
    unfinished: list[int] = []
    for piece in pieces:
        if piece[0] == _OPENS:
            unfinished.append(len(places))
            places.append((len(words), len(words)))
        else:
            number = unfinished.pop()
            places[number] = (places[number][0], len(words))
        words += piece[1:].split()
    return words, places


def _links(
    anchors: list[LexborNode], words: list[str], places: list[tuple[int, int]], base: str
) -> Iterator[PageLink]:
    parts = web_url(base)
    origin = parts.origin if parts else base
    for (begin, end), anchor in zip(places, anchors, strict=True):
        attributes = anchor.attributes
        url = _link_url((attributes.get("href") or "").strip(), base, origin)
        if url is None:
            continue
        label = words[begin:end] or (attributes.get("title") or _image_text(anchor)).split()
        around = words[max(0, begin - CONTEXT_WORDS) : begin]
        around += label[:MAX_LABEL_WORDS]
        around += words[end : end + CONTEXT_WORDS]
        rel = attributes.get("rel") or ""
        yield PageLink(
            url,
            " ".join(label)[:MAX_ANCHOR_CHARACTERS],
            " ".join(around)[:MAX_CONTEXT_CHARACTERS],
            rel is not None and not _NOFOLLOW.isdisjoint(rel.lower().split()),
            around,
        )


def _link_url(href: str, base: str, origin: str) -> str | None:
    """The canonical URL; remembered under as little of the base as it depends on."""
    if len(href) > _LONG_LINK or len(base) > _LONG_LINK:
        return canonical_url(href, base)
    if href.startswith(("http://", "https://")):
        return _remembered_url(href, None)
    return _remembered_url(href, origin if href.startswith("/") else base)


_remembered_url = lru_cache(_LINKS_REMEMBERED)(canonical_url)


def _image_text(anchor: LexborNode) -> str:
    image = anchor.css_first("img[alt]")
    return (image.attributes.get("alt") or "") if image is not None else ""


def _clean(text: str) -> str:
    return " ".join(text.split())
