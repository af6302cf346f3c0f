"""The Open Directory's dumps: every block alone, and nothing but blocks."""

import io
import tracemalloc
from xml.sax.saxutils import escape, quoteattr

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core.importers import odp
from taxonomy.core.importers.odp import BLOCK_MAX, read_odp
from taxonomy.core.records import ExampleRecord, Record, Skipped, TopicRecord
from tests.core.taxonomy.files import kinds

PROLOG = (
    '<?xml version="1.0" encoding="UTF-8"?>\n<RDF xmlns:r="http://www.w3.org/TR/RDF/" '
    'xmlns:d="http://purl.org/dc/elements/1.0/" xmlns="http://dmoz.org/rdf/">\n'
)
PAGE = '<ExternalPage about="http://a.example/"><d:Title>T</d:Title><topic>Top/A</topic></ExternalPage>'
LAST = ExampleRecord(("A",), "T", "http://a.example/")


def read_text(text: str) -> list[Record]:
    return list(read_odp(io.BytesIO(text.encode())))


def test_a_structure_file_gives_topics():
    text = PROLOG + (
        '<Topic r:id="">\n</Topic>\n<Topic r:id="Top"><catid>1</catid></Topic>\n'
        '<Topic r:id="Top/Arts/Music">\n  <catid>2</catid>\n  <d:Title>Music</d:Title>\n'
        "  <d:Description>All &lt;b&gt;sounds&lt;/b&gt;</d:Description>\n"
        '  <narrow r:resource="Top/Arts/Music/Jazz"/>\n</Topic>\n</RDF>'
    )
    assert read_text(text) == [
        Skipped(3, "the topic has no usable r:id"),
        TopicRecord(("Arts", "Music"), "All <b>sounds</b>"),
    ]


def test_a_content_file_gives_topics_and_examples():
    text = PROLOG + (
        '<Topic r:id="Top/World/Deutsch"><catid>3</catid>\n<link1 r:resource="http://a.example/"/>'
        '<link r:resource="http://b.example/"></link></Topic>\n'
        "<ExternalPage about='http://a.example/?x=1&amp;y=2'>\n  <d:Title>Übersicht</d:Title>\n"
        "  <d:Description>Texte &amp; Bilder</d:Description>\n  <priority>1</priority>\n"
        "  <topic>Top/World/Deutsch</topic>\n</ExternalPage>\n</RDF>"
    )
    path = ("World", "Deutsch")
    assert read_text(text) == [
        TopicRecord(path),
        ExampleRecord(path, "Übersicht", "http://a.example/?x=1&y=2", "Texte & Bilder"),
    ]


def test_blocks_may_share_a_line_or_be_single_tags():
    text = f'<Topic r:id="Top/A"/><Topic\nr:id = "Top/B" /> {PAGE}{PAGE}<Topic r:id="Top/C"/>'
    topics = [TopicRecord(("A",)), TopicRecord(("B",))]
    assert read_text(text) == [*topics, LAST, LAST, TopicRecord(("C",))]


def test_names_that_only_begin_like_a_block_are_no_blocks():
    assert read_text('<Topics r:id="Top/A"></Topics><TopicX/><ExternalPages/>') == []


def test_comments_and_cdata_are_understood():
    text = PAGE.replace(">T<", "><!-- no --><![CDATA[A & <b>]]><")
    assert read_text(text) == [ExampleRecord(("A",), "A & <b>", "http://a.example/")]


