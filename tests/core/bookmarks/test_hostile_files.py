"""Files made to harm: every one is read in bounded time or refused with advice."""

import plistlib
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from taxonomy.core.bookmarks import collecting, detect
from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.types import MAX_DEPTH, BookmarkFile, BookmarkFileError

STARTS = [
    *(b"", b"<!DOCTYPE NETSCAPE-Bookmark-file-1>", b"<dl><dt>", b"<html><a href=x>", b"bplist00"),
    *(b"Opera Hotlist version 2.0\n", b"<opml><outline ", b"<xbel><folder>", b"<rdf:RDF><item "),
    *(b"<plist><dict>", b'{"roots": ', b'[{"url": "', b"url,title\n", b"https://a.example/\n"),
    *(b"\xff\xfe", b"<\0d\0t\0>\0"),
]
PIECES = [
    *(
        b"<dl>",
        b"</dl>",
        b"<dt>",
        b"<dd>",
        b"<h3>",
        b"</h3>",
        b"<a href=",
        b"</a>",
        b"<!--",
        b"-->",
    ),
    *(b'"', b"'", b">", b"<", b"&", b"&#", b"&amp;", b"x", b"\0", b"\xff", b"https://a.example/"),
    *(b"<outline ", b"/>", b"<bookmark ", b"<title>", b"\n#URL\n", b"\nURL=", b"\n-\n", b"{", b"["),
    *(b'"children":', b"]", b"}", b",", b"\n", b"javascript:", b"<![CDATA[", b"\xe2\x80\xae"),
]


def outcome(data: bytes) -> BookmarkFile | str:
    try:
        return read_bookmarks(data, "any\u202ename")
    except BookmarkFileError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(STARTS), st.binary(max_size=300))
def test_random_bytes_are_read_or_refused(start, rest):
    assert outcome(start + rest)


@settings(max_examples=500, deadline=None)
@given(st.sampled_from(STARTS), st.lists(st.sampled_from(PIECES), max_size=40))
def test_shuffled_pieces_are_read_or_refused(start, pieces):
    found = outcome(start + b"".join(pieces))
    assert found
    if isinstance(found, BookmarkFile):
        assert all(b.url.startswith(("http://", "https://")) for b in found.bookmarks)
        assert {b.folder for b in found.bookmarks if b.folder} <= set(found.folders)


