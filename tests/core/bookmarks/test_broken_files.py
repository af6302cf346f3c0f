"""Files that break off or are damaged: what is whole is read, and the rest is counted."""

import json
import plistlib

import pytest

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.mending import BROKEN_OFF, DAMAGED
from taxonomy.core.bookmarks.types import BookmarkFile, BookmarkFileError

URLS = [f"https://site{number}.example/a%5B{number}" for number in range(8)]
TITLES = [f'No. {number}: "{{[<é' for number in range(8)]


def chrome() -> bytes:
    leaves = [
        {"name": title, "type": "url", "url": url, "meta_info": {"x": "]"}}
        for url, title in zip(URLS, TITLES, strict=True)
    ]
    deep = {"children": leaves[4:], "name": "Deep", "type": "folder"}
    bar = {"children": [*leaves[:4], deep], "name": "Bar", "type": "folder"}
    return json.dumps({"roots": {"bookmark_bar": bar}}, ensure_ascii=False).encode()


def firefox() -> bytes:
    leaves = [
        {"title": title, "type": "text/x-moz-place", "uri": url}
        for url, title in zip(URLS, TITLES, strict=True)
    ]
    deep = {"title": "Deep", "type": "text/x-moz-place-container", "children": leaves}
    root = {"title": "", "type": "text/x-moz-place-container", "children": [deep]}
    return json.dumps(root, indent=1).encode()


def safari() -> bytes:
    leaves = [{"URLString": url, "URIDictionary": {"title": "T"}} for url in URLS]
    return plistlib.dumps({"Title": "", "Children": [{"Title": "Bar", "Children": leaves}]})


def opml() -> bytes:
    lines = [f'<outline text="T" htmlUrl="{url}"/>' for url in URLS]
    return "<opml><body>{}</body></opml>".format("\n".join(lines)).encode()


def urls(found: BookmarkFile) -> list[str]:
    return [bookmark.url for bookmark in found.bookmarks]


def told(found: BookmarkFile) -> dict[str, int]:
    return {skip.reason: skip.count for skip in found.skipped}


@pytest.mark.parametrize("make", [chrome, firefox, safari, opml])
def test_wherever_a_file_breaks_off_the_bookmarks_before_that_are_read(make):
    data = make()
    whole = urls(read_bookmarks(data))
    assert whole == URLS
    last = 0
    for end in range(data.index(URLS[0].encode()), len(data.rstrip()), 3):
        part = data[:end]
        try:
            found = read_bookmarks(part)
        except BookmarkFileError:
            assert last == 0  # before the first bookmark is complete
            continue
        here = urls(found)
        assert here == whole[: len(here)]
        assert len(here) >= last
        assert told(found) == {BROKEN_OFF: 1}
        last = len(here)
    assert last == len(URLS)


def test_folders_that_were_named_before_the_break_are_kept():
    data = firefox()
    found = read_bookmarks(data[: data.index(URLS[5].encode())])
    assert {bookmark.folder for bookmark in found.bookmarks} == {("Deep",)}


def test_behind_a_damaged_place_single_bookmarks_are_read_and_the_others_counted():
    data = firefox().replace(b'"uri": "https://site3', b'"uri" "https://site3')
    found = read_bookmarks(data)
    assert urls(found) == [url for url in URLS if "site3" not in url]
    assert told(found) == {DAMAGED: 1}


def test_a_list_of_addresses_in_json_may_break_off():
    data = json.dumps(URLS).encode()
    assert urls(read_bookmarks(data[:-5])) == URLS[:-1]


def test_html_that_ends_within_a_tag_says_so():
    data = (
        b'<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF="https://a.example/">A</A><DT><A HRE'
    )
    found = read_bookmarks(data)
    assert urls(found) == ["https://a.example/"]
    assert told(found) == {BROKEN_OFF: 1}
