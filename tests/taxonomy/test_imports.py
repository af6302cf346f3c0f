"""Importing a tree: the whole of it, or nothing."""

import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taxonomy.core.exporting import to_line
from taxonomy.core.importers.detect import read
from taxonomy.core.records import ExampleRecord, Record, Skipped, TopicRecord
from taxonomy.core.tree import import_name
from taxonomy.models import Example, Taxonomy, Topic
from taxonomy.selectors.trees import topic_records
from taxonomy.services.imports import (
    ABANDONED_AFTER,
    ImportRefusedError,
    abandoned_imports_discard,
    taxonomy_discard,
    taxonomy_import,
)
from tests.core.taxonomy.files import SHARED
from tests.product import ROOT, clean_environment, manage, wait_for
from tests.taxonomy.checks import assert_sound, picture

names = st.text(min_size=1, max_size=12).map(import_name).filter(bool)
paths = st.lists(names, min_size=1, max_size=4).map(tuple)
words = st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=30).map(str.strip)
trees = st.lists(
    st.one_of(
        st.builds(TopicRecord, paths, words),
        st.builds(ExampleRecord, paths, words.filter(bool), st.just(""), words),
    ),
    min_size=1,
    max_size=12,
)


@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(records=trees)
def test_export_and_import_give_the_same_tree(team, tmp_path, records):
    first = taxonomy_import(name="first", team=team, records=records).taxonomy
    file = tmp_path / "tree.jsonl"
    file.write_text("\n".join(map(to_line, topic_records(first))), encoding="utf-8")
    second = taxonomy_import(name="second", team=team, records=read(file)).taxonomy
    try:
        assert picture(second) == picture(first)
        assert_sound(first)
    finally:
        taxonomy_discard(first)
        taxonomy_discard(second)


def test_topics_that_differ_only_in_case_are_one(team):
    records: list[Record] = [
        TopicRecord(("Arts", "Music")),
        ExampleRecord(("ARTS", "music"), "Song"),
    ]
    report = taxonomy_import(name="t", team=team, records=records)
    assert (report.topics, report.examples) == (2, 1)


def test_examples_that_nobody_placed_are_kept_as_unsorted(team):
    report = taxonomy_import(name="t", team=team, records=[ExampleRecord((), "Lost")])
    assert [topic.name for topic in Topic.objects.of(report.taxonomy)] == ["Unsorted"]


def test_the_report_holds_the_first_of_what_was_skipped(team):
    records: list[Record] = [
        TopicRecord(("Arts",)),
        *(Skipped(number, "odd") for number in range(1500)),
    ]
    report = taxonomy_import(name="t", team=team, records=records)
    assert (len(report.skipped), report.skipped_count) == (1000, 1500)


def test_progress_is_told_to_the_end(team):
    told: list[tuple[str, int, int]] = []
    records = [ExampleRecord(("Arts", f"Topic {n}"), "Page") for n in range(2500)]
    taxonomy_import(
        name="t", team=team, records=records, on_progress=lambda *step: told.append(step)
    )
    assert ("Writing topics", 2501, 2501) in told
    assert told[-1] == ("Writing examples", 2500, 2500)


def test_a_file_without_topics_is_refused_with_the_reasons(team):
    with pytest.raises(ImportRefusedError, match=r"No topics .* line 3: odd"):
        taxonomy_import(name="t", team=team, records=[Skipped(3, "odd")])


@pytest.mark.parametrize("name", ["", "???"])
def test_a_name_needs_letters(team, name):
    with pytest.raises(ImportRefusedError, match="name"):
        taxonomy_import(name=name, team=team, records=[])


def broken(number: int):
    yield from (ExampleRecord(("Arts", f"T{n}"), "Page") for n in range(number))
    raise OSError("the disk is gone")


@pytest.mark.parametrize("number", [1, 5000])
def test_a_file_that_breaks_off_leaves_nothing(team, number):
    with pytest.raises(OSError, match="disk"):
        taxonomy_import(name="t", team=team, records=broken(number))
    assert (Taxonomy.objects.count(), Topic.objects.count(), Example.objects.count()) == (0, 0, 0)


def test_a_failure_while_writing_leaves_nothing(team):
    def fail(what: str, done: int, total: int) -> None:
        if what == "Writing examples":
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        taxonomy_import(
            name="t", team=team, records=[ExampleRecord(("Arts",), "Page")], on_progress=fail
        )
    assert (Taxonomy.objects.count(), Topic.objects.count(), Example.objects.count()) == (0, 0, 0)


def test_an_unfinished_import_is_seen_by_nobody_and_cleared_when_it_is_old(taxonomy, owner):
    Taxonomy.objects.update(ready_at=None)
    assert not Taxonomy.objects.visible_to(owner).exists()
    assert abandoned_imports_discard() == 0
    Taxonomy.objects.update(edited_at=timezone.now() - timedelta(hours=1))
    assert abandoned_imports_discard() == 1
    assert (Taxonomy.objects.count(), Topic.objects.count()) == (0, 0)


def test_an_import_that_was_killed_does_not_keep_its_name(team):
    taxonomy_import(name="t", team=team, records=[TopicRecord(("Arts",))])
    long_ago = timezone.now() - ABANDONED_AFTER - timedelta(seconds=1)
    Taxonomy.objects.update(ready_at=None, edited_at=long_ago)
    taxonomy_import(name="t", team=team, records=[TopicRecord(("Sports",))])
    assert [topic.name for topic in Topic.objects.of(Taxonomy.objects.get())] == ["Sports"]


