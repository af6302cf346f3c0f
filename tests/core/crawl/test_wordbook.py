"""Words counted by number: the same figures as from the text itself."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core import wordbook
from crawler.core.wordbook import WordBook
from focusadmin.lib.duplicates import word_hashes
from taxonomy.core.features import Vocabulary

VOCABULARY = Vocabulary(["planet", "moons", "naïve", "ab", "ας"])
PIECES = [
    "Planet's",
    "moons,",
    "MOONS",
    "naïve“quotes”",
    "x",
    "9",
    "--",
    "ab-AB",
    "ΑΣ",
    "ΟΣ.ΟΣ",
    "İ",
    "月",
]


def counted(book: WordBook, texts: list[str]):
    return book.counts(book.numbered(text.split() for text in texts))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.lists(st.sampled_from(PIECES) | st.text(max_size=6)).map(" ".join), max_size=5))
def test_counts_are_those_of_the_vocabulary(texts):
    book = WordBook(VOCABULARY)
    for _ in range(2):  # all words new, then all known
        ours, expected = counted(book, texts), VOCABULARY.counts(texts)
        assert (ours.matrix != expected.matrix).nnz == 0
        assert ours.lengths.tolist() == expected.lengths.tolist()
        assert ours.known.tolist() == expected.known.tolist()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sampled_from(PIECES)).map(" ".join))
def test_hashes_are_those_of_the_near_duplicates(text):
    book = WordBook(VOCABULARY)
    numbered = book.numbered([["title"], text.split()])
    assert np.array_equal(book.hashes(numbered.text(1)), word_hashes(text))


@pytest.mark.parametrize(
    ("limit", "words"), [("WORDS_MOST", "a b c d"), ("CHARACTERS_MOST", "abcdef")]
)
def test_a_full_book_is_begun_anew(monkeypatch, limit, words):
    monkeypatch.setattr(wordbook, limit, 3)
    book = WordBook(VOCABULARY)
    book.numbered([words.split()])
    assert book.is_full
    book.begin()
    assert counted(book, ["moons planet moons"]).matrix.toarray().tolist() == [[1, 2, 0, 0, 0]]
    assert len(book) == 3  # with the empty word that is always there