@pytest.mark.parametrize(
    "unit",
    [
        *(b"<dl>", b"<a>", b"<a ", b"<a '>'", b'<a href="', b"<dt>", b"<h3>x</h3><dl>", b"<!--"),
        *(b"<", b"<dd><a href=x>", b"<dt><a href='&amp;&amp;", b"<dt><dd>&#x1F600;", b"<a\t\t"),
    ],
)
def test_repeated_pieces_take_linear_time(unit):
    began = time.process_time()
    outcome(b"<!DOCTYPE NETSCAPE-Bookmark-file-1>" + unit * (300_000 // len(unit)))
    assert time.process_time() - began < 5


@pytest.mark.parametrize(
    "data",
    [
        *(b"<opml>" + b'<outline text="x">' * 20_000, b"<xbel>" + b"<folder><title>x" * 20_000),
        *(b"Opera Hotlist\n" + b"#FOLDER\nNAME=x\n" * 20_000, b'{"children":[' * 20_000),
        *(b"<dl>" + b"<dt><h3>x</h3><dl>" * 20_000, b"url\n" + b'"' * 1_000_001),
    ],
)
def test_deep_nesting_is_folded_or_refused(data):
    found = outcome(data)
    if isinstance(found, BookmarkFile):
        assert max(map(len, found.folders), default=0) <= MAX_DEPTH


def test_bookmarks_below_the_deepest_folder_are_kept_and_what_follows_is_right():
    deep = b"<dt><h3>x</h3><dl>" * 3000
    inside = b'<dt><a href="https://a.example/">A</a>'
    after = b'<dt><a href="https://b.example/">B</a>'
    a, b = read_bookmarks(b"<dl>" + deep + inside + b"</dl>" * 3000 + after).bookmarks
    assert (len(a.folder), b.folder) == (MAX_DEPTH, ())


@pytest.mark.parametrize(
    ("data", "advice"),
    [
        (b"", "empty"),
        (b" \n ", "empty"),
        (b"mozLz40\0rest", "Firefox backup"),
        (b"SQLite format 3\0", "browser's database"),
        (b"PK\x03\x04", "Unpack"),
        (b"\x1f\x8b\x08", "Unpack"),
        (b"%PDF-1.7", "PDF"),
        (b"bplist00broken", "Export Bookmarks"),
        (b"<plist><dict><key>Children</key>", "Export Bookmarks"),
        (b"<plist><dict><key>x</key><date>never</date></dict></plist>", "Export Bookmarks"),
        (b"Dear diary,\ntoday nothing.\n", "Export your bookmarks as HTML"),
        (b"\x89PNG\r\n\x1a\n" + bytes(range(256)), "Export your bookmarks as HTML"),
        (b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL></DL>", "no bookmarks"),
    ],
)
def test_refusals_say_what_to_do(data, advice):
    with pytest.raises(BookmarkFileError, match=advice):
        read_bookmarks(data)


def test_the_refusal_names_the_file():
    with pytest.raises(BookmarkFileError, match=r"“letter\.txt” does not look like"):
        read_bookmarks(b"Dear diary", "letter.txt")


ENTITIES = (
    b'<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c SYSTEM "file:///etc/passwd">]>'
)


@pytest.mark.parametrize(
    "body",
    [
        b'<opml><body><outline text="&b;" htmlUrl="https://a.example/"/></body></opml>',
        b'<xbel><bookmark href="https://a.example/"><title>&b;</title></bookmark></xbel>',
        b'<rdf:RDF><item rdf:about="https://a.example/"><title>&c;</title></item></rdf:RDF>',
        b'<plist version="1.0"><dict><key>URLString</key><string>&b;</string></dict></plist>',
    ],
)
def test_xml_entities_are_refused(body):
    with pytest.raises(BookmarkFileError):
        read_bookmarks(ENTITIES + body)


def test_limits_of_size_and_number(monkeypatch):
    link = b'<dt><a href="https://a.example/%d">x</a>'
    monkeypatch.setattr(collecting, "MAX_BOOKMARKS", 3)
    assert len(read_bookmarks(b"<dl>" + b"".join(link % n for n in range(3))).bookmarks) == 3
    with pytest.raises(BookmarkFileError, match="more than 3 bookmarks"):
        read_bookmarks(b"<dl>" + b"".join(link % n for n in range(4)))
    monkeypatch.setattr(collecting, "MAX_FOLDERS", 3)
    with pytest.raises(BookmarkFileError, match="more than 3 folders"):
        read_bookmarks(b"<dl>" + b"".join(b"<dt><h3>%d</h3><dl></dl>" % n for n in range(4)))
    monkeypatch.setattr(collecting, "MAX_PARTS", 30)
    with pytest.raises(BookmarkFileError, match="far more parts"):
        read_bookmarks(b"<dt>" * 31)
    monkeypatch.setattr(detect, "MAX_BYTES", 1024**2)
    with pytest.raises(BookmarkFileError, match="larger than 1 MB"):
        read_bookmarks(b"<dl>" + b" " * 1024**2)


def test_a_plist_that_refers_to_itself_many_times_is_stopped(monkeypatch):
    monkeypatch.setattr(collecting, "MAX_BOOKMARKS", 1000)
    node: dict[str, object] = {"Title": "x", "Children": [{"URLString": "https://a.example/"}]}
    for _ in range(25):
        node = {"Title": "x", "Children": [node, node]}
    with pytest.raises(BookmarkFileError):
        read_bookmarks(plistlib.dumps(node, fmt=plistlib.FMT_BINARY))


def test_titles_are_readable_and_short():
    title = "a\x01b\u202ec\u2066d\ud800 \t e\u200d" + "x" * 1_000_000
    data = b'[{"url": "https://a.example/", "title": "%s"}]' % title.encode(
        "ascii", "backslashreplace"
    )
    found = read_bookmarks(data).bookmarks[0].title
    assert found.startswith("abcd e\u200dxxx")
    assert len(found) == 500
    netscape = b'<dl><dt><a href="https://a.example/">' + b"&#8238;\0\x07y" * 300_000
    assert read_bookmarks(netscape).bookmarks[0].title == "y" * 500


def test_unsafe_characters_in_addresses_are_escaped():
    data = "<dl><dt><a href='\x01https://a.example/a b\u202e\"<x>\n?q=ü'>x</a>"
    url = read_bookmarks(data.encode()).bookmarks[0].url
    assert url.startswith("https://a.example/a%20b%E2%80%AE%22%3Cx%3E")
    assert "\n" not in url
