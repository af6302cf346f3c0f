"""Turns the bytes and texts of hostile files into UTF-8 and readable words."""

import codecs
import re
from collections.abc import Iterator

TITLE_LENGTH = 500
DESCRIPTION_LENGTH = 2000
TAG_LENGTH = 100
MAX_TAGS = 50
CHUNK = 1 << 20

DECLARED = re.compile(rb"""(?:charset|encoding)\s*=\s*["']?\s*([\w.:-]{2,40})""", re.I)
UTF16_BOMS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
# The first characters of markup or JSON in UTF-16 without a mark of its byte order.
BARE_UTF16 = dict.fromkeys((b"<\0", b"{\0", b"[\0"), "utf-16-le") | dict.fromkeys(
    (b"\0<", b"\0{", b"\0["), "utf-16-be"
)
# A charset that a file declares in ASCII; others are wrong there or slow (punycode).
CHARSETS = re.compile(r"(iso|cp|ptcp|koi8|gb|big5|euc|shift|mac|johab|hz|tis)", re.I)
# Controls, directional marks, byte order marks, lone surrogates and non-characters.
UNREADABLE = re.compile(
    "[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\u061c\u200e\u200f\u202a-\u202e\u2060-\u206f"
    "\ufeff\ufff9-\ufffb\ufffe\uffff\ud800-\udfff]"
)
SPACES = re.compile(r"\s+")
LINE_ENDS = re.compile(r"\r\n?|[\v\f\x85\u2028\u2029]")


def as_utf8(data: bytes) -> bytes:
    """The same text in UTF-8, without byte order mark and NUL.

    UTF-8 is tried first whatever the file declares, then its declared charset, then
    Windows-1252. A file that is UTF-8 but for a few broken bytes stays UTF-8.
    """
    encoding = _utf16_of(data)
    if encoding is not None:
        data = data.decode(encoding, "replace").encode("utf-8", "replace")
    elif not _decodes(data, "utf-8"):
        encoding, errors = _fallback(data)
        data = b"".join(_transcoded(data, encoding, errors))
    data = data.removeprefix(codecs.BOM_UTF8)
    return data.replace(b"\0", b"") if b"\0" in data else data


def clean_line(text: str, length: int = TITLE_LENGTH) -> str:
    """One readable line: no controls, no directional tricks, single spaces, cut to `length`."""
    readable = UNREADABLE.sub("", text[: 8 * length])
    return SPACES.sub(" ", readable).strip()[:length].rstrip()


def clean_text(text: str, length: int = DESCRIPTION_LENGTH) -> str:
    """Like `clean_line`, but line breaks and indents stay."""
    readable = UNREADABLE.sub("", LINE_ENDS.sub("\n", text[: 8 * length]))
    return readable.strip()[:length].rstrip()


def clean_tags(raw: list[str]) -> tuple[str, ...]:
    """Distinct readable tags in their order."""
    tags = (clean_line(tag, TAG_LENGTH) for tag in raw[: 4 * MAX_TAGS])
    return tuple(dict.fromkeys(tag for tag in tags if tag))[:MAX_TAGS]


def split_tags(raw: str, separators: str = ",|") -> list[str]:
    """Tags of one attribute: by comma or bar if there is one, else by spaces."""
    for separator in separators:
        if separator in raw:
            return raw.split(separator)
    return raw.split()


def _utf16_of(data: bytes) -> str | None:
    if data.startswith(UTF16_BOMS):
        return "utf-16"
    return BARE_UTF16.get(data[:2])


def _decodes(data: bytes, encoding: str) -> bool:
    """Whether all bytes are valid, found chunk by chunk so that no full copy is made."""
    try:
        for _ in _transcoded(data, encoding, "strict"):
            pass
    except (UnicodeError, ValueError):
        return False
    return True


def _transcoded(data: bytes, encoding: str, errors: str) -> Iterator[bytes]:
    decoder = codecs.getincrementaldecoder(encoding)(errors)
    for start in range(0, len(data), CHUNK):
        chunk = decoder.decode(data[start : start + CHUNK], start + CHUNK >= len(data))
        yield chunk.encode("utf-8", "replace")


def _fallback(data: bytes) -> tuple[str, str]:
    if _mostly_utf8(data):
        return "utf-8", "replace"
    declared = _declared_charset(data)
    if declared is not None and _decodes(data, declared):
        return declared, "strict"
    return "cp1252", "replace"


def _mostly_utf8(data: bytes) -> bool:
    """More than four in five non-ASCII characters of the first chunks are good UTF-8."""
    text = data[: 4 * CHUNK].decode("utf-8", "replace")
    broken = text.count("\ufffd")
    return 5 * broken < sum(1 for character in text if character > "\x7f")


def _declared_charset(data: bytes) -> str | None:
    found = DECLARED.search(data[:4096])
    if found is None:
        return None
    try:
        name = codecs.lookup(found[1].decode("ascii", "replace")).name
    except LookupError:
        return None
    return name if CHARSETS.match(name) else None
