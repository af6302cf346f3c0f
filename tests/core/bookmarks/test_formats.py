"""Every other format, by a small file of its own."""

import csv
import json
import plistlib
from datetime import datetime
from functools import partial

import lz4.block
import pytest

from taxonomy.core.bookmarks.compressed import MAGIC as COMPRESSED
from taxonomy.core.bookmarks.dates import seconds_of
from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.types import Bookmark, BookmarkFileError

CHROME = {
    "checksum": "x",
    "roots": {
        "bookmark_bar": {
            "type": "folder",
            "name": "Barre de favoris",
            "children": [
                {
                    "type": "url",
                    "name": "A",
                    "url": "https://a.example/",
                    "date_added": "13118850929335823",
                },
                {"type": "folder", "name": "Sub", "children": []},
            ],
        },
        "sync_transaction_version": "1",
    },
    "version": 1,
}
FIREFOX = {
    "type": "text/x-moz-place-container",
    "title": "",
    "root": "placesRoot",
    "children": [
        {
            "type": "text/x-moz-place-container",
            "title": "menu",
            "root": "bookmarksMenuFolder",
            "children": [
                {"type": "text/x-moz-place-separator"},
                {
                    "type": "text/x-moz-place",
                    "title": "A",
                    "uri": "https://a.example/",
                    "dateAdded": 1388166091504000,
                    "tags": "one,two",
                    "annos": [{"name": "bookmarkProperties/description", "value": "About A"}],
                },
                {"type": "text/x-moz-place", "title": "Q", "uri": "place:sort=8"},
            ],
        },
        {"type": "text/x-moz-place-container", "title": "unfiled", "root": "unfiledBookmarks"},
        {
            "type": "text/x-moz-place-container",
            "title": "tags",
            "root": "tagsFolder",
            "children": [{"title": "old tag", "children": [{"uri": "https://a.example/"}]}],
        },
    ],
}


def read(document: object):
    return read_bookmarks(json.dumps(document).encode())


def test_chrome_json():
    file = read(CHROME)
    assert file.format == "Chrome JSON"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A", ("Barre de favoris",), added_at=1474377329),
    )
    assert file.folders == (("Barre de favoris",), ("Barre de favoris", "Sub"))
    assert file.roots == (("Barre de favoris",),)


def test_firefox_json():
    file = read(FIREFOX)
    assert file.format == "Firefox JSON"
    assert file.bookmarks == (
        Bookmark(
            "https://a.example/", "A", ("menu",), "About A", ("one", "two", "old tag"), 1388166091
        ),
    )
    assert file.folders == file.roots == (("menu",), ("unfiled",))
    assert [entry.reason for entry in file.skipped] == ["place: query"]


def compressed(data: bytes, size: int | None = None) -> bytes:
    """As Firefox writes its backups."""
    told = (len(data) if size is None else size).to_bytes(4, "little")
    block: bytes = lz4.block.compress(data, store_size=False)
    return COMPRESSED + told + block


def test_firefox_compressed_backup():
    plain = json.dumps(FIREFOX).encode()
    assert read_bookmarks(compressed(plain)) == read_bookmarks(plain)


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (compressed(b"[]" * 500)[:-9], "damaged or incomplete"),
        (compressed(b"[]" * 500, size=10), "damaged or incomplete"),
        (compressed(b"[]", size=0), "damaged or incomplete"),
        (compressed(b"[]", size=2**32 - 1), "larger than 50 MB"),
        (COMPRESSED, "damaged or incomplete"),
        (compressed(b"Dear diary"), "does not look like a bookmark file"),
    ],
)
def test_compressed_backups_that_are_none_are_refused(data, advice):
    with pytest.raises(BookmarkFileError, match=advice):
        read_bookmarks(data)


def test_pinboard_and_delicious_and_other_lists():
    pinboard = {
        "href": "https://a.example/",
        "description": "A",
        "extended": "About",
        "tags": "x y",
    }
    assert read([pinboard | {"time": "2016-10-31T15:57:56Z"}]).bookmarks == (
        Bookmark("https://a.example/", "A", (), "About", ("x", "y"), 1477929476),
    )
    delicious = {"url": "https://a.example/", "title": "A", "tags": ["x", ""], "private": "0"}
    file = read([delicious | {"description": "About", "created": "1358531607"}])
    assert file.format == "Delicious JSON"
    assert file.bookmarks == (Bookmark("https://a.example/", "A", (), "About", ("x",), 1358531607),)
    other = {"url": "https://a.example/", "title": "A", "created_at": "2015-09-09 11:10:32 UTC"}
    assert read([other]).bookmarks[0].added_at == 1441797032


