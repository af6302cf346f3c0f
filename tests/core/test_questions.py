"""Questions meet a file, two limits and a guard: what is refused, and what is cut off."""

import re
import resource
import sqlite3
import time
from contextlib import closing
from pathlib import Path

import pytest

from crawler.core.questions import child
from crawler.core.questions.asking import LONGEST_SQL, QuestionError, ask
from crawler.core.questions.examples import examples
from crawler.core.questions.schema import NAMES, VIEWS
from tests.product import ROOT

PAGES = 3_000


@pytest.fixture(scope="module")
def copy(tmp_path_factory) -> Path:
    """A copy with some pages, and beside the views a table that nobody may see."""
    path: Path = tmp_path_factory.mktemp("copy") / "1.sqlite3"
    with closing(sqlite3.connect(path)) as made:
        for view in VIEWS:
            made.execute(view.create())
        columns = len(VIEWS[0].columns)
        made.executemany(
            VIEWS[0].insert(),
            [(n, f"https://{n}.example/", *["x"] * (columns - 2)) for n in range(PAGES)],
        )
        made.execute("CREATE TABLE secret (word TEXT)")
        made.execute("INSERT INTO secret VALUES ('xyzzy')")
        made.commit()
    return path


def refusal(path: Path, sql: str, **changes) -> str:
    with pytest.raises(QuestionError) as refused:
        ask(path, sql, **changes)
    assert "xyzzy" not in str(refused.value)
    return str(refused.value)


def test_a_question_is_answered(copy):
    answer = ask(copy, "SELECT page, url FROM page WHERE page < 2 ORDER BY page;")
    assert answer.columns == ["page", "url"]
    assert answer.rows == [[0, "https://0.example/"], [1, "https://1.example/"]]
    assert not answer.has_more


def test_rows_and_cells_are_capped(copy):
    answer = ask(copy, "SELECT page, replace('aaaaaaaaaa', 'a', url) FROM page", rows=7, longest=20)
    assert len(answer.rows) == 7
    assert answer.has_more
    assert len(answer.rows[0][1]) == 21
    assert not ask(copy, "SELECT page FROM page WHERE page < 7", rows=7).has_more


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT word FROM secret",
        "SELECT word FROM main.secret",
        "WITH page AS (SELECT word FROM secret) SELECT * FROM page",
        "SELECT page FROM page WHERE url = (SELECT word FROM secret)",
        "SELECT page FROM page UNION SELECT word FROM secret",
        "SELECT page.page FROM page JOIN secret AS page2 ON 1",
        "SELECT * FROM (SELECT * FROM secret) AS page",
        "SELECT sql FROM sqlite_master",
        "SELECT sql FROM sqlite_schema",
        "SELECT * FROM sqlite_temp_master",
        "SELECT * FROM pragma_table_info('secret')",
        "SELECT * FROM pragma_database_list",
        "SELECT * FROM dbstat",
        "SELECT * FROM sqlite_dbpage",
        "SELECT * FROM json_each('[1]')",
        "PRAGMA table_info(secret)",
        "PRAGMA hard_heap_limit = 0",
        "ATTACH DATABASE '/etc/passwd' AS other",
        "ATTACH DATABASE ':memory:' AS other",
        "DETACH DATABASE main",
        "VACUUM INTO '/tmp/stolen'",
        "INSERT INTO page (page) VALUES (1)",
        "UPDATE page SET page = 1",
        "DELETE FROM page",
        "DROP TABLE page",
        "CREATE TABLE mine (x)",
        "CREATE TEMP TABLE mine (x)",
        "CREATE TEMP VIEW mine AS SELECT * FROM secret",
        "CREATE VIRTUAL TABLE mine USING fts5(x)",
        "BEGIN",
        "SAVEPOINT x",
        "ANALYZE",
        "REINDEX",
        "SELECT load_extension('x')",
        "SELECT randomblob(10)",
        "SELECT zeroblob(900000)",
        "SELECT printf('%900000d', 1)",
        "SELECT readfile('/etc/passwd')",
        "SELECT writefile('/tmp/stolen', 'x')",
        "SELECT fts3_tokenizer('x')",
        "SELECT sqlite_version()",
        "SELECT hex(page) FROM page",
        "SELECT json_object('a', 1)",
        "WITH x AS (SELECT 1) INSERT INTO page (page) SELECT * FROM x",
        "SELECT 1; SELECT 2",
        "SELECT 1; DROP TABLE page",
        "-- nothing",
        ";",
        "SELECT ?",
        "SELECT :name",
        "SELECT 'a\0b'",
        "nonsense",
        "SELECT",
        "SELECT (",
        "SELECT 'open",
    ],
)
def test_what_is_no_question_to_the_views_is_refused(copy, sql):
    before = copy.read_bytes()
    refusal(copy, sql)
    assert copy.read_bytes() == before


