"""What is written as bookmarks can be read again."""

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.core.bookmarks.writing import netscape_file

MARKS = [
    Bookmark("https://a.example/?a=1&b=2", "Fish & <chips>", ("Home", "Cooking")),
    Bookmark("https://b.example/", "", ()),
    Bookmark("https://c.example/", "Räder", ("Sport",)),
]


def test_a_written_file_reads_as_the_same_bookmarks():
    found = read_bookmarks(netscape_file(MARKS).encode())
    assert found.format == "Netscape HTML"
    assert {(mark.url, mark.folder) for mark in found.bookmarks} == {
        (mark.url, mark.folder) for mark in MARKS
    }
    assert {mark.title for mark in found.bookmarks} >= {"Fish & <chips>", "Räder"}


def test_an_empty_list_is_a_file_too():
    assert netscape_file([]).startswith("<!DOCTYPE NETSCAPE")