def test_json_of_relatives():
    file = read(["https://a.example/", "https://b.example/"])
    assert len(file.bookmarks) == 2
    nested = {"bookmarks": [{"content": {"url": "https://a.example/"}, "tags": [{"name": "x"}]}]}
    assert read(nested).bookmarks == (Bookmark("https://a.example/", "", tags=("x",)),)
    collections = {"collections": [{"name": "C", "links": [{"url": "https://a.example/"}]}]}
    assert read(collections).bookmarks[0].folder == ("C",)


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b'{"roots": {"bookmark_bar": ', "damaged or incomplete"),
        (b"[" * 100_000, "nested deeper"),
        (b'{"a": ' + b"9" * 5000 + b"}", "damaged"),
        (b'{"answer": 42}', "no bookmarks"),
        (b"[]", "no bookmarks"),
    ],
)
def test_json_without_bookmarks(data, advice):
    with pytest.raises(BookmarkFileError, match=advice):
        read_bookmarks(data)


def test_pocket_csv():
    file = read_bookmarks(
        b'title,url,time_added,tags,status\n"A, b",https://a.example/,1600322788,x|y z,unread\n\n'
    )
    assert file.format == "Pocket CSV"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A, b", (), "", ("x", "y z"), 1600322788),
    )


def test_instapaper_and_raindrop_csv():
    file = read_bookmarks(
        b"\xef\xbb\xbfURL,Title,Selection,Folder\r\nhttps://a.example/,A,S,x/y\r\n"
    )
    assert file.format == "Instapaper CSV"
    assert file.bookmarks == (Bookmark("https://a.example/", "A", ("x/y",), "S"),)
    file = read_bookmarks(
        b"id,title,note,excerpt,url,folder,tags,created,cover,highlights,favorite\n"
        b'1,A,N,E,https://a.example/,Work / Sub,"x, y",2023-01-02T03:04:05.678Z,,,false\n'
    )
    assert file.format == "Raindrop CSV"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A", ("Work", "Sub"), "N", ("x", "y"), 1672628645),
    )
    assert file.folders == (("Work",), ("Work", "Sub"))


def test_other_tables():
    file = read_bookmarks(
        'Name;Link\n"Größe; x";https://a.example/\nonly a name\n'.encode("cp1252")
    )
    assert file.format == "CSV"
    assert file.bookmarks == (Bookmark("https://a.example/", "Größe; x"),)
    assert file.skipped[0].reason == "empty"


@pytest.mark.parametrize("limit", [131_072, 10**8], ids=["usual", "raised by another module"])
def test_a_huge_cell_costs_only_its_row(limit, request):
    request.addfinalizer(partial(csv.field_size_limit, csv.field_size_limit(limit)))
    row = b'"' + b"x" * 200_000 + b'",https://a.example/\n'
    file = read_bookmarks(b"title,url\n" + row + b"B,https://b.example/\n")
    assert [b.title for b in file.bookmarks] == ["B"]
    assert file.skipped[0].reason == "unreadable row"


def test_opera_adr():
    file = read_bookmarks(
        b"Opera Hotlist version 2.0\r\nOptions: encoding = utf8, version=21\r\n\r\n"
        b"#FOLDER\r\n\tNAME=Trash\r\n\tTRASH FOLDER=YES\r\n\r\n#URL\r\n\tURL=https://old.example/\r\n\r\n-\r\n"
        b"#FOLDER\r\n\tNAME=Gr\xc3\xb6\xc3\x9fe\r\n\r\n#URL\r\n\tNAME=A\r\n\tURL=https://a.example/?x=1\r\n"
        b"\tCREATED=1210982400\r\n\tDESCRIPTION=one\x02\x02two\r\n\r\n-\r\n\r\n"
        b"#URL\r\n\tNAME=B\r\n\tURL=https://b.example/"
    )
    assert file.format == "Opera ADR"
    assert file.bookmarks == (
        Bookmark("https://a.example/?x=1", "A", ("Größe",), "one\ntwo", (), 1210982400),
        Bookmark("https://b.example/", "B"),
    )
    assert file.folders == (("Größe",),)
    assert file.skipped[0].reason == "in the trash"


def test_xbel():
    file = read_bookmarks(
        b'<?xml version="1.0"?>\n<!DOCTYPE xbel>\n<xbel version="1.0"><title>All</title>'
        b"<folder folded='no'><title>Sp&#246;rt</title><folder/>"
        b'<bookmark href="https://a.example/?a=1&amp;b=2" added="2020-01-02T03:04:05Z">'
        b"<title><![CDATA[A <b>]]></title><desc>About</desc></bookmark>"
        b"<folder><title>Sub</title></folder></folder>"
        b'<separator/><bookmark href="https://b.example/"/></xbel>'
    )
    assert file.format == "XBEL"
    assert file.bookmarks == (
        Bookmark("https://a.example/?a=1&b=2", "A", ("Spört",), "About", added_at=1577934245),
        Bookmark("https://b.example/", ""),
    )
    assert file.folders == (("Spört",), ("Spört", "Sub"))


