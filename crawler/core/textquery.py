"""What somebody typed to find pages by their words, and the pieces of a text that show why.

Anything may be typed: words and "quoted phrases" count, all other signs only part words. A page is
found when it has every one of them.
"""

import re
import unicodedata
from dataclasses import dataclass

MOST_TERMS = 12
LONGEST_QUERY = 200
SNIPPET_CHARACTERS = 240
PIECES = 2

_PART = re.compile(r'"([^"]*)"|([^\s"]+)')
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class TextQuery:
    """Each term is one word, or the words of a phrase in their order; never empty."""

    terms: tuple[tuple[str, ...], ...]

    @property
    def phrases(self) -> list[str]:
        return [" ".join(term) for term in self.terms]


def text_query(typed: str) -> TextQuery | None:
    """None when nothing in it is a word.

    >>> text_query('mountain "bicycle tours" -- *').terms
    (('mountain',), ('bicycle', 'tours'))
    """
    parts = _PART.findall(unicodedata.normalize("NFC", typed[:LONGEST_QUERY]))
    terms = [tuple(_WORD.findall(quoted or bare)) for quoted, bare in parts]
    known = tuple(dict.fromkeys(term for term in terms if term))
    return TextQuery(known[:MOST_TERMS]) if known else None


@dataclass(frozen=True)
class Piece:
    """A stretch of text; hits are what the query asked for."""

    text: str
    is_hit: bool = False


def snippet(text: str, query: TextQuery) -> list[Piece]:
    """Up to two stretches around the first hits; the beginning of the text when there is none."""
    folded = _folded(text)
    hits = _hits(folded, query)
    if not hits:
        return [Piece(_cut(text, 0, SNIPPET_CHARACTERS))] if text else []
    pieces: list[Piece] = []
    end = 0
    for hit in hits:
        if hit[0] < end:
            continue
        if len([piece for piece in pieces if piece.text == " … "]) >= PIECES:
            break
        begin = _word_begin(text, max(end, hit[0] - SNIPPET_CHARACTERS // 4))
        stop = _word_end(text, max(hit[1], begin + SNIPPET_CHARACTERS // PIECES))
        if begin > end or not pieces:
            pieces.append(Piece(" … " if begin else ""))
        pieces += _marked(text, begin, stop, hits)
        end = stop
    if end < len(text):
        pieces.append(Piece(" …"))
    return [piece for piece in pieces if piece.text]


def _folded(text: str) -> str:
    """Without case and accents, each character in its place."""
    if text.isascii():
        return text.lower()
    return "".join(_plain(character) for character in text)


def _plain(character: str) -> str:
    base = unicodedata.normalize("NFD", character)[:1].lower()
    return base if len(base) == 1 else character


def _hits(folded: str, query: TextQuery) -> list[tuple[int, int]]:
    """Where the terms stand, the first places of each before anything else."""
    found: list[tuple[int, int]] = []
    for term in query.terms:
        words = r"[\W_]+".join(re.escape(_folded(word)) for word in term)
        matches = re.finditer(rf"(?<![^\W_]){words}(?![^\W_])", folded)
        found += [match.span() for match, _ in zip(matches, range(20), strict=False)]
    return sorted(found)


def _marked(text: str, begin: int, stop: int, hits: list[tuple[int, int]]) -> list[Piece]:
    pieces, at = [], begin
    for first, last in hits:
        if first < at or last > stop:
            continue
        pieces += [Piece(text[at:first]), Piece(text[first:last], is_hit=True)]
        at = last
    return [*pieces, Piece(text[at:stop])]


def _cut(text: str, begin: int, stop: int) -> str:
    end = _word_end(text, stop)
    return text[begin:end] + (" …" if end < len(text) else "")


def _word_begin(text: str, at: int) -> int:
    space = text.rfind(" ", max(0, at - 30), at)
    return space + 1 if space >= 0 else at


def _word_end(text: str, at: int) -> int:
    if at >= len(text):
        return len(text)
    space = text.find(" ", at, at + 30)
    return space if space >= 0 else at
