"""The copy that questions ask: what is in it, what is not, and how it is renewed."""

import os
import sqlite3
from contextlib import closing
from datetime import timedelta
from typing import Any

import pytest

from crawler.core.questions.asking import QuestionError, ask
from crawler.core.questions.schema import NAMES, VIEWS
from crawler.models import Crawl, SavedQuestion, Verdict
from crawler.selectors import questions as selectors
from crawler.selectors.questions import copy_of, examples_for, is_being_made, questions_of
from crawler.services import questions as services
from crawler.services.crawls import crawl_discard
from crawler.services.distillation import crawl_distil
from crawler.services.questions import (
    copies_wanted,
    copy_for,
    copy_make,
    copy_renew,
    copy_run,
    question_ask,
    question_csv,
    question_remove,
    question_save,
)
from focusadmin.accounts.services import team_create
from tests.crawl_rows import make_crawl
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db

BIKES, KIT = "https://bikes.example/", "https://kit.example/"
WAITING = "https://later.example/"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path
    return tmp_path / "questions"


@pytest.fixture
def recorded(crawl) -> Crawl:
    """A page about cycling that cites one about first aid, one of its own site, and a failure."""
    return record(
        crawl,
        Fetched(BIKES, 0.9, (KIT, f"{BIKES}more", WAITING), {"depth": 0, "title": "=1+1"}),
        Fetched(f"{BIKES}more", 0.8, (), {"topic": "/Recreation/Cycling/Repair"}),
        Fetched(KIT, 0.1, (BIKES,), {"topic": "/Health/First_Aid"}),
        Fetched("https://gone.example/", None, fields={"topic": ""}),
    )


def asked(crawl: Crawl, sql: str) -> list[list[Any]]:
    return ask(copy_for(crawl).path, sql).rows


def test_pages_of_one_topic_that_link_to_pages_of_another(recorded):
    crawl_distil(crawl=recorded)
    example = examples_for(recorded)[0].sql.replace("'/Health'", "'/Health/First_Aid'")
    (row,) = asked(recorded, example)
    assert row == [1, "=1+1", "bikes.example", 3, "", "kit.example", "link"]


def test_the_views_hold_what_the_crawl_knows(recorded, owner):
    Verdict.objects.create(crawl=recorded, site="kit.example", value="useful", by=owner)
    crawl_distil(crawl=recorded)
    assert asked(recorded, "SELECT source, target, is_between_sites FROM link ORDER BY 1, 2") == [
        [1, 2, 0],
        [1, 3, 1],
        [3, 1, 1],
    ]
    assert asked(recorded, "SELECT url, found_on FROM waiting") == [[WAITING, None]]
    assert asked(recorded, "SELECT site, pages, relevant FROM site ORDER BY site") == [
        ["bikes.example", 2, 2],
        ["gone.example", 0, 0],
        ["kit.example", 1, 0],
        ["later.example", 0, 0],
    ]
    assert asked(recorded, "SELECT topic, parent, is_good, pages FROM topic WHERE depth = 2") == [
        ["/Health/First_Aid", "/Health", 0, 1],
        ["/Recreation/Cycling", "/Recreation", 1, 2],
    ]
    below = "SELECT topic FROM topic_above WHERE above = '/Recreation/Cycling' ORDER BY topic"
    assert asked(recorded, below) == [["/Recreation/Cycling"], ["/Recreation/Cycling/Repair"]]
    assert asked(recorded, "SELECT page FROM authority") == [[1]]
    assert asked(recorded, "SELECT page FROM hub") == [[3]]
    assert asked(recorded, "SELECT site, value FROM feedback") == [["kit.example", "useful"]]
    assert ["distilled"] in asked(recorded, "SELECT kind FROM event")
    outcomes = "SELECT outcome, relevance, is_latest FROM page WHERE NOT is_latest"
    assert asked(recorded, outcomes) == [["timeout", None, 0]]
    assert asked(recorded, "SELECT fetched_at FROM page WHERE page = 1") == [
        ["1970-01-01 00:16:40"]
    ]


def test_a_page_that_was_read_again_has_two_rows_and_one_set_of_links(recorded):
    record(recorded, Fetched(BIKES, 0.7, (f"{BIKES}more",)))
    recorded.refresh_from_db()
    rows = asked(recorded, f"SELECT page, is_latest FROM page WHERE url = '{BIKES}' ORDER BY page")
    assert rows == [[1, 0], [5, 1]]
    assert asked(recorded, "SELECT source, target FROM link ORDER BY 1") == [[3, 5], [5, 2]]


def test_the_copy_holds_this_crawl_and_nothing_else(recorded, focus):
    other = record(make_crawl(focus), Fetched("https://other-crawl.example/", 0.9))
    copy_make(other)
    copy = copy_for(recorded)
    raw = copy.path.read_bytes()
    assert b"other-crawl.example" not in raw
    assert b"olga" not in raw  # whose account it is
    with closing(sqlite3.connect(copy.path)) as opened:
        tables = opened.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        assert {name for (name,) in tables} - {"sqlite_stat1", "sqlite_stat4"} == set(NAMES)
    for table in ("accounts_user", "django_session", "crawler_crawl", "crawler_page", "auth_user"):
        with pytest.raises(QuestionError, match="There is no view"):
            asked(recorded, f"SELECT * FROM {table}")