def test_a_name_that_was_taken_while_the_file_was_read_is_refused(team):
    def records() -> Iterator[Record]:
        yield TopicRecord(("Arts",))
        taxonomy_import(name="t", team=team, records=[TopicRecord(("Sports",))])

    with pytest.raises(ImportRefusedError, match="already"):
        taxonomy_import(name="t", team=team, records=records())
    assert [topic.name for topic in Topic.objects.of(Taxonomy.objects.get())] == ["Sports"]


def test_an_import_that_was_cleared_away_while_it_stood_still_says_so(team):
    def clear(what: str, done: int, total: int) -> None:
        taxonomy_discard(Taxonomy.objects.get())

    records = [ExampleRecord(("Arts",), "Page")]
    with pytest.raises(ImportRefusedError, match="cleared away"):
        taxonomy_import(name="t", team=team, records=records, on_progress=clear)
    assert (Taxonomy.objects.count(), Topic.objects.count(), Example.objects.count()) == (0, 0, 0)


def test_an_import_that_runs_keeps_its_name(team):
    def again(what: str, done: int, total: int) -> None:
        with pytest.raises(ImportRefusedError, match="is running"):
            taxonomy_import(name="t", team=team, records=[TopicRecord(("Arts",))])

    records = [ExampleRecord(("Arts",), "Page")]
    assert taxonomy_import(name="t", team=team, records=records, on_progress=again).topics == 1


KILLED_TOPICS = 10_000  # five batches


@pytest.mark.process
def test_a_killed_import_is_never_half_a_tree(tmp_path, migrated_folder):
    """`kill -9` while rows are being written; the tree is not there, and the next try works."""
    data, file = migrated_folder, tmp_path / "large.jsonl"
    with file.open("w") as lines:
        for number in range(KILLED_TOPICS):
            lines.write(f'{{"path": "/T{number}", "title": "Page {number}"}}\n')
    command = ["manage.py", "taxonomy", "import", str(file), "--name", "large", "--json"]
    child = subprocess.Popen(
        [sys.executable, *command], cwd=ROOT, env=clean_environment(data), stdout=subprocess.PIPE
    )
    wait_for(lambda: number_of_topics(data) > 2, seconds=60, what="the first rows")
    os.kill(child.pid, signal.SIGKILL)
    child.communicate()
    assert '"large"' not in manage(data, "taxonomy", "list", "--json").stdout
    left = number_of_topics(data)
    assert 0 < left < KILLED_TOPICS + 2
    ask(data, "UPDATE taxonomy_taxonomy SET edited_at = '2020-01-01 00:00:00'")
    assert manage(data, *command[1:]).returncode == 0
    assert number_of_topics(data) == KILLED_TOPICS + 2  # with two roots: nothing else is left


def number_of_topics(data: Path) -> int:
    return int(ask(data, "SELECT count(*) FROM taxonomy_topic"))


def ask(data: Path, question: str) -> Any:
    """What another process, which is not Django, sees in the database."""
    with closing(sqlite3.connect(data / "focusadmin.sqlite3", timeout=30)) as database, database:
        row = database.execute(question).fetchone()
    return row[0] if row else None


# Of a file; the directory has 140,972 and `make bench` imports a million.
REAL_RECORDS = 5_000


@pytest.mark.process  # seconds of work each, too long for the quick tests
@pytest.mark.skipif(not SHARED.exists(), reason="the shared data is not here")
@pytest.mark.parametrize(
    ("file", "topics", "examples"),
    [
        ("odp239_taxonomy/topics.txt", 239, 0),
        ("odp239_taxonomy/subTopics.txt", 2500, 0),
        ("iab_taxonomies/Content Taxonomies/Content Taxonomy 1.0.tsv", 392, 0),
        ("iab_taxonomies/Content Taxonomies/Content Taxonomy 2.2.tsv", 698, 0),
        ("iab_taxonomies/Content Taxonomies/Content Taxonomy 3.1.tsv", 704, 0),
        ("webdir_awesome/entries.tsv.gz", 500, REAL_RECORDS),
        ("bookmarks/npm_bookmark_file_parser/chrome.html", 11, 83),
        ("bookmarks/wallabag_fixtures/pocket.csv", 1, 7),
        ("bookmarks/perl_bookmarks_parser/opera-1150.adr", 1, 19),
        ("bookmarks/debian/feedlist_he.opml", 7, 27),
    ],
)
def test_real_files_become_sound_trees(team, file, topics, examples):
    records = islice(read(SHARED / file), REAL_RECORDS)
    report = taxonomy_import(name="real", team=team, records=records)
    assert report.topics >= topics
    assert report.examples == examples
    assert Topic.objects.of(report.taxonomy).count() == report.topics
    assert Topic.objects.find_problems() == ([], [], [], [], [])
    misplaced = [
        topic
        for topic in Topic.objects.of(report.taxonomy).select_related("parent")
        if topic.parent is None or not topic.is_under(topic.parent)
    ]
    assert misplaced == []
    assert report.taxonomy.root.example_count == examples
