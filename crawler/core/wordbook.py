"""Words to counts for whoever reads page after page: each word is taken apart once, not each time.

Most words of a page were met on pages before, and most words around a link stand in the page as
well. So a word as it is written (`Cycling,`) gets a number, and under its number is kept what
`features.tokens` and the vocabulary make of it. The counts are those of `Vocabulary.counts`.
"""

import zlib
from array import array
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import sparse

from focusadmin.lib.duplicates import Words
from taxonomy.core.features import SHORTEST_WORD, TermCounts, Vocabulary, tokens

# The book is begun anew beyond these, some 60 MB: a page of ever new words must not fill a child.
WORDS_MOST, CHARACTERS_MOST = 200_000, 10_000_000

Integers = npt.NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Numbered:
    """Texts as numbers of words, one after the other, and where each of them ends."""

    numbers: Integers
    ends: npt.NDArray[np.int64]  # begins with a 0

    def text(self, place: int) -> Integers:
        return self.numbers[self.ends[place] : self.ends[place + 1]]


class WordBook(dict[str, int]):
    """From words to their numbers; a word that is not in it yet is taken in."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        super().__init__()
        self._vocabulary = vocabulary
        self.begin()

    def begin(self) -> None:
        """Forget all words; numbers given out mean nothing any more."""
        self.clear()
        self._characters = 0
        self._columns = array("i")  # of the known parts of all words, one word after the other
        self._ends = array("i", [0])
        self._lengths = array("i")  # parts of two letters or more
        self._hashes = array("I")
        self._take_in("")  # so that none of the arrays is ever empty

    @property
    def is_full(self) -> bool:
        return len(self) > WORDS_MOST or self._characters > CHARACTERS_MOST

    def numbered(self, texts: Iterable[Iterable[str]]) -> Numbered:
        """Texts given as their words."""
        numbers: list[int] = []
        ends = [0]
        for words in texts:
            numbers.extend(map(self.__getitem__, words))
            ends.append(len(numbers))
        return Numbered(np.array(numbers, dtype=np.int32), np.array(ends))

    def counts(self, texts: Numbered) -> TermCounts:
        """What `Vocabulary.counts` finds in these texts."""
        numbers, ends = texts.numbers, texts.ends
        lengths = np.frombuffer(self._lengths, dtype=np.int32)[numbers]
        places = np.frombuffer(self._ends, dtype=np.int32)
        first, sizes = places[numbers], places[numbers + 1] - places[numbers]
        known_before = np.concatenate(([0], np.cumsum(sizes)))
        rows = known_before[ends]
        # Where each known part stands: its word's first place, and as many on as it is in the word.
        inside = np.arange(known_before[-1]) - np.repeat(known_before[:-1], sizes)
        columns = np.array(self._columns, dtype=np.int32)[np.repeat(first, sizes) + inside]
        ones = np.ones(len(columns), dtype=np.float32)
        shape = (len(ends) - 1, len(self._vocabulary))
        matrix = sparse.csr_matrix((ones, columns, rows), shape=shape)
        matrix.sum_duplicates()
        total = np.concatenate(([0], np.cumsum(lengths)))[ends]
        return TermCounts(matrix, np.diff(total), np.diff(rows))

    def hashes(self, numbers: Integers) -> Words:
        """What `duplicates.word_hashes` makes of these words."""
        return np.frombuffer(self._hashes, dtype=np.uint32)[numbers].astype(np.uint64)

    def __missing__(self, word: str) -> int:
        return self._take_in(word)

    def _take_in(self, word: str) -> int:
        parts = tokens(word)
        columns = map(self._vocabulary.column, parts)
        self._columns.extend(column for column in columns if column is not None)
        self._ends.append(len(self._columns))
        self._lengths.append(sum(len(part) >= SHORTEST_WORD for part in parts))
        self._hashes.append(zlib.crc32(word.lower().encode("utf-8", "replace")))
        self._characters += len(word)
        number = self[word] = len(self)
        return number
