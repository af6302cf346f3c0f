"""Folders become topics, bookmarks their examples."""

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.folders import records, with_tag_folders
from taxonomy.core.bookmarks.types import Bookmark, BookmarkFile, FolderPath
from taxonomy.core.records import ExampleRecord, TopicRecord


def file_of(*places: tuple[str, FolderPath], roots: tuple[FolderPath, ...] = ()) -> BookmarkFile:
    folders = dict.fromkeys(
        folder[:depth] for _, folder in places for depth in range(1, len(folder) + 1)
    )
    bookmarks = tuple(Bookmark(f"https://{name}.example/", name, path) for name, path in places)
    return BookmarkFile("Netscape HTML", bookmarks, tuple(folders), roots=roots)


def topics(file: BookmarkFile) -> list[FolderPath]:
    return [record.path for record in records(file) if isinstance(record, TopicRecord)]


def examples(file: BookmarkFile) -> dict[str, FolderPath]:
    return {
        record.title: record.path for record in records(file) if isinstance(record, ExampleRecord)
    }


def test_topics_come_before_examples_and_parents_before_children():
    file = file_of(("a", ("Sport", "Cycling")), ("b", ()))
    assert list(records(file)) == [
        TopicRecord(("Sport",)),
        TopicRecord(("Sport", "Cycling")),
        TopicRecord(("Unsorted",)),
        ExampleRecord(("Sport", "Cycling"), "a", "https://a.example/"),
        ExampleRecord(("Unsorted",), "b", "https://b.example/"),
    ]


def test_containers_of_the_browser_are_left_out():
    file = file_of(("a", ("Bookmarks bar", "Sport")), ("b", ("Other bookmarks",)), ("c", ("News",)))
    assert topics(file) == [("Sport",), ("News",), ("Unsorted",)]
    assert examples(file) == {"a": ("Sport",), "b": ("Unsorted",), "c": ("News",)}


def test_containers_marked_by_the_file_need_no_known_name():
    file = file_of(("a", ("Járnbar", "Sport")), roots=(("Járnbar",),))
    assert topics(file) == [("Sport",)]


def test_containers_stay_if_two_folders_would_become_one():
    file = file_of(("a", ("Bookmarks bar", "Sport")), ("b", ("Other bookmarks", "sport")))
    assert topics(file) == [
        ("Bookmarks_bar",),
        ("Bookmarks_bar", "Sport"),
        ("Other_bookmarks",),
        ("Other_bookmarks", "sport"),
    ]


def test_folders_that_differ_in_case_are_one_topic():
    file = file_of(("a", ("Sport",)), ("b", ("SPORT",)))
    assert topics(file) == [("Sport",)]
    assert set(examples(file).values()) == {("Sport",)}


def test_names_without_a_visible_character_add_no_level():
    file = file_of(("a", ("Sport", "..", "Cycling")), ("b", ("\u200b",)))
    assert ("Sport", "Cycling") in topics(file)
    assert examples(file) == {"a": ("Sport", "Cycling"), "b": ("Unsorted",)}


def test_the_states_of_reading_lists_are_no_topics():
    file = read_bookmarks(
        b"URL,Title,Selection,Folder\nhttps://a.example/,a,,Unread\nhttps://b.example/,b,,Sport\n"
    )
    assert topics(file) == [("Sport",), ("Unsorted",)]


def test_a_file_without_folders_is_sorted_by_its_most_used_tags():
    file = BookmarkFile(
        "Pinboard JSON",
        (
            Bookmark("https://a.example/", "a", tags=("rare", "Cycling")),
            Bookmark("https://b.example/", "b", tags=("cycling",)),
            Bookmark("https://c.example/", "c", tags=("one", "two")),
            Bookmark("https://d.example/", "d"),
        ),
    )
    assert with_tag_folders(file).folders == (("Cycling",), ("one",))
    assert examples(file) == {
        "a": ("Cycling",),
        "b": ("Cycling",),
        "c": ("one",),
        "d": ("Unsorted",),
    }


def test_a_file_with_folders_keeps_them():
    file = file_of(("a", ("Sport",)))
    assert with_tag_folders(file) is file
