"""The words that set a topic apart, from its examples alone."""

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

WORDS_SHOWN = 24
_PRIOR = 0.5
_COMMON_SHARE = 0.1
_FEW = 3
_WORD = re.compile(r"[^\W\d_]{3,30}")


@dataclass(frozen=True, slots=True)
class DistinctiveWord:
    word: str
    score: float


def words_of(text: str) -> Iterator[str]:
    """The words of a text in lower case: letters only, three or more."""
    return (found.group() for found in _WORD.finditer(text.lower()))


def distinctive_words(
    inside: Mapping[str, int], around: Mapping[str, int], limit: int = WORDS_SHOWN
) -> list[DistinctiveWord]:
    """Words by the z-score of their log-odds inside against around.

    log-odds(w) = ln((n + a) / (N - n + a)) - ln((m + a) / (M - m + a)) with n, m the documents that
    have w, N, M the most that any word is in, a the prior; divided by the standard deviation
    sqrt(1 / (n + a) + 1 / (m + a)), so that two chance hits don't outrank twenty steady ones.
    """
    here, there = max(inside.values(), default=0), max(around.values(), default=0)
    too_common = _COMMON_SHARE * there
    scored = (
        DistinctiveWord(word, _z_score(count, here, around.get(word, 0), there))
        for word, count in inside.items()
        if around.get(word, 0) <= too_common  # "you" in every shop page tells nothing
        and (count > 1 or here < _FEW)  # a word of one page among many is chance
    )
    best = sorted(scored, key=lambda found: (-found.score, found.word))
    return [found for found in best[:limit] if found.score > 0]


def _z_score(n: int, here: int, m: int, there: int) -> float:
    odds = math.log((n + _PRIOR) / (here - n + _PRIOR))
    other = math.log((m + _PRIOR) / (there - m + _PRIOR))
    return (odds - other) / math.sqrt(1 / (n + _PRIOR) + 1 / (m + _PRIOR))
