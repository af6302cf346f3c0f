"""What is exported can be imported, and is the same."""

import io

from hypothesis import given, settings
from hypothesis import strategies as st

from taxonomy.core.exporting import to_line
from taxonomy.core.importers.jsonl import read_jsonl
from taxonomy.core.importers.sources import LINE_MAX
from taxonomy.core.records import (
    DESCRIPTION_MAX,
    START_URLS_MAX,
    TERM_MAX,
    TERMS_MAX,
    TEXT_MAX,
    TITLE_MAX,
    URL_MAX,
    ExampleRecord,
    Record,
    TopicRecord,
    import_path,
    make_example,
    make_topic,
)
from taxonomy.core.tree import DEPTH_MAX, NAME_MAX

ANY_TEXT = st.text(st.characters(exclude_categories=[]), max_size=50)
URLS = ANY_TEXT.map(lambda tail: "http://a.example/" + tail)
PATHS = st.lists(ANY_TEXT, max_size=6).map(import_path)
TOPICS = st.builds(
    lambda path, description, terms, urls: list(
        make_topic(1, path, description=description, terms=terms, start_urls=urls)
    ),
    PATHS,
    ANY_TEXT,
    st.lists(ANY_TEXT, max_size=4),
    st.lists(URLS | ANY_TEXT, max_size=4),
)
EXAMPLES = st.builds(
    lambda path, title, url, text: [make_example(1, path, title=title, url=url, text=text)],
    PATHS,
    ANY_TEXT,
    URLS | ANY_TEXT,
    ANY_TEXT,
)


def export(records: list[TopicRecord | ExampleRecord]) -> bytes:
    return "".join(to_line(record) + "\n" for record in records).encode()


@given(st.lists(TOPICS | EXAMPLES, max_size=5))
@settings(max_examples=300)
def test_export_and_import_are_inverse(batches: list[list[Record]]):
    made = [r for batch in batches for r in batch if isinstance(r, TopicRecord | ExampleRecord)]
    assert list(read_jsonl(io.BytesIO(export(made)))) == made


def test_records_at_every_limit_fit_one_line():
    path = ("😀" * NAME_MAX,) * DEPTH_MAX
    url = "http://a.example/" + "😀" * (URL_MAX - 17)
    topic = TopicRecord(
        path, '"' * DESCRIPTION_MAX, ("😀" * TERM_MAX,) * TERMS_MAX, (url,) * START_URLS_MAX
    )
    example = ExampleRecord(path, "\\" * TITLE_MAX, url, "😀" * TEXT_MAX)
    assert max(len(export([record])) for record in (topic, example)) < LINE_MAX
    assert list(read_jsonl(io.BytesIO(export([topic, example])))) == [topic, example]


def test_empty_fields_are_left_out():
    assert to_line(TopicRecord(("Ä", "B"))) == '{"path": "/Ä/B"}'
