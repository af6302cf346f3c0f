"""What people do to a tree: each edit, its undo, and its refusals."""

import pytest

from taxonomy.core.records import ExampleRecord
from taxonomy.core.tree import TopicNameError
from taxonomy.models import Example, Topic
from taxonomy.services import edits
from taxonomy.services.changes import EditError
from taxonomy.services.focuses import focus_create
from tests.taxonomy.checks import assert_sound, picture


@pytest.fixture
def do(taxonomy, owner):
    """Call an edit of the owner's."""
    return lambda edit, **arguments: edit(taxonomy=taxonomy, by=owner, **arguments)


def ids(topic: Topic) -> list[int]:
    return list(topic.examples.kept().values_list("pk", flat=True))


EDITS = {
    "create": lambda do, at: do(edits.topic_create, parent=at("/Arts"), name="Film"),
    "create at the top": lambda do, at: do(edits.topic_create, parent=at("/"), name="Film"),
    "rename": lambda do, at: do(edits.topic_rename, topic=at("/Arts/Music"), name="Sound"),
    "move": lambda do, at: do(edits.topic_move, topic=at("/Arts/Music"), to=at("/Recreation")),
    "move to the top": lambda do, at: do(edits.topic_move, topic=at("/Arts/Music"), to=at("/")),
    "merge": lambda do, at: do(edits.topic_merge, topic=at("/Arts/Music"), into=at("/Recreation")),
    "split": lambda do, at: do(
        edits.topic_split,
        topic=at("/Arts/Painting"),
        name="Water colours",
        examples=ids(at("/Arts/Painting"))[:1],
    ),
    "delete": lambda do, at: do(edits.topic_delete, topic=at("/Arts/Music"), examples_to=None),
    "delete, keeping examples": lambda do, at: do(
        edits.topic_delete, topic=at("/Arts/Music"), examples_to=at("/Arts")
    ),
    "describe": lambda do, at: do(
        edits.topic_describe, topic=at("/Arts"), description="Beautiful things"
    ),
    "start URLs": lambda do, at: do(
        edits.topic_describe, topic=at("/Arts"), start_urls=["https://b.example/"]
    ),
    "add": lambda do, at: do(
        edits.example_add, topic=at("/Arts"), record=ExampleRecord((), "New", "", "words")
    ),
    "move examples": lambda do, at: do(
        edits.examples_move,
        topic=at("/Arts/Painting"),
        examples=ids(at("/Arts/Painting")),
        to=at("/Arts"),
    ),
    "remove examples": lambda do, at: do(
        edits.examples_remove, topic=at("/Arts/Painting"), examples=ids(at("/Arts/Painting"))
    ),
}


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_acts_is_undone_and_done_again(taxonomy, do, at, owner, name):
    before = picture(taxonomy)
    edit = EDITS[name](do, at)
    after = picture(taxonomy)
    assert after != before
    assert_sound(taxonomy)

    undo = edits.edit_undo(edit=edit, by=owner)
    assert picture(taxonomy) == before
    assert_sound(taxonomy)

    edits.edit_undo(edit=undo, by=owner)
    assert picture(taxonomy) == after
    assert_sound(taxonomy)


@pytest.mark.parametrize("name", EDITS)
def test_an_edit_is_in_the_history_with_who_and_when(taxonomy, do, at, owner, name):
    edit = EDITS[name](do, at)
    taxonomy.refresh_from_db()
    assert (edit.by, edit.revision) == (owner, taxonomy.revision)
    assert edit.made_at is not None
    assert edit.summary


def test_an_edit_is_undone_once(do, at, owner):
    edit = EDITS["rename"](do, at)
    edits.edit_undo(edit=edit, by=owner)
    with pytest.raises(EditError, match="undone already"):
        edits.edit_undo(edit=edit, by=owner)


