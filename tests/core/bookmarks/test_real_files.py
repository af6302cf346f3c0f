"""Real files of many exporters; skipped where they are not at hand."""

import json
import os
import re
from pathlib import Path
from typing import Any

import pytest

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.folders import records
from taxonomy.core.bookmarks.types import BookmarkFileError, FolderPath
from tests.product import ROOT

DATA = Path(os.environ.get("FOCUSADMIN_SHARED", ROOT.parent / "shared")) / "data" / "bookmarks"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="the real bookmark files are not here")

# file: format, bookmarks, folders, skipped, duplicates
EXPECTED = {
    "bookmarks_tools/chrome_bookmarks.html": ("Netscape HTML", 8, 5, 0, 0),
    "bookmarks_tools/chrome_bookmarks.json": ("JSON tree", 8, 6, 0, 0),
    "bookmarks_tools/firefox_bookmarks.html": ("Netscape HTML", 9, 6, 0, 0),
    "bookmarks_tools/firefox_bookmarks.json": ("JSON tree", 9, 7, 0, 0),
    "debian/DefaultBookmarks.xbel": ("XBEL", 16, 4, 1, 2),
    "debian/default-bookmarks.rdf": ("RDF", 4, 0, 0, 1),
    "node_bookmarks_parser/chrome_bookmarks.html": ("Netscape HTML", 4, 3, 0, 0),
    "node_bookmarks_parser/chrome_bookmarks.json": ("JSON tree", 4, 4, 0, 0),
    "node_bookmarks_parser/netscape.html": ("Netscape HTML", 6, 3, 0, 0),
    "node_bookmarks_parser/netscape.json": ("JSON tree", 6, 3, 0, 0),
    "node_bookmarks_parser/netscape_complex.html": ("Netscape HTML", 13, 6, 1, 0),
    "node_bookmarks_parser/netscape_complex.json": ("JSON tree", 13, 7, 1, 0),
    "node_bookmarks_parser/pocket.html": ("Pocket HTML", 5, 2, 0, 0),
    "node_bookmarks_parser/pocket.json": ("JSON tree", 5, 2, 0, 0),
    "npm_bookmark_file_parser/chrome.html": ("Netscape HTML", 83, 12, 3, 0),
    "perl_bookmarks_parser/bookmarks.html": ("Netscape HTML", 6, 1, 0, 0),
    "perl_bookmarks_parser/mozbookmarks.html": ("Netscape HTML", 15, 3, 0, 1),
    "perl_bookmarks_parser/opera-1150-unix.adr": ("Opera ADR", 19, 1, 0, 0),
    "perl_bookmarks_parser/opera-1150.adr": ("Opera ADR", 19, 1, 0, 0),
    "perl_bookmarks_parser/opera6.adr": ("Opera ADR", 9, 1, 0, 0),
    "perl_bookmarks_parser/rt18894.xml": ("Netscape HTML", 1, 0, 0, 0),
    "perl_bookmarks_parser/rt75463.adr": ("Opera ADR", 1, 0, 0, 0),
    "shaarli_tests/input/chromium_flat.htm": ("Netscape HTML", 9, 0, 0, 0),
    "shaarli_tests/input/chromium_nested.htm": ("Netscape HTML", 18, 7, 0, 0),
    "shaarli_tests/input/delicious.htm": ("Netscape HTML", 5, 0, 0, 0),
    "shaarli_tests/input/delicious_sanitize.htm": ("Netscape HTML", 2, 0, 0, 0),
    "shaarli_tests/input/firefox_flat.htm": ("Netscape HTML", 21, 1, 3, 0),
    "shaarli_tests/input/firefox_nested.htm": ("Netscape HTML", 21, 6, 3, 0),
    "shaarli_tests/input/google_bookmarks_nested.htm": ("Netscape HTML", 6, 1, 0, 0),
    "shaarli_tests/input/internet_explorer_11_flat.htm": ("Netscape HTML", 18, 0, 0, 0),
    "shaarli_tests/input/internet_explorer_11_nested.htm": ("Netscape HTML", 27, 9, 0, 0),
    "shaarli_tests/input/netscape_basic.htm": ("Netscape HTML", 2, 0, 0, 0),
    "shaarli_tests/input/netscape_extended.htm": ("Netscape HTML", 1, 0, 0, 0),
    "shaarli_tests/input/netscape_multiline.htm": ("Netscape HTML", 3, 0, 0, 0),
    "shaarli_tests/input/netscape_nested.htm": ("Netscape HTML", 8, 4, 0, 0),
    "shaarli_tests/input/safari_folded.htm": ("Netscape HTML", 3, 5, 0, 0),
    "shaarli_tests/input/scuttle.htm": ("Netscape HTML", 4, 0, 0, 0),
    "shaarli_tests/input/scuttle_new_line.htm": ("Netscape HTML", 1, 0, 0, 0),
    "shaarli_tests/input/shaarli.htm": ("Netscape HTML", 5, 0, 1, 0),
    "shaarli_tests/input/shaarli_legacy.htm": ("Netscape HTML", 2, 0, 0, 0),
    "shaarli_tests/input/shaarli_markdown.htm": ("Netscape HTML", 0, 0, 3, 0),
    "shaarli_tests/input/shaarli_with_tabs_and_spaces.htm": ("Netscape HTML", 0, 0, 1, 0),
    "shaarli_tests/input/shaarli_with_whitespace_tags.htm": ("Netscape HTML", 0, 0, 1, 0),
    "wallabag_fixtures/chrome-bookmarks": ("Chrome JSON", 1, 3, 0, 0),
    "wallabag_fixtures/delicious_export.2021.02.06_21.10.json": ("Delicious JSON", 3, 0, 0, 0),
    "wallabag_fixtures/elcurator.json": ("JSON list", 1, 0, 0, 0),
    "wallabag_fixtures/firefox-bookmarks.json": ("Firefox JSON", 2, 2, 0, 0),
    "wallabag_fixtures/instapaper-export.csv": ("Instapaper CSV", 4, 4, 0, 0),
    "wallabag_fixtures/pinboard_export": ("Pinboard JSON", 3, 0, 0, 0),
    "wallabag_fixtures/pocket.csv": ("Pocket CSV", 7, 0, 0, 0),
    "wallabag_fixtures/ril_export.html": ("Pocket HTML", 2, 2, 0, 0),
    "wallabag_fixtures/shaarli-bookmarks.html": ("Netscape HTML", 2, 0, 0, 0),
    "wallabag_fixtures/wallabag-v1-read.json": ("wallabag JSON", 3, 0, 0, 0),
}
REFUSED = {
    "shaarli_tests/input/empty.htm": "empty",
    "shaarli_tests/output/shaarli_with_tabs_and_spaces.txt": "does not look like",
    "shaarli_tests/output/shaarli_with_whitespace_tags.txt": "does not look like",
}
EXPORT_PAIRS = [
    *("bookmarks_tools/chrome_bookmarks", "bookmarks_tools/firefox_bookmarks"),
    *("node_bookmarks_parser/chrome_bookmarks", "node_bookmarks_parser/netscape"),
    *("node_bookmarks_parser/netscape_complex", "node_bookmarks_parser/pocket"),
]


