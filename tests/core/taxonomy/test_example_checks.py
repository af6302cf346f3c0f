"""Near-duplicate and contradictory examples."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core.example_checks import (
    CROWD,
    CheckedExample,
    jaccard,
    shingles_of,
    twin_pairs,
)

TEXT = "the quick brown fox jumps over the lazy dog while seven old owls look on in silence"
OTHER = "saxophone players improvise over the changes of a slow blues until the band stops at last"


def example(number: int, text: str, topic: str = "a", address: str = "") -> CheckedExample:
    return CheckedExample(number, topic, text, address)


def ids(examples: list[CheckedExample]) -> list[tuple[int, int]]:
    return [(pair.first.id, pair.second.id) for pair in twin_pairs(examples)]


def test_the_same_text_twice_is_found():
    (pair,) = twin_pairs([example(1, TEXT), example(2, OTHER), example(3, TEXT.upper() + "!")])
    assert (pair.first.id, pair.second.id, pair.similarity) == (1, 3, 1.0)
    assert not pair.is_contradictory


def test_nearly_the_same_under_two_topics_is_a_contradiction():
    near = f"{TEXT} indeed"
    (pair,) = twin_pairs([example(1, TEXT, "a"), example(2, near, "b")])
    assert pair.is_contradictory
    assert 0.9 < pair.similarity < 1


def test_contradictions_come_first_and_then_the_most_alike():
    found = twin_pairs(
        [
            example(1, TEXT),
            example(2, TEXT),
            example(3, OTHER, "x"),
            example(4, f"{OTHER} now", "y"),
        ]
    )
    assert [pair.is_contradictory for pair in found] == [True, False]


def test_different_texts_are_not_found():
    assert ids([example(1, TEXT), example(2, OTHER), example(3, f"{OTHER} {TEXT}")]) == []


@pytest.mark.parametrize("text", ["", "home page", "one two three four five", "…", "2026"])
def test_texts_too_short_to_be_the_same_on_purpose_are_left_alone(text):
    assert ids([example(1, text, "a"), example(2, text, "b")]) == []


def test_the_same_address_counts_whatever_the_text():
    (pair,) = twin_pairs(
        [
            example(1, "", "a", "https://example.org/"),
            example(2, "", "b", "https://example.org/"),
            example(3, "", "c", ""),
            example(4, "", "d", ""),
        ]
    )
    assert (pair.has_same_address, pair.is_contradictory, pair.similarity) == (True, True, 0.0)


def test_a_crowd_of_equal_examples_costs_no_square():
    crowd = [example(number, TEXT) for number in range(CROWD * 5)]
    assert len(twin_pairs(crowd)) == len(crowd) - 1


def test_nothing_gives_nothing():
    assert twin_pairs([]) == []


def test_almost_every_pair_above_the_threshold_is_found():
    """Against the comparison of every pair, which no large tree could afford."""
    chance = random.Random(7)
    words = ["".join(chance.choices("abcdefgh", k=5)) for _ in range(400)]
    examples, wanted = [], 0
    for number in range(200):
        base = chance.choices(words, k=80)
        changed = list(base)
        for place in chance.sample(range(80), chance.randrange(1, 6)):
            changed[place] = "changed"
        wanted += jaccard(shingles_of(base), shingles_of(changed)) >= 0.7
        examples += [
            example(2 * number, " ".join(base)),
            example(2 * number + 1, " ".join(changed)),
        ]
    assert len(twin_pairs(examples)) >= 0.97 * wanted


@given(st.lists(st.text(alphabet="ab \u00e9\u4e2d\U0001f6b2\x00.", max_size=60), max_size=8))
def test_any_texts_give_pairs_that_hold_what_they_promise(texts):
    found = twin_pairs([example(number, text) for number, text in enumerate(texts)])
    assert all(0.7 <= pair.similarity <= 1 and pair.first.id < pair.second.id for pair in found)
