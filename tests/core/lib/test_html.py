import gzip
import json
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.html import PageContent, read_page
from focusadmin.lib.markup import danger_in, plain_text, plain_title
from focusadmin.lib.urls import canonical_url
from tests.core.lib.shared import shared_file

URL = "http://e.com/dir/page"


def page(markup: str, **headers: str) -> PageContent:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return read_page(markup.encode(), URL, {"content-type": "text/html; charset=utf-8", **named})


def test_title_language_description_and_text():
    content = page(
        "<html lang=en-GB><head><title> Two  wheels </title>"
        "<meta name=Description content=' All\nabout '><style>p{}</style>"
        "<body><p>Bread<p>and <b>butter</b><script>no()</script><noscript>x</noscript>"
    )
    assert content.title == "Two wheels"
    assert content.description == "All about"
    assert (content.language, content.is_language_declared) == ("en", True)
    assert content.text == "Bread and butter"
    assert content.plain_because is None


def test_language_is_guessed_when_nothing_is_declared():
    content = page("<p>" + "Das Fahrrad ist ein schönes Verkehrsmittel für die ganze Stadt. " * 5)
    assert (content.language, content.is_language_declared) == ("de", False)


def test_links_come_with_anchor_and_context():
    words = " ".join(f"w{n}" for n in range(30))
    content = page(f"<p>{words} <a href='../x?utm_source=1#f'>the  <i>anchor</i></a> {words}</p>")
    [link] = content.links
    assert link.url == "http://e.com/x"
    assert link.anchor == "the anchor"
    before = " ".join(f"w{n}" for n in range(20, 30))
    after = " ".join(f"w{n}" for n in range(10))
    assert link.context == f"{before} the anchor {after}"


def test_the_same_address_leads_elsewhere_from_another_page():
    addresses = [
        "x",
        "/x",
        "//f.com/x",
        "/\t/f.com/x",
        "\\\\f.com/x",
        "http:x",
        "http://f.com/x",
        "?x",
    ]
    body = "".join(f"<a href='{address}'></a>" for address in addresses).encode()
    for url in (URL, "http://e.com/other/page", "https://e.com:8443/dir/", URL):
        found = [link.url for link in read_page(body, url).links]
        assert found == [canonical_url(address, url) for address in addresses]


def test_words_are_those_of_the_text_and_of_the_context():
    content = page("<p>one <a href=/1>two, <b>three</b></a> four<img alt=x></p>")
    assert content.words == content.text.split() == ["one", "two,", "three", "four"]
    [link] = content.links
    assert link.words == link.context.split() == content.words


def test_neighbouring_links_keep_their_own_words():
    content = page(
        "<a href=/1>one</a><a href=/2></a><a href=javascript:x>bad</a> mid <a href=/3>three</a>"
    )
    assert [(link.url[-1], link.anchor) for link in content.links] == [
        ("1", "one"),
        ("2", ""),
        ("3", "three"),
    ]


def test_an_image_or_a_title_speaks_for_a_link_without_text():
    content = page("<a href=/1><img alt='a bicycle'></a><a href=/2 title=Map></a>")
    assert [link.anchor for link in content.links] == ["a bicycle", "Map"]


def test_only_links_of_the_web_are_links():
    content = page(
        "<a href=mailto:x>m</a><a href='tel:1'>t</a><a name=x>n</a><a href='data:,x'>d</a><a>e</a>"
    )
    assert content.links == ()


def test_base_and_canonical():
    content = page(
        "<base href='//o.org/b/'><base href='/no'><link rel=canonical href='/c?gclid=1'>"
        "<a href=x>x</a>"
    )
    assert content.links[0].url == "http://o.org/b/x"
    assert content.canonical == "http://e.com/c"
    assert page("<base href='javascript:x'><a href=y>y</a>").links[0].url == "http://e.com/dir/y"


@pytest.mark.parametrize(
    ("markup", "header", "is_noindex", "is_nofollow"),
    [
        ("", "", False, False),
        ("<meta name=robots content='NOINDEX, follow'>", "", True, False),
        ("<meta name=robots content=nofollow>", "", False, True),
        ("<meta name=robots content=none>", "", True, True),
        ("<meta name=FocusAdmin content=noindex>", "", True, False),
        ("<meta name=googlebot content=noindex>", "", False, False),
        ("", "noindex, nofollow", True, True),
        ("", "unavailable_after: 2030", False, False),
    ],
)
def test_orders_to_robots(markup: str, header: str, is_noindex: bool, is_nofollow: bool):
    content = page(markup + "<p>x", x_robots_tag=header)
    assert (content.is_noindex, content.is_nofollow) == (is_noindex, is_nofollow)


