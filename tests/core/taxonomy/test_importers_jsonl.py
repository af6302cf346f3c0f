"""JSON Lines: topics and examples, and what is wrong with a bad line."""

import json
from pathlib import Path

import pytest

from taxonomy.core.records import (
    DESCRIPTION_MAX,
    TEXT_MAX,
    TITLE_MAX,
    ExampleRecord,
    Record,
    Skipped,
    TopicRecord,
)
from tests.core.taxonomy.files import read_bytes


def read_line(tmp_path: Path, line: str | bytes) -> list[Record]:
    data = line.encode("utf-8", "surrogatepass") if isinstance(line, str) else line
    return read_bytes(tmp_path, data, "jsonl")


def read_object(tmp_path: Path, **fields: object) -> list[Record]:
    return read_line(tmp_path, json.dumps(fields))


def test_a_line_without_a_page_is_a_topic(tmp_path):
    fields = {
        "path": "/Arts/Jazz music",
        "description": " Swing ",
        "terms": "sax, , trumpet",
        "start_urls": ["https://a.example/", "HTTP://b.example"],
    }
    assert read_object(tmp_path, **fields) == [
        TopicRecord(
            ("Arts", "Jazz_music"),
            "Swing",
            ("sax", "trumpet"),
            ("https://a.example/", "HTTP://b.example"),
        )
    ]


def test_a_line_with_a_page_is_an_example(tmp_path):
    fields = {"path": ["Arts", "TV/Film"], "title": "T", "url": "https://a.example", "text": None}
    assert read_object(tmp_path, **fields) == [
        ExampleRecord(("Arts", "TV-Film"), "T", "https://a.example")
    ]


def test_the_description_of_an_example_is_its_text(tmp_path):
    assert read_object(tmp_path, path="A", title="T", description="D") == [
        ExampleRecord(("A",), "T", "", "D")
    ]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"path": "/A"', "not JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"path": ' + "[" * 5000 + "]" * 5000 + "}", "nested"),
        ("[1]", "not a JSON object"),
        ('"text"', "not a JSON object"),
        ('{"path": "/A", "x": ' + "9" * 5000 + "}", "too large"),
        ('{"title": "T"}', '"path" is missing'),
        ('{"path": 5}', '"path" is neither'),
        ('{"path": ["A", 5]}', '"path" is neither'),
        ('{"path": "/"}', "no topic path"),
        ('{"path": "/A", "title": 5}', '"title" is not a text'),
        ('{"path": "/A", "terms": {"a": 1}}', '"terms" is neither'),
        ('{"path": "/A", "url": "javascript:alert(1)"}', "not an http or https address"),
        ('{"path": "/A", "url": "java\\nscript:alert(1)"}', "not an http or https address"),
        ('{"path": "/A", "url": " \\u0001data:text/html,x"}', "not an http or https address"),
        ('{"path": "/A", "url": "http://"}', "not an http or https address"),
        ('{"path": "/A", "url": "http://a.example/' + "x" * 2000 + '"}', "longer than 2000"),
        ('{"path": "' + "/a" * 51 + '"}', "more than 50 levels"),
    ],
)
def test_a_bad_line_says_why_and_costs_only_itself(tmp_path, line, reason):
    records = read_line(tmp_path, '{"path": "/First"}\n' + line + '\n\n{"path": "/Last"}')
    first, bad, last = records
    assert (first, last) == (TopicRecord(("First",)), TopicRecord(("Last",)))
    assert isinstance(bad, Skipped)
    assert bad.line == 2
    assert reason in bad.reason


def test_a_bad_start_address_does_not_cost_the_topic(tmp_path):
    topic, bad = read_object(tmp_path, path="/A", start_urls=["file:///etc", "http://a.example"])
    assert topic == TopicRecord(("A",), start_urls=("http://a.example",))
    assert isinstance(bad, Skipped)


def test_over_long_texts_are_cut(tmp_path):
    (example,) = read_object(tmp_path, path="A", title="t" * 9999, text="x" * 300_000)
    (topic,) = read_object(tmp_path, path="A", description="d" * 9999)
    assert isinstance(example, ExampleRecord)
    assert isinstance(topic, TopicRecord)
    sizes = len(example.title), len(example.text), len(topic.description)
    assert sizes == (TITLE_MAX, TEXT_MAX, DESCRIPTION_MAX)


def test_no_nul_and_no_surrogate_gets_through(tmp_path):
    line = r'{"path": "/A\u0000\ud800", "title": "T\u0000\udfff", "text": "a\u0000b"}'
    assert read_line(tmp_path, line) == [ExampleRecord(("A",), "T", "", "ab")]


def test_every_kind_of_line_end_counts(tmp_path):
    data = b'{"path":"A"}\r\n{"path":"B"}\r{"path":"C"}\n\r\n{"path":5}'
    *topics, bad = read_line(tmp_path, data)
    assert topics == [TopicRecord((name,)) for name in "ABC"]
    assert isinstance(bad, Skipped)
    assert bad.line == 5


def test_a_line_of_ten_megabytes_is_passed_over(tmp_path):
    data = b'{"path":"A"}\n{"path":"' + b"x" * 10_000_000 + b'"}\n{"path":"B"}'
    assert read_line(tmp_path, data) == [
        TopicRecord(("A",)),
        Skipped(2, "the line is longer than 1 MiB"),
        TopicRecord(("B",)),
    ]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"])
def test_byte_order_marks_are_understood(tmp_path, encoding):
    mark = "\ufeff" if encoding[-2:] in {"le", "be"} else ""
    data = (mark + '{"path": "/Ärzte/日本 😀"}\n').encode(encoding)
    assert read_line(tmp_path, data) == [TopicRecord(("Ärzte", "日本_😀"))]


def test_bytes_that_are_not_utf8_are_replaced(tmp_path):
    assert read_line(tmp_path, b'{"path": "/A\xff"}') == [TopicRecord(("A\ufffd",))]
