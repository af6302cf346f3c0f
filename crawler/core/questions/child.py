"""Answers one question, in a process of its own: `python -I -S child.py`, standard library only.

What it is told comes as JSON on standard input, the answer goes as JSON to standard output. The
process may read one file, write none, and use so much memory and so much time; it limits itself
before it looks at the question. Inside, SQLite allows to select from the views and nothing else.
"""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from typing import Any
from urllib.parse import quote

MOST_BYTES = 4_000_000  # of an answer
MEMORY = 600_000_000  # of the process
SQLITE_MEMORY = 300_000_000
LONGEST_VALUE = 1_000_000
OPCODES = 20_000  # between two looks at the clock

_NAMES = """
abs avg ceil ceiling char coalesce count cume_dist date datetime dense_rank exp first_value floor
glob group_concat ifnull iif instr julianday lag last_value lead length like ln log log10 log2
lower ltrim max min mod nth_value ntile nullif percent_rank pow power rank replace round row_number
rtrim sign sqrt strftime substr substring sum time total trim typeof unicode upper
"""
FUNCTIONS = frozenset(_NAMES.split())
_LIMITS = {
    "SQLITE_LIMIT_LENGTH": LONGEST_VALUE,
    "SQLITE_LIMIT_SQL_LENGTH": 20_000,
    "SQLITE_LIMIT_COLUMN": 200,
    "SQLITE_LIMIT_EXPR_DEPTH": 200,
    "SQLITE_LIMIT_COMPOUND_SELECT": 50,
    "SQLITE_LIMIT_VDBE_OP": 100_000,
    "SQLITE_LIMIT_FUNCTION_ARG": 32,
    "SQLITE_LIMIT_ATTACHED": 0,
    "SQLITE_LIMIT_LIKE_PATTERN_LENGTH": 1_000,
    "SQLITE_LIMIT_VARIABLE_NUMBER": 0,
    "SQLITE_LIMIT_TRIGGER_DEPTH": 0,
    "SQLITE_LIMIT_WORKER_THREADS": 0,
}


def limit_process(seconds: float) -> None:
    """As far as the operating system knows such limits; the parent keeps time, too."""
    try:
        import resource
    except ImportError:  # Windows
        return
    wanted = {"AS": MEMORY, "CPU": int(seconds) + 2, "FSIZE": 0, "CORE": 0}
    for name, most in wanted.items():
        kind = getattr(resource, f"RLIMIT_{name}", None)
        if kind is not None:
            try:
                resource.setrlimit(kind, (most, most))
            except (ValueError, OSError):  # an operating system that refuses this one
                continue


def authorizer(views: frozenset[str]) -> Callable[..., int]:
    """Allows to read the views by functions that are known to do no harm."""
    plain = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})

    def decide(action: int, first: str | None, second: str | None, *_: str | None) -> int:
        is_fine = (
            action in plain
            or (action == sqlite3.SQLITE_READ and first in views)
            or (action == sqlite3.SQLITE_FUNCTION and (second or "").lower() in FUNCTIONS)
        )
        return sqlite3.SQLITE_OK if is_fine else sqlite3.SQLITE_DENY

    return decide


def opened(path: str, views: frozenset[str], until: float) -> sqlite3.Connection:
    """The file, read-only, with every lock on."""
    connection = sqlite3.connect(f"file:{quote(path)}?mode=ro&immutable=1", uri=True)
    connection.execute("PRAGMA temp_store = MEMORY")  # no file may be written
    connection.execute("PRAGMA query_only = ON")
    connection.execute("PRAGMA trusted_schema = OFF")
    connection.execute(f"PRAGMA hard_heap_limit = {SQLITE_MEMORY}")
    connection.text_factory = lambda raw: raw.decode("utf-8", "replace")
    for name, most in _LIMITS.items():
        kind = getattr(sqlite3, name, None)
        if kind is not None:
            connection.setlimit(kind, most)
    connection.set_progress_handler(lambda: time.monotonic() > until, OPCODES)
    connection.set_authorizer(authorizer(views))
    return connection


def answer(asked: dict[str, Any]) -> dict[str, Any]:
    """Columns and rows; `more` if there were more rows than were asked for."""
    until = time.monotonic() + asked["seconds"]
    connection = opened(asked["file"], frozenset(asked["views"]), until)
    cursor = connection.execute(asked["sql"])
    if cursor.description is None:
        return {"error": "nothing", "detail": ""}
    columns = [column[0] for column in cursor.description]
    rows: list[list[Any]] = []
    size = 0
    for row in cursor:
        cells = [_cell(value, asked["longest"]) for value in row]
        size += sum(len(str(cell)) for cell in cells)
        if len(rows) >= asked["rows"] or size > MOST_BYTES:
            return {"columns": columns, "rows": rows, "more": True}
        rows.append(cells)
    return {"columns": columns, "rows": rows, "more": False}


def _cell(value: Any, longest: int) -> Any:
    if isinstance(value, bytes):
        return f"({len(value)} bytes)"
    if isinstance(value, str) and len(value) > longest:
        return value[:longest] + "…"
    if isinstance(value, float) and value in (float("inf"), float("-inf")):
        return str(value)
    return value


def told(asked: dict[str, Any]) -> dict[str, Any]:
    """The answer, or the kind of error and what SQLite said."""
    try:
        return answer(asked)
    except MemoryError:
        return {"error": "memory", "detail": ""}
    except (sqlite3.Error, sqlite3.Warning) as error:
        detail = str(error)
        kinds = {
            "interrupted": "time",
            "not authorized": "forbidden",
            "prohibited": "forbidden",
            "one statement": "several",
            "too big": "big",
            "out of memory": "memory",
        }
        kind = next((kinds[part] for part in kinds if part in detail), "sql")
        return {"error": kind, "detail": detail[:500]}
    except (ValueError, OverflowError) as error:  # a character that SQL may not hold
        return {"error": "sql", "detail": str(error)[:500]}


def main() -> None:
    asked = json.load(sys.stdin)
    limit_process(asked["seconds"])
    json.dump(told(asked), sys.stdout)


if __name__ == "__main__":
    main()
