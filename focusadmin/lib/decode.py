"""From bytes to text, as browsers do: mark, header, meta, valid UTF-8, then a guess.

Only the encodings of the Web are known here. Python has others (UTF-7, punycode, unicode_escape …)
in which harmless bytes spell markup, or which take quadratic time.
"""

import codecs
import re
from dataclasses import dataclass
from functools import lru_cache

import chardet

_GUESS_BYTES = 32 * 1024
_LEAST_CONFIDENCE = 0.12  # measured: prose in Western languages gets 0.14 and more, noise less
_META_BYTES = 4096
_UTF16_BYTES = 200
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_META = re.compile(
    rb"""<meta[\s/][^>]{0,500}?charset\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{1,40})"""
    rb"""|<\?xml[^>]{0,200}?encoding\s*=\s*["']([a-zA-Z0-9_:.\-]{1,40})""",
    re.IGNORECASE,
)
_COMMENT = re.compile(rb"<!--.*?-->", re.DOTALL)
_HEADER = re.compile(r"""charset\s*=\s*["']?\s*([a-zA-Z0-9_:.\-]{1,40})""", re.IGNORECASE)

# Python's name of what the label says -> Python's name of what browsers read instead.
_BROWSERS_READ = {
    "ascii": "cp1252",
    "iso8859-1": "cp1252",
    "iso8859-9": "cp1254",
    "iso8859-11": "cp874",
    "tis-620": "cp874",
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "big5": "big5hkscs",
    "shift_jis": "cp932",
    "euc_kr": "cp949",
    "utf-16": "utf-16-le",
}
WEB_ENCODINGS = frozenset(
    [
        "utf-8",
        "utf-16-le",
        "utf-16-be",
        "cp866",
        "iso8859-2",
        "iso8859-3",
        "iso8859-4",
        "iso8859-5",
        "iso8859-6",
        "iso8859-7",
        "iso8859-8",
        "iso8859-10",
        "iso8859-13",
        "iso8859-14",
        "iso8859-15",
        "iso8859-16",
        "koi8-r",
        "koi8-u",
        "mac-roman",
        "mac-cyrillic",
        "cp874",
        "cp1250",
        "cp1251",
        "cp1252",
        "cp1253",
        "cp1254",
        "cp1255",
        "cp1256",
        "cp1257",
        "cp1258",
        "gb18030",
        "big5hkscs",
        "cp932",
        "euc_jp",
        "iso2022_jp",
        "cp949",
    ]
)


@dataclass(frozen=True)
class Decoded:
    """The text, and how sure we are of it."""

    text: str
    encoding: str
    source: str  # mark, header, meta, valid, guess, fallback
    has_replacements: bool


def decode(body: bytes, content_type: str = "") -> Decoded:
    """Always a text: NUL, and bytes that do not fit the encoding, become U+FFFD."""
    encoding, source, start = _choose(body, content_type)
    text = body[start:].decode(encoding, errors="replace").replace("\0", "\ufffd")
    return Decoded(text, encoding, source, "\ufffd" in text)


def _choose(body: bytes, content_type: str) -> tuple[str, str, int]:
    for mark, encoding in _MARKS:
        if body.startswith(mark):
            return encoding, "mark", len(mark)
    declared = _declared(body, content_type)
    # A label is believed unless the bytes are plain UTF-8 beyond ASCII: chance cannot produce that.
    if (declared is None or declared[0] != "utf-8") and _is_telling_utf8(body):
        return "utf-8", "valid", 0
    if declared is not None:
        return (*declared, 0)
    if body.isascii() and b"\0" not in body[:_UTF16_BYTES]:
        return "utf-8", "valid", 0
    return _guess(body)


def _declared(body: bytes, content_type: str) -> tuple[str, str] | None:
    header = _HEADER.search(content_type)
    encoding = web_encoding(header[1]) if header else None
    if encoding:
        return encoding, "header"
    metas = _META.finditer(_COMMENT.sub(b"", body[:_META_BYTES]))
    labels = (web_encoding((meta[1] or meta[2]).decode("ascii")) for meta in metas)
    encoding = next((label for label in labels if label), None)
    # A page whose meta we could read is no UTF-16, whatever it says.
    if encoding in {"utf-16-le", "utf-16-be"}:
        encoding = "utf-8"
    return (encoding, "meta") if encoding else None


@lru_cache(maxsize=512)
def web_encoding(label: str) -> str | None:
    """Python's codec for a label of the Web, or None when browsers do not know it either."""
    if label.lower() in {"x-sjis", "windows-31j"}:
        label = "cp932"
    try:
        name = codecs.lookup(label.lower().removeprefix("x-")).name
    except (LookupError, ValueError):
        return None
    name = _BROWSERS_READ.get(name, name)
    return name if name in WEB_ENCODINGS else None


def _is_telling_utf8(body: bytes) -> bool:
    if body.isascii():
        return False
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A multi-byte character that the end of the body cuts is no sign against UTF-8.
        return (
            error.start >= len(body) - 3 and error.start > 0 and not body[: error.start].isascii()
        )
    return b"\x1b$" not in body


def _guess(body: bytes) -> tuple[str, str, int]:
    zeros_at_odd, zeros_at_even = (body[i:_UTF16_BYTES:2].count(0) for i in (1, 0))
    if max(zeros_at_odd, zeros_at_even) > min(len(body), _UTF16_BYTES) * 0.4:
        return ("utf-16-le" if zeros_at_odd > zeros_at_even else "utf-16-be"), "guess", 0
    if body.isascii():
        return "utf-8", "valid", 0
    guess = chardet.detect(body[:_GUESS_BYTES])
    is_likely = guess["encoding"] and guess["confidence"] > _LEAST_CONFIDENCE
    encoding = web_encoding(guess["encoding"]) if is_likely and guess["encoding"] else None
    return (encoding, "guess", 0) if encoding else ("cp1252", "fallback", 0)
