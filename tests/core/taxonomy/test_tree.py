"""Topic names have one spelling, and paths are made of them."""

import time
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core.tree import (
    DEPTH_MAX,
    NAME_MAX,
    TopicNameError,
    clean_name,
    import_name,
    join_path,
    name_key,
    shown_name,
    split_path,
)

ANY_TEXT = st.text(st.characters(exclude_categories=[]))  # surrogates too


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("  Machine   Learning ", "Machine_Learning"),
        ("a__b \t\n c", "a_b_c"),
        ("Cafe\u0301", "Café"),
        ("evil\u202etxt\u200b\x00", "eviltxt"),
        ("نمی\u200cکنم", "نمی\u200cکنم"),
        ("\u200dA\u200d \u200cB\u200c", "A_B"),
        ("👩\u200d🚀", "👩\u200d🚀"),
        ("line\u2028end\u0085here", "line_end_here"),
        ("...", "..."),
        ("x" * NAME_MAX, "x" * NAME_MAX),
    ],
)
def test_a_name_has_one_clean_spelling(raw, name):
    assert clean_name(raw) == name


@pytest.mark.parametrize(
    ("raw", "advice"),
    [
        ("", "at least one visible"),
        (" _\u200b\u200d_ ", "at least one visible"),
        ("a/b", 'Use "-"'),
        (".", "Choose a word"),
        ("..", "Choose a word"),
        ("x" * 101, "Shorten it to 100"),
        ("a\ud800", "Type it again"),
    ],
)
def test_a_refused_name_says_what_to_do(raw, advice):
    with pytest.raises(TopicNameError, match=advice):
        clean_name(raw)


@given(ANY_TEXT)
def test_cleaning_twice_changes_nothing(raw):
    try:
        name = clean_name(raw)
    except TopicNameError:
        return
    assert clean_name(name) == name == unicodedata.normalize("NFC", name)
    assert import_name(name) == name
    assert not set(name) & set("/ \t\n\u202e\u200b\ufeff")


@given(ANY_TEXT | ANY_TEXT.map(lambda text: text * 50))
def test_an_imported_name_is_always_a_clean_name(raw):
    name = import_name(raw)
    if name is not None:
        assert clean_name(name) == name


def test_imported_names_keep_what_they_can():
    assert import_name("TV/Film") == "TV-Film"
    assert import_name(" \u200b ") is None
    assert import_name("..") is None
    assert import_name("a\ud800b") == "ab"


def test_long_imported_names_stay_different_and_stable():
    one, other = import_name("x" * 200 + "1"), import_name("x" * 200 + "2")
    assert one is not None
    assert one != other
    assert one == import_name("x" * 200 + "1")
    assert len(one) == NAME_MAX


@pytest.mark.parametrize("grows", ["\u0958", "\U0001d160", "\ufb2c"])
def test_long_names_of_characters_that_normalising_splits_are_cut_too(grows):
    for length in (40, 60, 101, 999, 1001, 5000):
        name = import_name(grows * length)
        assert name is not None
        assert clean_name(name) == name


def test_a_name_of_a_million_accents_takes_no_time():
    raw = "a" + "\u0315\u0300" * 500_000
    started = time.process_time()
    assert import_name(raw)
    assert name_key(raw)
    with pytest.raises(TopicNameError, match="Shorten"):
        clean_name(raw)
    assert time.process_time() - started < 2


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Music", "mUSIC"),
        ("Straße", "STRASSE"),
        ("ﬁlm", "FILM"),
        ("\uff26ull", "full"),
        ("Machine_Learning", "machine  learning"),
        ("Cafe\u0301", "café"),
        ("a\u200db", "ab"),
    ],
)
def test_names_that_look_alike_have_one_key(one, other):
    assert name_key(one) == name_key(other)


@given(ANY_TEXT)
def test_the_key_of_a_key_is_itself(name):
    assert name_key(name_key(name)) == name_key(name)


def test_names_are_shown_with_spaces():
    assert shown_name("Machine_Learning") == "Machine Learning"


@pytest.mark.parametrize("path", ["/A/B_c", "A/B c", "/A/B_c/", " A / B c "])
def test_paths_are_read_with_or_without_outer_slashes(path):
    assert split_path(path) == ("A", "B_c")


def test_the_root_has_an_empty_path():
    assert split_path("/") == split_path("") == ()
    assert join_path(()) == "/"
    assert join_path(("A", "B")) == "/A/B"


@pytest.mark.parametrize("path", ["/A//B", "/A/../B", "/" + "/".join("a" * (DEPTH_MAX + 1))])
def test_a_bad_path_is_refused(path):
    with pytest.raises(TopicNameError):
        split_path(path)


@given(st.lists(ANY_TEXT.map(import_name).filter(bool), max_size=DEPTH_MAX))
def test_joining_and_splitting_a_path_are_inverse(names):
    assert split_path(join_path(names)) == tuple(names)
