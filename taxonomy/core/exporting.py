"""Writes records so that reading them again gives the same records."""

import json

from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.core.tree import join_path


def to_line(record: TopicRecord | ExampleRecord) -> str:
    """The record as one line of JSON, without its line end and without empty fields."""
    return json.dumps({"path": join_path(record.path), **_filled(record)}, ensure_ascii=False)


def _filled(record: TopicRecord | ExampleRecord) -> dict[str, object]:
    if isinstance(record, TopicRecord):
        fields: dict[str, object] = {
            "description": record.description,
            "terms": record.terms,
            "start_urls": record.start_urls,
        }
    else:
        fields = {"title": record.title, "url": record.url, "text": record.text}
    return {key: value for key, value in fields.items() if value}
