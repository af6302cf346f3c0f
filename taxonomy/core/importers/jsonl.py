"""JSON Lines: one object a line, a topic or an example. FocusAdmin's own exchange format."""

import json
from collections.abc import Iterator
from typing import Any, BinaryIO

from taxonomy.core.importers.sources import TOO_LONG, lines
from taxonomy.core.records import Record, Skipped, import_path, make_example, make_topic


class _LineError(Exception):
    """Why one line cannot be used."""


def read_jsonl(stream: BinaryIO) -> Iterator[Record]:
    """The records of the file; a bad line costs only itself."""
    for number, line in lines(stream):
        if line is None:
            yield Skipped(number, f"the line is {TOO_LONG}")
        elif text := line.decode("utf-8", "replace").strip():
            yield from _read_line(number, text)


def _read_line(number: int, text: str) -> Iterator[Record]:
    try:
        yield from _records(number, _parsed(text))
    except _LineError as error:
        yield Skipped(number, str(error))


def _parsed(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except RecursionError:
        raise _LineError("the JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise _LineError(f"not JSON: {error.msg} at column {error.colno}") from None
    except ValueError:  # an integer with thousands of digits
        raise _LineError("not JSON: a number is too large") from None
    if not isinstance(value, dict):
        raise _LineError("not a JSON object")
    return value


def _records(number: int, fields: dict[str, Any]) -> Iterator[Record]:
    path = _path(fields)
    title, url, text = (_text(fields, key) for key in ("title", "url", "text"))
    description = _text(fields, "description")
    if title.strip() or url.strip() or text.strip():
        yield make_example(number, path, title=title, url=url, text=text or description)
        return
    terms, start_urls = _texts(fields, "terms", ","), _texts(fields, "start_urls", None)
    yield from make_topic(number, path, description=description, terms=terms, start_urls=start_urls)


def _path(fields: dict[str, Any]) -> tuple[str, ...]:
    if fields.get("path") is None:
        raise _LineError('"path" is missing')
    return import_path(_texts(fields, "path", "/"))


def _text(fields: dict[str, Any], key: str) -> str:
    value = fields.get(key)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _LineError(f'"{key}" is not a text')
    return value


def _texts(fields: dict[str, Any], key: str, separator: str | None) -> list[str]:
    """A list of texts, which a file may also give as one text with separators."""
    value = fields.get(key)
    if value is None:
        return []
    if isinstance(value, str):
        return value.split(separator)
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        return value
    raise _LineError(f'"{key}" is neither a text nor a list of texts')
