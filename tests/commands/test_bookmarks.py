"""`manage.py bookmarks import`."""

import json

import pytest
from django.core.management import CommandError, call_command

from taxonomy.models import Taxonomy
from taxonomy.services.focuses import focus_create
from tests.shipped import shipped_with_model

pytestmark = pytest.mark.django_db

FILE = """<!DOCTYPE NETSCAPE-Bookmark-file-1>
<TITLE>Bookmarks</TITLE><H1>Bookmarks</H1>
<DL><p>
<DT><H3>Bikes</H3><DL><p>
<DT><A HREF="https://trails.example.org/">Mountain bike trails: singletrack and berms</A>
<DT><A HREF="https://www.example.org/mountain-bike/suspension-fork">Fork service</A>
<DT><A HREF="https://trails.example.org/">Mountain bike trails again</A>
</DL><p>
<DT><A HREF="javascript:alert(1)">A bookmarklet</A>
<DT><A HREF="http://192.168.0.1/">My router</A>
</DL><p>
"""


@pytest.fixture
def run(capsys):
    def call(*arguments):
        call_command("bookmarks", "import", *map(str, arguments), "--json")
        return json.loads(capsys.readouterr().out)

    return call


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "bookmarks.html"
    path.write_text(FILE)
    return path


@pytest.fixture
def shipped(team) -> Taxonomy:
    return shipped_with_model(team)


def test_a_file_is_told_with_what_was_left_out(run, file, db):
    said = run(file)
    assert (said["format"], said["bookmarks"], said["folders"]) == ("Netscape HTML", 2, 1)
    assert said["duplicates"] == 1
    assert {skip["reason"]: skip["count"] for skip in said["skipped"]} == {
        "javascript: link": 1,
        "private address": 1,
    }
    assert said["proposals"] == []  # there is no tree to propose topics of


def test_topics_are_proposed_by_titles_and_addresses(run, file, shipped):
    best = run(file, "--taxonomy", "canonical")["proposals"][0]
    assert best["path"].startswith("/Recreation/Cycling")
    assert best["examples"] == 2
    assert 0.0 < best["confidence"] <= 1.0


def test_a_focus_gets_the_bookmarks_once(run, file, shipped, owner):
    focus = focus_create(name="Hills", taxonomy=shipped, by=owner)
    assert run(file, "--focus", "hills")["added"] == 2
    assert run(file, "--focus", focus.pk)["added"] == 0
    assert {page.folder for page in focus.pages.all()} == {"/Bikes"}
    assert set(focus.pages.values_list("state", "source")) == {("waiting", "bookmarks")}


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (None, [], "can't be read"),
        ("no bookmarks at all", [], "does not look like a bookmark file"),
        (FILE, ["--focus", "nothing"], "no focus nothing"),
        (FILE, ["--taxonomy", "nothing"], "no taxonomy nothing"),
    ],
)
def test_what_can_not_be_done_is_told_in_one_line(run, tmp_path, content, options, words):
    path = tmp_path / "bookmarks.html"
    if content:
        path.write_text(content)
    with pytest.raises(CommandError, match=words) as refused:
        run(path, *options)
    assert "\n" not in str(refused.value)