def read(name: str):
    return read_bookmarks((DATA / name).read_bytes(), name)


def opml_files() -> list[str]:
    return sorted(str(path.relative_to(DATA)) for path in DATA.rglob("*.opml"))


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_found_in_each_file(name):
    file = read(name)
    skipped = sum(entry.count for entry in file.skipped)
    found = (file.format, len(file.bookmarks), len(file.folders), skipped, file.duplicates)
    assert found == EXPECTED[name]
    assert sum(1 for _ in records(file)) >= len(file.bookmarks)


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_bookmark_file_is_refused(name):
    with pytest.raises(BookmarkFileError, match=REFUSED[name]):
        read(name)


def test_every_file_is_accounted_for():
    files = {str(path.relative_to(DATA)) for path in DATA.rglob("*") if path.is_file()}
    assert files == {*EXPECTED, *REFUSED, *opml_files()}


@pytest.mark.parametrize("name", [name for name in EXPECTED if "Netscape HTML" in EXPECTED[name]])
def test_no_link_of_a_netscape_file_is_lost(name):
    """Every DT with a link is a bookmark or a counted skip; none is twice in one folder here."""
    links = len(re.findall(rb"<DT>\s*<A\s", (DATA / name).read_bytes(), re.I))
    file = read(name)
    assert links == len(file.bookmarks) + sum(entry.count for entry in file.skipped)


@pytest.mark.parametrize("name", EXPORT_PAIRS)
def test_html_agrees_with_the_result_of_its_own_parser(name):
    """The JSON beside each file was made by another parser, which calls the top level Menu."""
    expected = json.loads((DATA / f"{name}.json").read_text("utf-8"))
    found = {(b.folder, b.url, b.title) for b in read(f"{name}.html").bookmarks}
    wanted = {entry for node in expected for entry in leaves(node, ())}
    assert found == {entry for entry in wanted if not entry[1].startswith("place:")}


def leaves(node: dict[str, Any], folder: FolderPath):
    if node.get("type") == "bookmark":
        yield folder, node["url"], " ".join(node["title"].split())
        return
    is_top = node.get("ns_root") == "menu"
    for child in node["children"]:
        yield from leaves(child, folder if is_top else (*folder, node["title"]))


@pytest.mark.parametrize("name", ["shaarli_with_tabs_and_spaces", "shaarli_with_whitespace_tags"])
def test_descriptions_keep_their_layout(name):
    data = (DATA / f"shaarli_tests/input/{name}.htm").read_bytes()
    file = read_bookmarks(data.replace(b'HREF="?', b'HREF="https://a.example/?'))
    wanted = (DATA / f"shaarli_tests/output/{name}.txt").read_text("utf-8")
    assert file.bookmarks[0].description == wanted.strip()


def test_tags_of_shaarli_with_spaces():
    data = (DATA / "shaarli_tests/input/shaarli_with_whitespace_tags.htm").read_bytes()
    file = read_bookmarks(data.replace(b'HREF="?', b'HREF="https://a.example/?'))
    assert file.bookmarks[0].tags == ("dev", "php dev", "php 7.x")


@pytest.mark.parametrize("name", opml_files())
def test_no_feed_of_an_opml_file_is_lost(name):
    """Counted without an XML parser: half of these files are not well-formed."""
    data = re.sub(rb"<!--.*?-->", b"", (DATA / name).read_bytes(), flags=re.S)
    feeds = sum(b"Url=" in outline for outline in data.split(b"<outline ")[1:])
    file = read(name)
    dropped = len(set(file.bookmarks)) - len({(b.folder, b.url) for b in file.bookmarks})
    assert (file.format, dropped) == ("OPML", 0)
    missing = feeds - len(file.bookmarks) - sum(entry.count for entry in file.skipped)
    assert 0 <= missing <= file.duplicates
