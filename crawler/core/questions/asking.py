"""Asks a question of a copy of a crawl, by a child process that is bound hand and foot."""

import difflib
import json
import re
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from crawler.core.questions import child
from crawler.core.questions.schema import NAMES, VIEWS
from focusadmin.lib.errors import FocusAdminError

SECONDS = 10.0
ROWS_SHOWN = 500
ROWS_KEPT = 50_000  # in a file
LONGEST_SQL = 10_000
LONGEST_SHOWN = 300
_GRACE = 5.0  # seconds for the process to start and to end by itself
_AT_A_TIME = threading.BoundedSemaphore(2)  # of this server; each may take a core and 600 MB
_PATIENCE = 15.0


class QuestionError(FocusAdminError):
    """A question without an answer; says what to do."""


@dataclass(frozen=True)
class Answer:
    columns: list[str]
    rows: list[list[Any]]
    has_more: bool


def ask(
    path: Path,
    sql: str,
    *,
    rows: int = ROWS_SHOWN,
    longest: int = LONGEST_SHOWN,
    seconds: float = SECONDS,
) -> Answer:
    """The first rows of the answer; raises QuestionError with what to change."""
    if not sql.strip():
        raise QuestionError("Write a question first, or choose one of the examples.")
    if len(sql) > LONGEST_SQL:
        raise QuestionError(f"A question may have {LONGEST_SQL:,} characters; shorten it.")
    if not _AT_A_TIME.acquire(timeout=_PATIENCE):
        raise QuestionError("Other questions are being answered. Try again in a few seconds.")
    try:
        told = _told(path, sql, rows, longest, seconds)
    finally:
        _AT_A_TIME.release()
    if "error" in told:
        raise QuestionError(_words(told["error"], told["detail"], seconds))
    return Answer(told["columns"], told["rows"], told["more"])


def _told(path: Path, sql: str, rows: int, longest: int, seconds: float) -> dict[str, Any]:
    asked = {
        "file": str(path), "sql": sql, "rows": rows, "longest": longest,
        "seconds": seconds, "views": NAMES,
    }  # fmt: skip
    try:
        done = subprocess.run(  # noqa: S603 - our own interpreter and our own file
            # Isolated: nothing of the surroundings, and none of the product's code.
            [sys.executable, "-I", "-S", child.__file__],
            input=json.dumps(asked).encode(),
            capture_output=True,
            env={},
            timeout=seconds + _GRACE,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return {"error": "time", "detail": ""}
    if done.returncode < 0:
        return {"error": "time", "detail": ""}  # the limit of its processor time ended it
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"error": "memory", "detail": ""}  # not even the room to say so
    return told


def _words(kind: str, detail: str, seconds: float) -> str:
    fixed = {
        "time": f"The question was cut off after {seconds:g} seconds. Ask for less: a condition on "
        "topic, site or page, or fewer views joined.",
        "memory": "The question needs too much memory. Sort or group fewer rows: add a condition.",
        "big": "A value of the answer is too long: a text may have a million characters.",
        "forbidden": "Questions can only read, by SELECT, and only these views: "
        f"{', '.join(NAMES)}. Functions that reach further are not allowed.",
        "several": "Ask one question at a time: there must be no other statement after it.",
        "nothing": "There is no SELECT in this question.",
    }
    return fixed.get(kind) or _sql_words(detail)


def _sql_words(detail: str) -> str:
    if found := re.fullmatch(r"no such table: (.+)", detail, re.DOTALL):
        return f"There is no view {found[1]}. There are: {', '.join(NAMES)}."
    if found := re.fullmatch(r"no such column: (.+)", detail, re.DOTALL):
        return f"There is no column {found[1]}.{_meant(found[1])}"
    if found := re.fullmatch(r'near "(.+)": syntax error', detail, re.DOTALL):
        return f"The question can't be read near “{found[1]}”. Look at what stands before it."
    if "incomplete input" in detail:
        return "The question ends too early: a bracket, a quotation mark or a word is missing."
    if found := re.fullmatch(r"no such function: (.+)", detail, re.DOTALL):
        return f"There is no function {found[1]}. The page on questions lists those there are."
    return f"The question can't be answered: {detail}."


def _meant(name: str) -> str:
    """The columns that are called nearly so."""
    columns = {column.name: view.name for view in VIEWS for column in view.columns}
    near = difflib.get_close_matches(name.rpartition(".")[2].lower(), columns, n=3, cutoff=0.75)
    if not near:
        return " Text stands in single quotes; the columns are listed beside the question."
    return f" Did you mean {' or '.join(f'{columns[each]}.{each}' for each in near)}?"