def test_rdf_items():
    file = read_bookmarks(
        b'<?xml version="1.0"?><rdf:RDF xmlns:rdf="x"><channel rdf:about="file:///x">'
        b"<title>T</title><link>https://channel.example/</link></channel>"
        b'<item rdf:about="https://a.example/"><title>A</title><link>https://a.example/</link>'
        b"<dc:subject>x</dc:subject><dc:subject>y</dc:subject></item>"
        b'<item rdf:about="https://b.example/"><_title>B</_title></item></rdf:RDF>'
    )
    assert file.format == "RDF"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A", tags=("x", "y")),
        Bookmark("https://b.example/", "B"),
    )


def test_opml_prefers_the_page_to_its_feed():
    file = read_bookmarks(
        b'<?xml version="1.0" encoding="UTF-8"?><opml version="2.0"><head/><body>'
        b'<outline text="News &amp; more"><outline text="A" title="A!" type="rss" '
        b'xmlUrl="https://a.example/feed" htmlUrl="https://a.example/" description="D"/>'
        b'<outline text="B" xmlUrl="https://b.example/feed" htmlUrl="/"></outline>'
        b'<outline text="Empty"/><outline type="rule" text="Unread"/></outline>'
        b'<outline type="link" text="C & D" url="https://c.example/" category="x,y"/></body></opml>'
    )
    assert file.format == "OPML"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A!", ("News & more",), "D"),
        Bookmark("https://b.example/feed", "B", ("News & more",)),
        Bookmark("https://c.example/", "C & D", tags=("x", "y")),
    )
    assert file.folders == (("News & more",), ("News & more", "Empty"))


@pytest.mark.parametrize("kind", [plistlib.FMT_XML, plistlib.FMT_BINARY])
def test_safari_plist(kind):
    leaf = {
        "WebBookmarkType": "WebBookmarkTypeLeaf",
        "URLString": "https://a.example/",
        "URIDictionary": {"title": "A"},
        "ReadingList": {"DateAdded": datetime(2020, 1, 2, 3, 4, 5), "PreviewText": "P"},
    }
    tree = {
        "Title": "",
        "Children": [
            {"Title": "History", "WebBookmarkType": "WebBookmarkTypeProxy"},
            {"Title": "BookmarksBar", "Children": [leaf, {"Title": "Sub", "Children": []}]},
        ],
    }
    file = read_bookmarks(plistlib.dumps(tree, fmt=kind))
    assert file.format == "Safari plist"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A", ("BookmarksBar",), "P", (), 1577934245),
    )
    assert file.folders == (("BookmarksBar",), ("BookmarksBar", "Sub"))
    assert file.roots == (("BookmarksBar",),)


def test_plain_lists():
    file = read_bookmarks(
        b"# my list\nhttps://a.example/\r\n\nB - https://b.example/x,\n"
        b"* [C (c)](https://c.example/d_(e))\nwww.d.example https://e.example/\njust words\n"
        b"javascript:alert(1)\n"
    )
    assert file.format == "URL list"
    assert [(b.url, b.title) for b in file.bookmarks] == [
        ("https://a.example/", ""),
        ("https://b.example/x", "B"),
        ("https://c.example/d_(e)", "C (c)"),
        ("http://www.d.example", ""),
        ("https://e.example/", ""),
    ]
    assert {s.reason for s in file.skipped} == {"not a web address", "javascript: link"}


def test_a_very_long_line_of_addresses_is_read_to_its_end():
    data = " ".join(f"https://a.example/{number}" for number in range(2000)).encode()
    assert len(read_bookmarks(data).bookmarks) == 2000


@pytest.mark.parametrize(
    ("raw", "seconds"),
    [
        *((1358531607, 1358531607), (1358531607000, 1358531607), ("1358531607.9", None)),
        *((0, None), (-5, None), (10**30, None), (True, None), (None, None), ("soon", None)),
        *((float("nan"), None), ("9999-12-31T23:59:59Z", None), ("2020-01-02", 1577923200)),
        *(("0001-01-01T00:00:00+14:00", None), (1.5e9, 1500000000), (99999999999, None)),
    ],
)
def test_dates(raw, seconds):
    assert seconds_of(raw) == seconds