@pytest.mark.parametrize(
    "sql",
    [
        # Recursion without end, with and without keeping what it finds.
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION SELECT x + 1 FROM n) SELECT sum(x) FROM n",
        "WITH RECURSIVE n(x) AS (SELECT 'a' UNION ALL SELECT x || x FROM n) SELECT sum(x) FROM n",
        # Joins of everything with everything, sorted and grouped.
        "SELECT count(*) FROM page a, page b, page c",
        "SELECT a.url || b.url || c.url AS u FROM page a, page b, page c ORDER BY u",
        "SELECT a.url || b.url || c.url AS u FROM page a, page b, page c GROUP BY u",
        "SELECT count(DISTINCT a.url || b.url || c.url) FROM page a, page b, page c",
        "SELECT group_concat(a.url || b.url) FROM page a, page b",
        "SELECT max(length(a.url) * length(b.url) * length(c.url)) FROM page a, page b, page c",
        # Patterns that are tried in every way.
        f"SELECT sum(a.url || b.url || '{'a' * 999}' LIKE '{'%a' * 400}b') FROM page a, page b",
        f"SELECT sum(a.url || b.url || '{'a' * 999}' GLOB '{'*a' * 400}b') FROM page a, page b",
    ],
)
def test_bombs_are_cut_off_in_bounded_time_and_memory(copy, sql):
    began = time.monotonic()
    refusal(copy, sql, seconds=0.3)
    assert time.monotonic() - began < 60  # far from the hours that it would take
    most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024
    assert most < 2 * child.MEMORY


def test_long_values_are_refused_before_they_are_made(copy):
    double = "replace(" * 12 + "'aaaaaaaaaa'" + ", 'a', 'aaaaaaaaaa')" * 12
    assert "too long" in refusal(copy, f"SELECT {double}")
    assert "10,000 characters" in refusal(copy, f"SELECT '{'x' * LONGEST_SQL}'")


def test_a_huge_answer_is_shortened(copy):
    answer = ask(
        copy,
        "SELECT replace('aaaaaaaaaa', 'a', url) || a.url FROM page a",
        rows=10**9,
        longest=10**6,
    )
    assert 0 < len(answer.rows) <= PAGES


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("", "Write a question first"),
        ("SELECT * FROM pages", "There is no view pages. There are: page, link"),
        ("SELECT titel FROM page", "Did you mean page.title"),
        ("SELECT page FROM page WHERE topic = Arts", "single quotes"),
        ("SELECT page FRM page", "near"),
        ("SELECT page FROM page WHERE (", "ends too early"),
        ("SELECT md5(url) FROM page", "no function md5"),
        ("DELETE FROM page", "can only read, by SELECT"),
        ("SELECT 1; SELECT 2", "one question at a time"),
        ("-- a remark", "no SELECT"),
    ],
)
def test_errors_say_what_to_do(copy, sql, words):
    assert words in refusal(copy, sql)


def test_the_child_knows_nothing_of_the_product():
    text = Path(child.__file__).read_text()
    imported = re.findall(r"^(?:from|import) (\S+)", text, re.MULTILINE)
    assert not {name for name in imported if name.startswith(("crawler", "django", "focusadmin"))}


def test_a_file_that_is_gone_is_an_error_in_words(tmp_path):
    assert "can't be answered" in refusal(tmp_path / "none.sqlite3", "SELECT 1")


@pytest.mark.parametrize(
    "example", examples("/Arts/Rock 'n' {Roll}", "/Health"), ids=lambda e: e.key
)
def test_examples_are_answered(copy, example):
    assert ask(copy, example.sql).columns


def test_the_docs_name_every_view_and_column():
    text = (ROOT / "docs" / "questions.md").read_text()
    for view in VIEWS:
        part = text.partition(f"### `{view.name}`")[2].partition("###")[0]
        assert part, view.name
        for column in view.columns:
            assert f"| `{column.name}` |" in part, f"{view.name}.{column.name}"
    assert len(NAMES) == len(set(NAMES))