@pytest.mark.parametrize(
    ("content", "url"),
    [
        ("0; url=/next", "http://e.com/next"),
        ("5;URL='/a b' x", "http://e.com/a%20b"),
        ("0.5, http://o.org/", "http://o.org/"),
        ("3 url = /x", "http://e.com/x"),
        ("0;url=http://127.0.0.1/", "http://127.0.0.1/"),  # the guard judges it, as any link
        ("0;url=javascript:x", None),
        ("0;url=", None),
        ("5", None),
        ("; /y", None),
        ("soon", None),
    ],
)
def test_a_page_that_sends_on_links_to_where_it_sends(content: str, url: str | None):
    markup = f'<title>Moved</title><meta http-equiv=Refresh content="{content}"><a href=/1>one</a>'
    found = [(link.url, link.anchor) for link in page(markup).links]
    assert found == [("http://e.com/1", "one"), *([(url, "Moved")] if url else [])]


def test_links_that_are_not_to_be_followed():
    rels = ("nofollow", "UGC noopener", "sponsored", "noopener", "")
    content = page("".join(f"<a href=/{n} rel='{rel}'>x</a>" for n, rel in enumerate(rels)))
    assert [link.is_nofollow for link in content.links] == [True, True, True, False, False]


def test_plain_text_is_not_parsed():
    content = page("<a href=/x>not a link</a>", content_type="text/plain")
    assert content.text == "<a href=/x>not a link</a>"
    assert content.links == ()


def test_our_own_marks_in_a_page_do_no_harm():
    content = page("<p>\0(fake\0) &#0;( &#x0;) <a href=/x>real\0)</a> \0(")
    assert [link.url for link in content.links] == ["http://e.com/x"]
    assert content.links[0].anchor == "real\ufffd)"
    assert "\0" not in content.text


def test_without_a_parser():
    markup = (
        "<title>A &amp; B</title><script>if (a<b) x()</script>"
        "<p>one<br>two</p><style>p{}</style> three"
    )
    assert plain_title(markup) == "A & B"
    assert plain_text(markup) == "A & B one two three"
    assert plain_text("before <p>after") == "before after"
    assert plain_text(f"a &#{'9' * 5_000}; &#65; b").endswith("9; A b")  # no number is too long
    content = read_page(markup.encode(), URL, is_plain=True)
    assert (content.title, content.plain_because) == ("A & B", "the parser gave up")
    assert content.links == ()


@pytest.mark.parametrize(
    ("markup", "why"),
    [
        ("<p>fine</p>" * 10_000, None),
        ("<br>" * 50_000, None),
        ("<ul>" + "<li>x" * 20_000, None),
        ("<!-- " + "many words " * 20_000 + "-->", None),
        ("<div>" * 20_000, "nested too deeply"),
        ("<a " + "b=c " * 20_000 + ">", "a tag with too many attributes"),
        ("<option>" * 20_000, "too many options"),
    ],
)
def test_the_look_before_parsing(markup: str, why: str | None):
    assert danger_in(markup) == why


_PIECES = (
    "<a href=/x>,</a>,<p>,<table>,<svg><title>,<template>,<base href=//b/>,<select>,"
    "<option>,\0,&#0;,<!--,-->,<area href=y>,<map>,<title>,<frameset>,<plaintext>,\0(,\0),&#0;),"
    "text,<html>,<body>,<b>"
)
PIECES = st.sampled_from(_PIECES.split(","))


@given(st.lists(PIECES | st.text(max_size=3), max_size=40).map("".join))
def test_no_markup_is_too_odd(markup: str):
    content = page(markup)
    assert "\0" not in content.text
    for link in content.links:
        assert link.url.startswith("http")
        assert "\0" not in link.anchor + link.context


def test_the_vectors_of_html5lib_never_disturb():
    folder = shared_file("vectors", "html5lib", "tree-construction")
    count = 0
    for file in folder.glob("*.dat"):
        for case in file.read_bytes().split(b"#data\n")[1:]:
            read_page(case.partition(b"\n#errors")[0], URL)
            count += 1
    assert count > 1_000


def test_real_pages_are_read():
    titled = linked = 0
    file = shared_file("recorded", "wikispeedia-dev.jsonl.gz")
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        for line in islice(lines, 400):
            record = json.loads(line)
            content = read_page(record["html"].encode(), record["url"])
            titled += bool(content.title)
            linked += len(content.links) > 3
    assert titled == 400
    assert linked > 380