def test_names_are_unique_among_siblings_whatever_their_case(do, at):
    with pytest.raises(EditError, match=r"Music.* already"):
        do(edits.topic_create, parent=at("/Arts"), name="mUSIC")
    with pytest.raises(EditError, match="already"):
        do(edits.topic_rename, topic=at("/Arts/Music"), name="painting")
    do(edits.topic_create, parent=at("/Recreation"), name="Music")
    with pytest.raises(EditError, match="already"):
        do(edits.topic_move, topic=at("/Arts/Music"), to=at("/Recreation"))


def test_a_topic_may_change_the_case_of_its_own_name(do, at):
    do(edits.topic_rename, topic=at("/Arts/Music"), name="MUSIC")
    assert at("/Arts/Music").name == "MUSIC"


@pytest.mark.parametrize("name", ["", "  ", "a/b", "x" * 101, "..", "\u202e"])
def test_odd_names_are_refused(do, at, name):
    with pytest.raises(TopicNameError):
        do(edits.topic_create, parent=at("/Arts"), name=name)


@pytest.mark.parametrize("target", ["/Arts", "/Arts/Music", "/Arts/Music/Jazz"])
def test_a_topic_is_never_moved_under_itself(do, at, target):
    with pytest.raises(EditError, match="under itself"):
        do(edits.topic_move, topic=at("/Arts"), to=at(target))


def test_moving_a_topic_to_where_it_is_says_so(do, at):
    with pytest.raises(EditError, match="there already"):
        do(edits.topic_move, topic=at("/Arts/Music"), to=at("/Arts"))


def test_the_whole_tree_can_be_neither_moved_nor_deleted(do, at):
    with pytest.raises(EditError, match="whole tree"):
        do(edits.topic_delete, topic=at("/"), examples_to=None)
    with pytest.raises(EditError, match="whole tree"):
        do(edits.topic_move, topic=at("/"), to=at("/Arts"))
    with pytest.raises(EditError, match="whole tree"):
        do(edits.topic_delete, topic=at("/Arts"), examples_to=at("/"))
    with pytest.raises(EditError, match="whole tree"):
        do(edits.topic_describe, topic=at("/"), description="All there is")


def test_what_changes_nothing_is_not_in_the_history(do, at, taxonomy):
    with pytest.raises(EditError, match="its name already"):
        do(edits.topic_rename, topic=at("/Arts/Music"), name="Music")
    with pytest.raises(EditError, match="Nothing was changed"):
        do(edits.topic_describe, topic=at("/Arts"), description=at("/Arts").description)
    assert taxonomy.edits.count() == 0


def test_a_topic_that_a_focus_marks_good_is_not_deleted(do, at, taxonomy, owner):
    focus_create(name="Riding", taxonomy=taxonomy, by=owner, good=[at("/Recreation/Cycling")])
    for path in ["/Recreation", "/Recreation/Cycling"]:
        with pytest.raises(EditError, match=r"Riding.* marks .*Cycling.* good"):
            do(edits.topic_delete, topic=at(path), examples_to=None)


def test_a_good_topic_is_not_moved_under_another_good_one(do, at, taxonomy, owner):
    good = [at("/Recreation/Cycling"), at("/Arts/Music/Jazz")]
    focus_create(name="Both", taxonomy=taxonomy, by=owner, good=good)
    with pytest.raises(EditError, match="can't hold another"):
        do(edits.topic_move, topic=at("/Arts/Music"), to=at("/Recreation/Cycling"))


def test_merging_joins_topics_of_the_same_name_all_the_way_down(do, at, taxonomy):
    do(edits.topic_create, parent=at("/Recreation"), name="Music")
    do(edits.topic_create, parent=at("/Recreation/Music"), name="jazz")
    do(edits.topic_merge, topic=at("/Arts"), into=at("/Recreation"))
    assert at("/Recreation/Music/Jazz").example_count == 2
    assert at("/Recreation/Music").numchild == 2
    assert_sound(taxonomy)


