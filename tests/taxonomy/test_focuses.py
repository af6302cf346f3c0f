"""Marking topics good for a focus."""

import pytest

from taxonomy.core.marks import Mark
from taxonomy.models import Focus
from taxonomy.selectors.rows import marks_of
from taxonomy.services.focuses import (
    FocusError,
    MarkConflictError,
    focus_create,
    marks_restore,
    topic_mark_good,
    topic_unmark,
)


@pytest.fixture
def focus(taxonomy, owner) -> Focus:
    return focus_create(name="Riding", taxonomy=taxonomy, by=owner)


def good(focus: Focus) -> set[str]:
    return set(focus.good_topics.values_list("name", flat=True))


def test_a_focus_belongs_to_its_owner_and_team(focus, owner, team):
    assert (focus.owner, focus.team, focus.slug) == (owner, team, "riding")


def test_focuses_of_one_name_get_different_slugs(focus, taxonomy, owner):
    assert focus_create(name="Riding", taxonomy=taxonomy, by=owner).slug == "riding-2"


def test_a_focus_needs_a_name(taxonomy, owner):
    with pytest.raises(FocusError, match="name"):
        focus_create(name=" \n ", taxonomy=taxonomy, by=owner)


def test_marking_shows_good_path_and_what_is_below(focus, at, owner):
    topic_mark_good(focus=focus, topic=at("/Recreation/Cycling"), by=owner)
    marks = marks_of(focus)
    assert marks.of(at("/Recreation")) == Mark.PATH
    assert marks.of(at("/Recreation/Cycling")) == Mark.GOOD
    assert marks.of(at("/Recreation/Cycling/Racing")) == Mark.SUBSUMED
    assert marks.of(at("/Arts")) == Mark.NULL


def test_marking_twice_changes_nothing(focus, at, owner):
    topic_mark_good(focus=focus, topic=at("/Arts"), by=owner)
    topic_mark_good(focus=focus, topic=at("/Arts"), by=owner)
    assert good(focus) == {"Arts"}


def test_nothing_is_good_under_a_good_topic(focus, at, owner):
    topic_mark_good(focus=focus, topic=at("/Recreation"), by=owner)
    with pytest.raises(MarkConflictError, match="good already") as refusal:
        topic_mark_good(focus=focus, topic=at("/Recreation/Cycling"), by=owner)
    assert not refusal.value.replaceable
    assert good(focus) == {"Recreation"}


def test_good_sub_topics_can_be_replaced_by_their_parent(focus, at, owner):
    topic_mark_good(focus=focus, topic=at("/Recreation/Cycling/Racing"), by=owner)
    topic_mark_good(focus=focus, topic=at("/Recreation/Hiking"), by=owner)
    with pytest.raises(MarkConflictError, match="replace") as refusal:
        topic_mark_good(focus=focus, topic=at("/Recreation"), by=owner)
    assert refusal.value.replaceable
    assert good(focus) == {"Racing", "Hiking"}

    marked = topic_mark_good(focus=focus, topic=at("/Recreation"), by=owner, replace=True)
    assert good(focus) == {"Recreation"}
    marks_restore(focus=focus, token=marked.undo_token, by=owner)
    assert good(focus) == {"Racing", "Hiking"}


def test_taking_a_mark_away_can_be_undone(focus, at, owner):
    topic_mark_good(focus=focus, topic=at("/Arts"), by=owner)
    unmarked = topic_unmark(focus=focus, topic=at("/Arts"))
    assert good(focus) == set()
    marks_restore(focus=focus, token=unmarked.undo_token, by=owner)
    assert good(focus) == {"Arts"}


def test_an_undo_of_another_focus_or_of_nobody_is_refused(focus, taxonomy, at, owner):
    other = focus_create(name="Other", taxonomy=taxonomy, by=owner)
    token = topic_mark_good(focus=focus, topic=at("/Arts"), by=owner).undo_token
    for wrong in [token, "garbage"]:
        with pytest.raises(FocusError):
            marks_restore(focus=other, token=wrong, by=owner)


def test_the_whole_tree_is_no_topic(focus, at, owner):
    with pytest.raises(FocusError, match="whole tree"):
        topic_mark_good(focus=focus, topic=at("/"), by=owner)


def test_a_refused_focus_leaves_nothing(taxonomy, at, owner):
    with pytest.raises(MarkConflictError):
        focus_create(name="F", taxonomy=taxonomy, by=owner, good=[at("/Arts"), at("/Arts/Music")])
    assert Focus.objects.count() == 0
