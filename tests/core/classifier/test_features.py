import doctest

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core import features
from taxonomy.core.features import Vocabulary, dampened, documents_with_term, tokens


def test_the_examples_in_the_documentation_hold():
    assert doctest.testmod(features).failed == 0


def test_words_are_lower_case_letters_of_any_script():
    assert tokens("Straße, ÉCOLE; собака 狗是 x2y") == [
        "straße",
        "école",
        "собака",
        "狗是",
        "x",
        "y",
    ]


@given(st.text())
def test_no_text_breaks_the_tokens(text):
    assert all(
        word and not any(c.isspace() or (c.isdigit() and c.isascii()) for c in word)
        for word in tokens(text)
    )


def test_broken_characters_and_long_runs_of_accents_are_harmless():
    assert tokens("word \ud800 word") == ["word", "word"]
    assert len(tokens("a" + "\u0301\u0316" * 200_000)) == 1


def test_counts_know_length_and_known_share():
    vocabulary = Vocabulary().grown(["red green red"])
    counts = vocabulary.counts(["red red blue a", "", "blue"])
    assert counts.matrix.toarray().tolist() == [[2, 0], [0, 0], [0, 0]]
    assert counts.lengths.tolist() == [3, 0, 1]
    assert np.allclose(counts.known_share, [2 / 3, 0, 0])


def test_words_of_one_letter_are_no_terms():
    assert Vocabulary().grown(["a bc d"]).words == ["bc"]


def test_dampened_counts_and_document_frequencies():
    matrix = Vocabulary(["red", "green"]).counts(["red red green", "red"]).matrix
    assert np.allclose(dampened(matrix).toarray(), [[1 + np.log(2), 1], [1, 0]])
    assert documents_with_term(matrix).tolist() == [2, 1]


def test_no_texts_give_no_rows():
    assert Vocabulary(["red"]).counts([]).matrix.shape == (0, 1)