def test_merging_keeps_the_terms_and_start_urls_of_both(do, at, owner):
    do(edits.topic_describe, topic=at("/Arts/Music/Jazz"), start_urls=["https://jazz.example/"])
    edit = do(edits.topic_merge, topic=at("/Arts/Music/Jazz"), into=at("/Arts/Painting"))
    assert at("/Arts/Painting").start_urls == ["https://a.example/", "https://jazz.example/"]
    assert at("/Arts/Painting").terms == ["one", "two"]
    edits.edit_undo(edit=edit, by=owner)
    assert at("/Arts/Painting").start_urls == ["https://a.example/"]


def test_a_topic_is_not_merged_into_what_is_under_it(do, at):
    with pytest.raises(EditError, match="itself"):
        do(edits.topic_merge, topic=at("/Arts"), into=at("/Arts/Music"))


def test_examples_of_a_deleted_topic_do_not_go_to_what_is_deleted_with_it(do, at):
    with pytest.raises(EditError, match="deleted with them"):
        do(edits.topic_delete, topic=at("/Arts"), examples_to=at("/Arts/Music"))


def test_an_undo_that_no_longer_fits_says_why_and_changes_nothing(do, at, taxonomy, owner):
    edit = EDITS["delete"](do, at)
    do(edits.topic_create, parent=at("/Arts"), name="Music")
    before = picture(taxonomy)
    with pytest.raises(EditError, match="already"):
        edits.edit_undo(edit=edit, by=owner)
    assert picture(taxonomy) == before
    assert_sound(taxonomy)


def test_an_undone_rename_does_not_trample_on_a_later_one(do, at, owner):
    edit = EDITS["rename"](do, at)
    do(edits.topic_rename, topic=at("/Arts/Sound"), name="Noise")
    with pytest.raises(EditError, match="another name by now"):
        edits.edit_undo(edit=edit, by=owner)


def test_examples_moved_on_by_others_stay_where_they_are(do, at, taxonomy, owner):
    edit = EDITS["move examples"](do, at)
    gone_on = ids(at("/Arts"))[:1]
    do(edits.examples_move, topic=at("/Arts"), examples=gone_on, to=at("/Recreation"))
    edits.edit_undo(edit=edit, by=owner)
    assert ids(at("/Recreation")) == gone_on
    assert_sound(taxonomy)


def test_the_same_address_is_an_example_once(do, at):
    record = ExampleRecord((), "Again", "https://example.org/Arts/Painting", "")
    with pytest.raises(EditError, match="already"):
        do(edits.example_add, topic=at("/Arts/Painting"), record=record)


def test_examples_of_another_topic_can_not_be_chosen(do, at):
    with pytest.raises(EditError, match="at least one"):
        do(
            edits.examples_remove,
            topic=at("/Arts/Painting"),
            examples=ids(at("/Recreation/Hiking")),
        )
    assert Example.objects.filter(is_removed=True).count() == 0


def test_a_topic_of_another_tree_is_not_there(do, at, taxonomy, team, owner):
    from taxonomy.core.records import TopicRecord
    from taxonomy.services.imports import taxonomy_import

    records = [TopicRecord(("Elsewhere",))]
    other = taxonomy_import(name="Other", team=team, records=records).taxonomy
    foreign = Topic.objects.of(other).get()
    with pytest.raises(EditError, match="not in the tree"):
        do(edits.topic_move, topic=at("/Arts"), to=foreign)


def test_the_tree_does_not_grow_too_deep(do, at, taxonomy):
    parent = at("/Arts")
    for number in range(49):
        edit = do(edits.topic_create, parent=parent, name=f"Level {number}")
        parent = edit.topic
    with pytest.raises(EditError, match="50 levels"):
        do(edits.topic_create, parent=parent, name="One too many")
    with pytest.raises(EditError, match="50 levels"):
        do(edits.topic_move, topic=at("/Recreation"), to=parent)
    assert_sound(taxonomy)
