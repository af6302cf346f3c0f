"""The words of the pages, so that pages can be found by them; written with the page.

SQLite has an FTS5 table for each crawl: discarding a crawl drops it, and no search is slowed down
by another crawl's words. It holds no text of its own (that is in PageBody). PostgreSQL has one
table of tsvectors with a GIN index. docs/decisions/0018 has the figures.
"""

import re
from collections.abc import Iterable, Sequence

from django.db import connection
from django.db.backends.utils import CursorWrapper

from crawler.core.textquery import TextQuery

# Far less than what a tsvector may hold, and more than people read.
MOST_CHARACTERS = 100_000
_TABLE = "crawler_pagetext"
_AT_ONCE = 500
_NO_WORD = re.compile(r"[\W_]+")


def _is_postgresql() -> bool:
    return connection.vendor == "postgresql"


def _own_table(crawl_id: int) -> str:
    return f"{_TABLE}_{int(crawl_id)}"


def words_prepare(cursor: CursorWrapper, crawl_id: int) -> None:
    """Make room for the words of a crawl; cheap when there is some."""
    if not _is_postgresql():
        cursor.execute(
            f"CREATE VIRTUAL TABLE IF NOT EXISTS {_own_table(crawl_id)} USING fts5"
            "(words, content='', columnsize=0, tokenize='unicode61 remove_diacritics 2')"
        )


def words_add(cursor: CursorWrapper, crawl_id: int, pages: Iterable[tuple[int, str]]) -> None:
    """Of pages by `seq`, each once."""
    rows = [(seq, _storable(text[:MOST_CHARACTERS])) for seq, text in pages]
    if _is_postgresql():
        cursor.executemany(
            f"INSERT INTO {_TABLE} (crawl_id, seq, words) "  # noqa: S608 - a constant
            "VALUES (%s, %s, to_tsvector('simple', %s))",
            # Its parser would make one word of an address, and none of what looks like a tag.
            [(crawl_id, seq, _NO_WORD.sub(" ", text)) for seq, text in rows],
        )
    else:
        cursor.executemany(
            f"INSERT INTO {_own_table(crawl_id)} (rowid, words) VALUES (%s, %s)",  # noqa: S608
            rows,
        )


def words_replace(cursor: CursorWrapper, crawl_id: int, seq: int, old: str, new: str) -> None:
    """Of a page whose text has changed. FTS5 keeps no text, so it must be told what to forget."""
    if _is_postgresql():
        cursor.execute(
            f"DELETE FROM {_TABLE} WHERE crawl_id = %s AND seq = %s",  # noqa: S608 - a constant
            [crawl_id, seq],
        )
    else:
        table = _own_table(crawl_id)
        words_prepare(cursor, crawl_id)
        cursor.execute(
            f"INSERT INTO {table} ({table}, rowid, words) "  # noqa: S608 - see _own_table
            "VALUES ('delete', %s, %s)",
            [seq, _storable(old[:MOST_CHARACTERS])],
        )
    words_add(cursor, crawl_id, [(seq, new)])


def _storable(text: str) -> str:
    """Without what one database or the other refuses."""
    return text.replace("\0", " ").encode("utf-8", "replace").decode()


def words_drop(crawl_id: int) -> None:
    """On PostgreSQL they are rows, which go in portions like all others of a crawl."""
    if not _is_postgresql():
        with connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE IF EXISTS {_own_table(crawl_id)}")


def has_words(crawl_id: int) -> bool:
    if _is_postgresql():
        return True
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = %s",
            [_own_table(crawl_id)],
        )
        return cursor.fetchone() is not None


def seqs_with(crawl_id: int, query: TextQuery, *, below: int, limit: int) -> list[int]:
    """The newest pages before `below` that have the words."""
    if not has_words(crawl_id):
        return []
    source, where, values = _asked(crawl_id, query)
    with connection.cursor() as cursor:
        seq = _seq_name()
        cursor.execute(
            f"SELECT {seq} FROM {source} WHERE {where} AND {seq} < %s "  # noqa: S608 - see above
            f"ORDER BY {seq} DESC LIMIT %s",
            [*values, below, limit],
        )
        return [row[0] for row in cursor.fetchall()]


def those_with(crawl_id: int, query: TextQuery, seqs: Sequence[int]) -> set[int]:
    """Which of these pages have the words."""
    if not has_words(crawl_id):
        return set()
    source, where, values = _asked(crawl_id, query)
    found: set[int] = set()
    with connection.cursor() as cursor:
        for start in range(0, len(seqs), _AT_ONCE):
            part = seqs[start : start + _AT_ONCE]
            marks = ", ".join(["%s"] * len(part))
            cursor.execute(
                f"SELECT {_seq_name()} FROM {source} "  # noqa: S608 - marks only
                f"WHERE {where} AND {_seq_name()} IN ({marks})",
                [*values, *part],
            )
            found.update(row[0] for row in cursor.fetchall())
    return found


def _seq_name() -> str:
    return "seq" if _is_postgresql() else "rowid"


def _asked(crawl_id: int, query: TextQuery) -> tuple[str, str, list[int | str]]:
    """Table, condition and its values. Words never become syntax: each term is a quoted phrase."""
    if _is_postgresql():
        terms = " && ".join(["phraseto_tsquery('simple', %s)"] * len(query.terms))
        return _TABLE, f"crawl_id = %s AND words @@ ({terms})", [crawl_id, *query.phrases]
    table = _own_table(crawl_id)
    phrases = " ".join(f'"{phrase}"' for phrase in query.phrases)  # no word has a quotation mark
    return table, f"{table} MATCH %s", [phrases]
