"""The words that set a topic apart."""

from collections import Counter

from taxonomy.core.words import distinctive_words, words_of


def test_words_are_letters_in_lower_case():
    assert list(words_of("The 3 Bikes' wheels, Ölwechsel_und x2 ab")) == [
        "the",
        "bikes",
        "wheels",
        "ölwechsel",
        "und",
    ]


def test_steady_words_of_the_topic_come_first():
    inside = Counter({"bike": 20, "trail": 12, "once": 1, "the": 20})
    around = Counter({"the": 100, "bike": 2, "law": 60})
    assert [found.word for found in distinctive_words(inside, around)] == ["bike", "trail"]


def test_words_that_are_common_everywhere_tell_nothing():
    inside, around = Counter({"you": 20, "bike": 3}), Counter({"you": 30, "the": 100})
    assert [found.word for found in distinctive_words(inside, around)] == ["bike"]


def test_nothing_to_compare_gives_nothing():
    assert distinctive_words(Counter(), Counter()) == []
