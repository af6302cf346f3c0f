"""A cheap look at markup before a parser sees it, and text without a parser.

Every fast HTML parser takes quadratic time for some input: deep nesting, tags with thousands of
attributes. The look is linear. It is there for speed, not for safety: what it misses runs into the
limits of the child process that parses.
"""

import html
import re

MAX_DEPTH = 512
MAX_ATTRIBUTES = 1_000
MAX_OPTIONS = 10_000
_SMALL_CHARACTERS = 64 * 1024  # what fits in here costs a parser 0.2 s at worst (measured)
_BLOCK = 4096
_TAG = re.compile(r"<(/?)([a-zA-Z][^\s/>]{0,40})")
_NO_END = frozenset(
    [
        "area",
        "base",
        "br",
        "col",
        "embed",
        "hr",
        "img",
        "input",
        "link",
        "meta",
        "param",
        "source",
        "track",
        "wbr",
        "p",
        "li",
        "dt",
        "dd",
        "option",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "colgroup",
        "rp",
        "rt",
        "body",
        "html",
        "head",
    ]
)
_TITLE = re.compile(r"<title[^>]{0,200}>([^<]{0,1000})", re.IGNORECASE)
_LONG_NUMBER = re.compile(r"&#(?=[xX]?[0-9a-fA-F]{9})")  # no character, and costly to read
_UNSEEN = re.compile(r"(script|style|template|noscript)\b", re.IGNORECASE)


def danger_in(text: str) -> str | None:
    """Why `text` should not be given to a parser, or None."""
    if len(text) < _SMALL_CHARACTERS:
        return None
    if _may_be_deep(text) and _depth(text) > MAX_DEPTH:
        return "nested too deeply"
    if _has_crowded_tag(text):
        return "a tag with too many attributes"
    if text.count("<option") > MAX_OPTIONS:
        return "too many options"
    return None


def _may_be_deep(text: str) -> bool:
    """Counts tags by block, which is far cheaper than finding them; true too often is fine."""
    depth = 0
    for start in range(0, len(text), _BLOCK):
        tags = text.count("<", start, start + _BLOCK)
        ends = text.count("</", start, start + _BLOCK)
        if depth + tags - ends > MAX_DEPTH:
            return True
        depth = max(0, depth + tags - 2 * ends)
    return False


def _depth(text: str) -> int:
    depth = deepest = 0
    for found in _TAG.finditer(text):
        if found[2].lower() in _NO_END:
            continue
        depth += -1 if found[1] else 1
        deepest = max(deepest, depth)
        depth = max(depth, 0)
    return deepest


def _has_crowded_tag(text: str) -> bool:
    longest = max(text.split("<"), key=len).partition(">")[0]
    is_tag = longest[:1].isalpha()
    return is_tag and len(longest.split(None, MAX_ATTRIBUTES)) > MAX_ATTRIBUTES


def plain_text(text: str) -> str:
    """What remains when tags, scripts and styles are cut out, in linear time."""
    first, *parts = text.split("<")
    kept = [first]
    unseen = ""
    for part in parts:
        tag, closed, rest = part.partition(">")
        if unseen:
            unseen = "" if tag[:1] == "/" and tag[1:].lower().startswith(unseen) else unseen
            if unseen:
                continue
        elif (found := _UNSEEN.match(tag)) and closed:
            unseen = found[1].lower()
            continue
        kept.append(rest if closed else "")
    return _unescaped(" ".join(kept))


def plain_title(text: str) -> str:
    found = _TITLE.search(text[:200_000])
    return _unescaped(found[1]) if found else ""


def _unescaped(text: str) -> str:
    return " ".join(html.unescape(_LONG_NUMBER.sub("&amp;#", text)).split())
