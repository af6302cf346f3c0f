"""The key index against a dictionary: same answers, whatever the keys and the batches."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.keyindex import UNKNOWN, KeyIndex

INT64 = st.integers(min_value=-(2**63), max_value=2**63 - 1)
# Neighbours, zero (which is also what an empty place holds) and the ends of the range.
AWKWARD = st.integers(min_value=-3, max_value=3) | st.sampled_from([-(2**63), 2**63 - 1])
BATCHES = st.lists(st.lists(INT64 | AWKWARD, max_size=60), max_size=12)


def indexed(batches: list[list[int]]) -> tuple[KeyIndex, dict[int, int]]:
    index, expected = KeyIndex(), dict[int, int]()
    for batch in batches:
        new = [key for key in dict.fromkeys(batch) if key not in expected]
        slots = range(len(expected), len(expected) + len(new))
        index.add(np.array(new, dtype=np.int64), np.array(slots, dtype=np.int32))
        expected.update(zip(new, slots, strict=True))
    return index, expected


def found(index: KeyIndex, keys: list[int]) -> list[int]:
    return [int(slot) for slot in index.find(np.array(keys, dtype=np.int64))]


@given(batches=BATCHES, strangers=st.lists(INT64 | AWKWARD, max_size=60))
@settings(deadline=None)
def test_it_answers_as_a_dictionary_does(batches, strangers):
    index, expected = indexed(batches)
    asked = [*expected, *strangers]
    assert len(index) == len(expected)
    assert found(index, asked) == [expected.get(key, UNKNOWN) for key in asked]


def test_nothing_is_lost_while_it_grows_many_times_over():
    dice = np.random.default_rng(7)
    keys = np.unique(dice.integers(-(2**63), 2**63 - 1, size=60_000, dtype=np.int64))
    dice.shuffle(keys)
    index = KeyIndex()
    for part in np.array_split(np.arange(len(keys), dtype=np.int32), 37):
        index.add(keys[part], part)
    assert (index.find(keys) == np.arange(len(keys))).all()


def test_keys_that_want_the_same_place_are_all_found():
    """An inverse of the mixing factor makes keys of one home in a table of the smallest size."""
    unmix = pow(0x9E3779B97F4A7C15, -1, 2**64)
    crowded = [(unmix * (5 * 2**52 + low)) % 2**64 for low in range(500)]
    keys = np.array(crowded, dtype=np.uint64).view(np.int64)
    index = KeyIndex()
    index.add(keys, np.arange(500, dtype=np.int32))
    assert found(index, keys.tolist()) == list(range(500))


def test_one_key_asked_for_twice_is_answered_twice():
    index = KeyIndex()
    index.add(np.array([5], dtype=np.int64), np.array([0], dtype=np.int32))
    assert found(index, [5, 6, 5]) == [0, UNKNOWN, 0]


def test_the_empty_index_knows_nothing_and_takes_empty_batches():
    index, _ = indexed([[], []])
    assert (len(index), found(index, []), found(index, [0])) == (0, [], [UNKNOWN])
