"""Marks follow from the good topics."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core.marks import Conflict, Mark, conflicts, derive_mark

GOOD = {("Arts", "Music"), ("Sports", "Cycling")}
PATHS = st.lists(st.sampled_from("ab"), max_size=4).map(tuple)


@pytest.mark.parametrize(
    ("path", "mark"),
    [
        (("Arts", "Music"), Mark.GOOD),
        (("Arts",), Mark.PATH),
        ((), Mark.PATH),
        (("Arts", "Music", "Jazz", "Bebop"), Mark.SUBSUMED),
        (("Arts", "Film"), Mark.NULL),
        (("Arts", "Musicals"), Mark.NULL),
    ],
)
def test_marks_follow_from_the_good_topics(path, mark):
    assert derive_mark(path, GOOD) is mark


def test_without_good_topics_everything_is_null():
    assert derive_mark((), set()) is Mark.NULL


def test_paths_may_be_made_of_ids():
    assert derive_mark((1, 2, 3), [(1, 2)]) is Mark.SUBSUMED


def test_a_parent_conflicts_with_its_good_subtopics():
    assert conflicts(("Arts",), GOOD) == Conflict(descendants=(("Arts", "Music"),))
    assert conflicts(("Arts", "Music", "Jazz"), GOOD) == Conflict(ancestors=(("Arts", "Music"),))


def test_a_topic_conflicts_neither_with_itself_nor_with_others():
    assert not conflicts(("Arts", "Music"), GOOD)
    assert not conflicts(("Arts", "Film"), GOOD)


@given(PATHS, st.sets(PATHS, max_size=5))
def test_there_is_a_conflict_exactly_where_the_mark_says_so(path, good):
    clash = conflicts(path, good - {path})
    mark = derive_mark(path, good - {path})
    assert bool(clash.ancestors) == (mark is Mark.SUBSUMED)
    assert bool(clash) == (mark is not Mark.NULL)
