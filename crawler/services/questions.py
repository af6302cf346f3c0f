"""Makes the copies of crawls that questions ask, asks them, and keeps what people save.

A question never meets the database of the product: it asks a file that holds the views of one
crawl and nothing else (docs/decisions/0020). The same holds in both modes.
"""

import csv
import io
import os
import sqlite3
import tempfile
from contextlib import closing
from datetime import timedelta
from pathlib import Path

from django.utils import timezone

from crawler.core.exports.tables import harmless
from crawler.core.questions.asking import (
    LONGEST_SHOWN,
    LONGEST_SQL,
    ROWS_KEPT,
    ROWS_SHOWN,
    Answer,
    QuestionError,
    ask,
)
from crawler.core.questions.child import LONGEST_VALUE
from crawler.core.questions.schema import VIEWS
from crawler.models import Crawl, SavedQuestion
from crawler.selectors.questioncopy import CrawlRows
from crawler.selectors.questions import (
    Copy,
    copies_folder,
    copy_name,
    copy_of,
    is_being_made,
    making_path,
    wanted_path,
)
from focusadmin.accounts.models import User

AT_ONCE = 20_000  # pages of a crawl that is copied while somebody waits: two seconds
FRESH = timedelta(minutes=1)
SAVED_AT_MOST = 200  # questions of a team


def copy_make(crawl: Crawl) -> Copy:
    """Write the views of a crawl to a file; it has its name when it is whole."""
    folder = copies_folder()
    folder.mkdir(parents=True, exist_ok=True)
    rows = CrawlRows(crawl)
    handle, name = tempfile.mkstemp(dir=folder, prefix=f".{crawl.pk}-")
    os.close(handle)
    try:
        _write(name, rows)
        done = folder / copy_name(crawl.pk, rows.seq)
        Path(name).replace(done)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
    for other in folder.glob(f"{crawl.pk}-*.sqlite3"):
        if other != done:
            other.unlink(missing_ok=True)  # who reads it still has it open
    made = copy_of(crawl)
    if made is None:
        raise QuestionError("This crawl was discarded.")
    return made


def _write(name: str, rows: CrawlRows) -> None:
    with closing(sqlite3.connect(name, isolation_level=None)) as copy:
        copy.execute("PRAGMA journal_mode = OFF")
        copy.execute("PRAGMA synchronous = OFF")
        copy.execute("BEGIN")
        for view in VIEWS:
            copy.execute(view.create())
            copy.executemany(view.insert(), rows.rows_of(view.name))
            for statement in view.create_indexes():
                copy.execute(statement)
        copy.execute("COMMIT")
        copy.execute("ANALYZE")


def copy_for(crawl: Crawl) -> Copy:
    """What a question asks now: made anew for a small crawl that has grown."""
    copy = copy_of(crawl)
    if crawl.seq <= AT_ONCE:
        return copy if copy and copy.seq == crawl.seq and _is_fresh(copy) else copy_make(crawl)
    if copy is not None:
        return copy
    copy_want(crawl)
    raise QuestionError(
        "A copy of this crawl is being made for questions. Ask again in a minute or two."
    )


def _is_fresh(copy: Copy) -> bool:
    """Hubs, feedback and relevance change without a new page."""
    return timezone.now() - copy.at < FRESH


def copy_renew(crawl: Crawl) -> bool:
    """As the crawl is now: at once if it is small, otherwise by a worker. Whether it is done."""
    if crawl.seq <= AT_ONCE:
        copy_make(crawl)
        return True
    copy_want(crawl)
    return False


def copy_want(crawl: Crawl) -> None:
    """A worker takes it up within a second or two."""
    if not is_being_made(crawl):
        copies_folder().mkdir(parents=True, exist_ok=True)
        wanted_path(crawl.pk).touch()


def copies_wanted() -> list[int]:
    names = [path.stem for path in copies_folder().glob("*.wanted")]
    return [int(name) for name in names if name.isdigit()]


def copy_run(crawl_id: int) -> None:
    """Make a copy that was asked for, unless another worker is at it."""
    making = making_path(crawl_id)
    try:
        wanted_path(crawl_id).replace(making)  # only one process can do this
    except FileNotFoundError:
        return
    try:
        os.utime(making)
        crawl = Crawl.objects.filter(pk=crawl_id).first()
        if crawl is not None:
            copy_make(crawl)
    finally:
        making.unlink(missing_ok=True)


def copies_remove(crawl_id: int) -> None:
    for path in copies_folder().glob(f"{crawl_id}-*.sqlite3"):
        path.unlink(missing_ok=True)
    wanted_path(crawl_id).unlink(missing_ok=True)


def question_ask(
    *, crawl: Crawl, sql: str, rows: int = ROWS_SHOWN, longest: int = LONGEST_SHOWN
) -> Answer:
    """The first rows of the answer."""
    copy = copy_for(crawl)
    try:
        return ask(copy.path, sql, rows=rows, longest=longest)
    except QuestionError:
        if copy.path.exists():
            raise
    return ask(copy_for(crawl).path, sql, rows=rows, longest=longest)  # it was renewed just now


def question_csv(*, crawl: Crawl, sql: str) -> tuple[bytes, bool]:
    """The answer as a file that no spreadsheet takes for formulas; whether rows are missing."""
    answer = question_ask(crawl=crawl, sql=sql, rows=ROWS_KEPT, longest=LONGEST_VALUE)
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow([harmless(column) for column in answer.columns])
    writer.writerows([harmless(cell) for cell in row] for row in answer.rows)
    return text.getvalue().encode("utf-8", "replace"), answer.has_more


def question_save(*, crawl: Crawl, name: str, sql: str, is_shared: bool, by: User) -> SavedQuestion:
    """For this crawl, or for all of the team's."""
    name, sql = " ".join(name.split()), sql.strip().replace("\0", "")
    if not name or not sql:
        raise QuestionError("Give the question a name, and write it first.")
    if len(name) > 120 or len(sql) > LONGEST_SQL:
        raise QuestionError(
            f"A name may have 120 characters, a question {LONGEST_SQL:,}: shorten it."
        )
    if SavedQuestion.objects.filter(team=crawl.team).count() >= SAVED_AT_MOST:
        raise QuestionError(f"The team has {SAVED_AT_MOST} questions. Remove one first.")
    return SavedQuestion.objects.create(
        team=crawl.team, crawl=None if is_shared else crawl, name=name, sql=sql, by=by
    )


def question_remove(*, question: SavedQuestion) -> None:
    question.delete()