@pytest.mark.parametrize(
    ("block", "reason"),
    [
        (PAGE.replace(">T<", ">&nbsp;<"), "undefined entity"),
        (PAGE.replace(">T<", "><b>T<"), "mismatched tag"),
        (PAGE.replace(">T<", ">A & B<"), "malformed XML"),
        (PAGE.replace(">T<", '><!DOCTYPE x [<!ENTITY e "boom">]>&e;<'), "declaration"),
        (PAGE.replace(">T<", '><!ENTITY e SYSTEM "file:///etc/passwd">&e;<'), "declaration"),
        (PAGE.replace("</ExternalPage>", ""), "no end"),
        (PAGE.replace("http:", "javascript:"), "not an http"),
        (PAGE.replace("Top/A", ""), "no usable topic"),
        (PAGE.replace("Top/A", "/a" * 3000), "no usable topic"),
        (PAGE.replace("Top/A", "/a" * 60), "more than 50 levels"),
        (PAGE.replace(">T<", f">{'x' * BLOCK_MAX}<"), "longer than 1 MiB"),
        (PAGE.replace(">T<", f">{'x' * 3 * BLOCK_MAX}<"), "longer than 1 MiB"),
        ("<Topic><d:Title>T</d:Title></Topic>", "no usable r:id"),
        ('<Topic r:id="Top/\u200b"></Topic>', "no name"),
    ],
)
def test_a_bad_block_says_why_and_costs_only_itself(block, reason):
    bad, *rest = read_text(f"<RDF>\n\n{block}\n{PAGE}\n")
    assert isinstance(bad, Skipped)
    assert bad.line == 3
    assert reason in bad.reason
    assert rest == [LAST]


def test_no_declaration_before_the_blocks_takes_effect():
    bomb = "".join(f'<!ENTITY e{i + 1} "&e{i};&e{i};&e{i};&e{i};">' for i in range(30))
    prolog = f'<!DOCTYPE RDF SYSTEM "http://evil.example/x.dtd" [<!ENTITY e0 "lol">{bomb}]>'
    (bad,) = read_text(f"{prolog}<RDF>{PAGE.replace('>T<', '>&e30;<')}</RDF>")
    assert isinstance(bad, Skipped)
    assert "undefined entity" in bad.reason


def test_control_characters_and_broken_bytes_do_not_cost_the_block():
    data = PAGE.replace(">T<", ">T\x00\x0b\x1f<").encode().replace(b"T\x00", b"T\xff\x00")
    (example,) = read_odp(io.BytesIO(data))
    assert example == ExampleRecord(("A",), "T\ufffd", "http://a.example/")


def test_deep_nesting_inside_a_block_is_harmless():
    (example,) = read_text(PAGE.replace(">T<", ">" + "<b>" * 50_000 + "T" + "</b>" * 50_000 + "<"))
    assert example == LAST


FIELD = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), max_size=30)


@given(
    st.lists(st.tuples(FIELD, FIELD, st.booleans()), max_size=8),
    st.integers(1, 80),
)
def test_blocks_are_the_same_wherever_the_chunks_end(pages, size):
    text, expected = PROLOG, []
    for title, description, new_line in pages:
        url = quoteattr("http://a.example/?" + title.replace(" ", ""))
        text += (
            f"<ExternalPage about={url}><d:Title>{escape(title)}</d:Title>"
            f"<d:Description>{escape(description)}</d:Description><topic>Top/A</topic>"
            "</ExternalPage>" + "\n" * new_line
        )
        expected.append((title.strip(), description.strip()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(odp, "CHUNK", size)
        records = read_text(text)
    assert [(r.title, r.text) for r in records if isinstance(r, ExampleRecord)] == expected


MARKUP = [
    *("<Topic ", 'r:id="Top/A"', "</Topic>", "<ExternalPage ", "about='http://a.example'"),
    *("</ExternalPage>", "<topic>Top/B", "</topic>", ">", "/>", "<", "<!--", "-->", "<![CDATA["),
    *("]]>", "&x;", "\n", '"', "\x00", "é"),
]


@given(st.lists(st.sampled_from(MARKUP), max_size=40).map("".join))
def test_any_mixture_of_markup_is_read_to_the_end(text):
    read_text(text + PAGE)
    assert read_text(text.replace("<", "") + PAGE) == [LAST]


def test_memory_stays_small_however_many_blocks():
    text = (PROLOG + (PAGE + "\n") * 40_000).encode()
    tracemalloc.start()
    total = sum(1 for _ in read_odp(io.BytesIO(text[: 2 * 1024 * 1024])))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert total > 16_000
    assert peak < 6 * 1024 * 1024  # of which 2 are the copy that is read


def test_line_numbers_are_those_of_the_file():
    blocks = [PAGE if i % 7 else "<Topic r:id='Top/A'>" for i in range(20_000)]
    records = read_text("\n".join(blocks))
    lines = [record.line for record in records if isinstance(record, Skipped)]
    assert lines == list(range(1, 20_001, 7))
    assert kinds(records)[1] == 20_000 - len(lines)
