"""Netscape bookmark files as browsers write them, and as they arrive."""

import pytest

from taxonomy.core.bookmarks.detect import read_bookmarks
from taxonomy.core.bookmarks.types import Bookmark, SkippedBookmark

CHROME = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- <DT><A HREF="https://commented.example/">out</A> -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
    <DT><H3 ADD_DATE="1" PERSONAL_TOOLBAR_FOLDER="true">Bookmarks bar</H3>
    <DL><p>
        <DT><A HREF="https://a.example/?x=1&copy=2&amp;y=3" ADD_DATE="1545502188"
            ICON="data:image/png;base64,AAAA>BBBB">Größe &lt;b&gt; &amp; mehr</A>
        <DT><H3>Empty</H3>
        <DL><p>
        </DL><p>
        <DT><H3>Cycling</H3>
        <DL><p>
            <DT><A HREF="https://bike.example/">Bikes</A>
        </DL><p>
    </DL><p>
    <DT><A HREF="https://b.example/">Outside</A>
</DL><p>
"""


def test_folders_dates_and_entities_of_a_chrome_export():
    file = read_bookmarks(CHROME.encode(), "bookmarks.html")
    assert file.format == "Netscape HTML"
    assert file.bookmarks == (
        Bookmark(
            "https://a.example/?x=1&copy=2&y=3",
            "Größe <b> & mehr",
            ("Bookmarks bar",),
            added_at=1545502188,
        ),
        Bookmark("https://bike.example/", "Bikes", ("Bookmarks bar", "Cycling")),
        Bookmark("https://b.example/", "Outside"),
    )
    assert file.folders == (
        ("Bookmarks bar",),
        ("Bookmarks bar", "Empty"),
        ("Bookmarks bar", "Cycling"),
    )
    assert file.roots == (("Bookmarks bar",),)


def test_descriptions_keep_their_lines_and_swallow_their_links():
    file = read_bookmarks(
        b"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><p>\n"
        b'<DT><A HREF="https://a.example/" TAGS="one two">A</A>\n'
        b"<DD>List:\n  - item\n"
        b'<a href="https://inner.example/"><img src="x"></a>\n'
        b'<DT><A HREF="https://b.example/" TAGS="x, multi word">B</A>\n'
        b"<DT><H3>Folder</H3>\n<DD>About the folder\n"
        b'<DL><p><DT><A HREF="https://c.example/">C</A></DL></DL>'
    )
    a, b, c = file.bookmarks
    assert (a.description, a.tags) == ("List:\n  - item", ("one", "two"))
    assert (b.description, b.tags) == ("", ("x", "multi word"))
    assert (c.description, c.folder) == ("", ("Folder",))


def test_tags_left_open_and_superfluous_ends():
    file = read_bookmarks(
        b"<DT><H3 FOLDED>Favoris<DL></DL></DL></DL>"
        b"<dt><h3>Two</h3><dl><dt><a href=https://a.example/>One<dt><A HREF='https://b.example/'>Two"
    )
    assert [(b.url, b.title, b.folder) for b in file.bookmarks] == [
        ("https://a.example/", "One", ("Two",)),
        ("https://b.example/", "Two", ("Two",)),
    ]
    assert file.folders == (("Favoris",), ("Two",))


def test_a_heading_without_a_list_is_an_empty_folder():
    file = read_bookmarks(b'<DL><DT><H3>F</H3><DT><A HREF="https://a.example/">A</A></DL>')
    assert file.bookmarks[0].folder == ()
    assert file.folders == (("F",),)


def test_attribute_descriptions_of_scuttle_and_dates_of_apache_and_google():
    file = read_bookmarks(
        b'<DL><DT><a href="https://a.example/" description="Said &quot;so&quot;" '
        b'ADD_DATE="10/Oct/2000:13:55:36 +0300">A</a>'
        b'<DT><a href="https://b.example/" ADD_DATE="1523996194943160">B</a></DL>'
    )
    a, b = file.bookmarks
    assert (a.description, a.added_at) == ('Said "so"', 971175336)
    assert b.added_at == 1523996194


def test_pocket_lists_have_headings_for_folders():
    file = read_bookmarks(
        b"<!DOCTYPE html><html><head><title>Pocket Export</title></head><body><h1>Unread</h1><ul>"
        b'<li><a href="https://a.example/" time_added="1352708193" tags="x,y">A</a></li></ul>'
        b"<h1>Read Archive</h1><ul></ul></body></html>"
    )
    assert file.format == "Pocket HTML"
    assert file.bookmarks == (
        Bookmark("https://a.example/", "A", ("Unread",), "", ("x", "y"), 1352708193),
    )
    assert file.folders == (("Unread",), ("Read Archive",))


def test_any_page_with_links_is_read_under_its_headings():
    file = read_bookmarks(
        b"<h1>Links</h1><h2>Sport</h2><a href='https://a.example/'>A</a> <a name='x'>no link</a>"
        b"<h2>News</h2><p><a class=x href=https://b.example/>B<br>b</a>"
    )
    assert file.format == "HTML links"
    assert [(b.title, b.folder) for b in file.bookmarks] == [
        ("A", ("Links", "Sport")),
        ("Bb", ("Links", "News")),
    ]


@pytest.mark.parametrize(
    ("encoding", "declared"),
    [
        ("utf-8", ""),
        ("utf-8", "windows-1251"),
        ("utf-8-sig", "iso-8859-1"),
        ("utf-16", "utf-8"),
        ("utf-16-le", ""),
        ("utf-16-be", "utf-16"),
        ("cp1252", ""),
        ("cp1252", "utf-8"),
        ("cp1252", "no-such-charset"),
        ("cp1252", "hex"),
        ("latin-1", "ISO-8859-1"),
    ],
)
def test_wrong_and_missing_charsets(encoding, declared):
    meta = f'<META CONTENT="text/html; charset={declared}">'
    text = f'{meta}<DL><DT><A HREF="https://a.example/">Größe é'
    assert read_bookmarks(text.encode(encoding)).bookmarks[0].title == "Größe é"


@pytest.mark.parametrize("encoding", ["windows-1251", "koi8-r", "gbk", "shift_jis", "iso-2022-jp"])
def test_declared_charsets(encoding):
    words = "数学" if encoding in {"gbk", "shift_jis", "iso-2022-jp"} else "Закладки"
    text = f'<META charset="{encoding}"><DL><DT><A HREF="https://a.example/">{words}'
    title = read_bookmarks(text.encode(encoding)).bookmarks[0].title
    assert title == words or encoding == "iso-2022-jp"  # that one is valid ASCII, too


def test_a_few_broken_bytes_do_not_spoil_the_rest():
    text = '<DL><DT><A HREF="https://a.example/">Größe und Wärme für süße Öfen'.encode()
    assert read_bookmarks(text + b" \xff").bookmarks[0].title.startswith("Größe und Wärme für")


def test_duplicates_are_dropped_in_a_folder_and_kept_in_another():
    file = read_bookmarks(
        b'<DL><DT><A HREF="https://a.example/">1</A><DT><A HREF="https://a.example/">2</A>'
        b'<DT><H3>F</H3><DL><DT><A HREF="https://a.example/">3</A></DL></DL>'
    )
    assert [(b.title, b.folder) for b in file.bookmarks] == [("1", ()), ("3", ("F",))]
    assert file.duplicates == 2


def test_what_is_no_web_page_is_counted_by_reason():
    addresses = [
        *(
            "javascript:alert(1)",
            " JavaScript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
        ),
        *("file:///etc/passwd", "place:sort=8", "about:config", "chrome://flags", "?note", ""),
        *("ftp://a.example/", "http://", "http://[", "http://a.example:port/", "http://localhost/"),
        *("http://192.168.1.1/", "http://[::1]/", "http://nas.local/", "http://router/"),
        "https://a.example/" + "x" * 2000,
    ]
    links = "".join(f'<DT><A HREF="{address}">x</A>\n' for address in addresses)
    file = read_bookmarks(f"<DL>{links}</DL>".encode())
    assert file.bookmarks == ()
    assert {entry.reason: entry.count for entry in file.skipped} == {
        "javascript: link": 3,
        "data: link": 1,
        "file: link": 1,
        "place: query": 1,
        "browser page": 2,
        "empty": 1,
        "not a web address": 5,
        "private address": 5,
        "longer than 2,000 characters": 1,
    }


def test_private_addresses_can_be_allowed():
    data = b'<DL><DT><A HREF="http://127.0.0.1:8000/">demo</A>'
    assert read_bookmarks(data, allow_private=True).bookmarks[0].url == "http://127.0.0.1:8000/"
    assert read_bookmarks(data).skipped == (SkippedBookmark("private address", 1),)
