"""The tree of human interests that ships with the product: readable files, checked when loaded."""

import tomllib
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.records import ExampleRecord, TopicRecord, clean_url
from taxonomy.core.tree import join_path, split_path

EXAMPLES_MIN, TERMS_MIN, URLS_MIN = 3, 60, 5
VOICES_MIN = 3  # of a leaf: a shop writes otherwise than an encyclopedia
WORDS_MIN, WORDS_MAX = 80, 140


class ShippedDataError(FocusAdminError):
    """A data file breaks the rules; names file, topic and rule."""


def shipped_records(folder: Path) -> Iterator[TopicRecord | ExampleRecord]:
    """All topics and examples of the files in `folder`, in the order of their names."""
    for file in sorted(folder.glob("*.toml")):
        yield from records_of(file.name, _content(file))


def _content(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except ValueError as error:  # tomllib's own and that of the encoding
        raise ShippedDataError(f"{file.name}: {error}") from error


def records_of(file: str, content: dict[str, Any]) -> list[TopicRecord | ExampleRecord]:
    """The records of one file, or an error that lists everything wrong with it."""
    topics = content.get("topic", [])
    problems = [f"{file}: {problem}" for problem in _problems(topics)]
    if problems:
        raise ShippedDataError("\n".join(problems))
    return [record for topic in topics for record in _records(topic)]


def _records(topic: dict[str, Any]) -> Iterator[TopicRecord | ExampleRecord]:
    path = split_path(topic["path"])
    terms = tuple(_terms(topic))
    yield TopicRecord(path, topic["description"], terms, tuple(topic.get("urls", ())))
    for example in topic.get("example", ()):
        yield ExampleRecord(path, example["title"], "", " ".join(example["text"].split()))


def _terms(topic: dict[str, Any]) -> Iterator[str]:
    words = topic.get("terms", "").replace("\n", ",").split(",")
    return (" ".join(word.split()) for word in words if word.strip())


def _problems(topics: Iterable[dict[str, Any]]) -> Iterator[str]:
    paths = [topic.get("path", "") for topic in topics]
    yield from (f"{path} is there twice" for path, n in Counter(paths).items() if n > 1)
    parents = {join_path(split_path(path)[:-1]) for path in paths}
    seen = {"/"}
    for topic in topics:
        path = topic.get("path", "")
        if join_path(split_path(path)[:-1]) not in seen:
            yield f"{path} comes before its parent"
        seen.add(path)
        if not topic.get("description"):
            yield f"{path} has no description"
        if path not in parents:
            yield from (f"{path} {problem}" for problem in _leaf_problems(topic))


def _leaf_problems(topic: dict[str, Any]) -> Iterator[str]:
    examples, terms, urls = topic.get("example", []), list(_terms(topic)), topic.get("urls", [])
    if len(examples) < EXAMPLES_MIN:
        yield f"has {len(examples)} examples, fewer than {EXAMPLES_MIN}"
    if len(set(terms)) < TERMS_MIN:
        yield f"has {len(set(terms))} different terms, fewer than {TERMS_MIN}"
    if len(set(urls)) < URLS_MIN or not all(clean_url(url) for url in urls):
        yield f"needs {URLS_MIN} different web addresses"
    voices = {example.get("voice", "") for example in examples}
    if len(voices - {""}) < VOICES_MIN:
        yield f"speaks in fewer than {VOICES_MIN} voices"
    for example in examples:
        title, words = example.get("title", ""), len(example.get("text", "").split())
        if not title:
            yield "has an example without a title"
        if not WORDS_MIN <= words <= WORDS_MAX:
            yield f"has an example of {words} words: {title}"