def test_a_small_crawl_is_copied_again_when_it_has_grown_or_time_has_gone(recorded):
    first = copy_for(recorded)
    assert copy_for(recorded) == first
    record(recorded, Fetched("https://new.example/"))
    recorded.refresh_from_db()
    second = copy_for(recorded)
    assert second.seq == recorded.seq
    assert not first.path.exists()
    old = second.at - timedelta(minutes=2)
    os.utime(second.path, (old.timestamp(), old.timestamp()))
    assert copy_for(recorded).at > old + timedelta(minutes=1)


def test_a_copy_that_is_renewed_while_it_is_asked_is_asked_again(recorded, monkeypatch):
    old = copy_for(recorded)
    record(recorded, Fetched("https://new.example/"))
    recorded.refresh_from_db()
    new = copy_make(recorded)  # removes the old one
    copies = iter([old, new])
    monkeypatch.setattr(services, "copy_for", lambda crawl: next(copies))
    assert question_ask(crawl=recorded, sql="SELECT count(*) FROM page").rows == [[5]]


def test_a_large_crawl_is_copied_by_a_worker(recorded, monkeypatch, folder):
    monkeypatch.setattr(services, "AT_ONCE", 0)
    with pytest.raises(QuestionError, match="Ask again in a minute"):
        copy_for(recorded)
    assert is_being_made(recorded)
    assert copies_wanted() == [recorded.pk]
    copy_run(recorded.pk)
    copy_run(recorded.pk)  # a task that comes twice finds nothing to do
    assert not is_being_made(recorded)
    assert copies_wanted() == []
    assert copy_for(recorded).seq == recorded.seq
    assert not copy_renew(recorded)
    assert is_being_made(recorded)
    monkeypatch.setattr(selectors, "LOST_SECONDS", -1.0)
    assert not is_being_made(recorded)


def test_a_wish_for_a_crawl_that_is_gone_is_forgotten(folder):
    folder.mkdir()
    (folder / "999.wanted").touch()
    copy_run(999)
    assert list(folder.iterdir()) == []


def test_discarding_a_crawl_removes_its_copy(recorded, folder):
    copy_make(recorded)
    Crawl.objects.filter(pk=recorded.pk).update(state=Crawl.State.FINISHED)
    crawl_discard(crawl=recorded)
    assert list(folder.iterdir()) == []


def test_a_copy_that_fails_leaves_nothing_behind(recorded, folder, monkeypatch):
    monkeypatch.setattr(services, "VIEWS", (*VIEWS, VIEWS[0]))
    with pytest.raises(sqlite3.OperationalError):
        copy_make(recorded)
    assert list(folder.iterdir()) == []


def test_a_file_is_safe_for_spreadsheets(recorded):
    content, has_more = question_csv(
        crawl=recorded, sql="SELECT title, page, '@x' AS \"=y\" FROM page WHERE page < 3"
    )
    assert content.decode().splitlines() == ["title,page,'=y", "'=1+1,1,'@x", "more,2,'@x"]
    assert not has_more


def test_questions_are_kept_for_a_crawl_or_for_the_team(recorded, focus, owner, stranger):
    mine = question_save(
        crawl=recorded, name=" Of  mine ", sql="SELECT 1", is_shared=False, by=owner
    )
    shared = question_save(crawl=recorded, name="Ours", sql="SELECT 2", is_shared=True, by=owner)
    assert (mine.name, mine.by, mine.crawl) == ("Of mine", owner, recorded)
    assert list(questions_of(recorded)) == [mine, shared]
    assert list(questions_of(make_crawl(focus))) == [shared]
    theirs = make_crawl(focus, team=team_create(name="Elsewhere", by=stranger))
    assert list(questions_of(theirs)) == []
    question_remove(question=mine)
    assert list(questions_of(recorded)) == [shared]


def test_what_can_not_be_saved_says_why(recorded, owner, monkeypatch):
    def save(**changes: Any) -> SavedQuestion:
        asked_for = {"name": "A name", "sql": "SELECT 1", "is_shared": True, **changes}
        return question_save(crawl=recorded, by=owner, **asked_for)

    for changes in ({"name": " "}, {"sql": ""}, {"name": "x" * 121}, {"sql": "x" * 10_001}):
        with pytest.raises(QuestionError):
            save(**changes)
    assert save(sql="SELECT\0 1").sql == "SELECT 1"
    monkeypatch.setattr(services, "SAVED_AT_MOST", 1)
    with pytest.raises(QuestionError, match="Remove one first"):
        save()


def test_a_crawl_without_pages_can_be_asked(crawl):
    for example in examples_for(crawl):
        assert asked(crawl, example.sql) == []
    assert copy_of(crawl) is not None
