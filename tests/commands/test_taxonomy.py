"""`manage.py taxonomy` and `manage.py focus` as people and scripts call them."""

import gzip
import io
import json

import pytest
from django.core.management import CommandError, call_command

from focusadmin.accounts.services import first_user_ensure
from taxonomy.core.importers.sources import ImportFileError
from taxonomy.models import Focus, Taxonomy
from taxonomy.services.imports import ImportRefusedError
from tests.product import manage

pytestmark = pytest.mark.django_db

LINES = [
    {"path": "/Arts/Music", "description": "Sound", "terms": ["jazz"]},
    {"path": "/Arts/Music", "title": "Blue notes", "text": "A page about jazz."},
    {"path": "/Arts/Music", "url": "https://example.org/jazz"},
    {"path": "/Recreation/Cycling", "title": "Wheels", "url": "javascript:alert(1)"},
    {"path": "/Recreation/Cycling", "description": "On two wheels"},
]
CONTENT = """<?xml version="1.0" encoding="UTF-8"?>
<RDF xmlns:r="http://www.w3.org/TR/RDF/" xmlns:d="http://purl.org/dc/elements/1.0/">
<Topic r:id="Top/Arts"><catid>2</catid></Topic>
<ExternalPage about="http://example.org/"><d:Title>A page</d:Title>
<d:Description>About art</d:Description><topic>Top/Arts/Music</topic></ExternalPage>
<ExternalPage about="http://example.com/"><d:Title>Broken</d:Titel></ExternalPage>
</RDF>
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "tree.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES), encoding="utf-8")
    return path


@pytest.fixture
def run(capsys):
    def call(*arguments):
        call_command(*map(str, arguments), "--json")
        return json.loads(capsys.readouterr().out)

    return call


def test_import_reports_what_became_of_the_file(run, file):
    said = run("taxonomy", "import", file, "--name", "My topics")
    assert (said["taxonomy"], said["topics"], said["examples"]) == ("my-topics", 4, 2)
    assert said["skipped"] == [
        {"line": 4, "reason": "not an http or https address: javascript:alert(1)"}
    ]


def test_import_tells_people_in_words(file, capsys):
    call_command("taxonomy", "import", str(file), "--name", "My topics")
    said = capsys.readouterr().out
    assert "my-topics: 4 topics, 2 examples, 1 skipped." in said
    assert "line 4: not an http" in said


def test_packed_odp_files_are_recognised(run, tmp_path):
    path = tmp_path / "content.rdf.u8.gz"
    path.write_bytes(gzip.compress(CONTENT.encode()))
    said = run("taxonomy", "import", path, "--name", "Directory")
    assert (said["topics"], said["examples"]) == (2, 1)
    assert [skip["line"] for skip in said["skipped"]] == [6]


def test_export_and_import_give_the_same_tree(run, file, tmp_path):
    run("taxonomy", "import", file, "--name", "First")
    first = tmp_path / "first.jsonl"
    counts = run("taxonomy", "export", "first", "-o", first)
    assert counts == {"topics": 4, "examples": 2}
    run("taxonomy", "import", first, "--name", "Second")
    second = tmp_path / "second.jsonl"
    run("taxonomy", "export", "second", "-o", second)
    assert first.read_text() == second.read_text()


def test_list_and_show(run, file):
    run("taxonomy", "import", file, "--name", "My topics")
    (listed,) = run("taxonomy", "list")["topics"]
    assert (listed["taxonomy"], listed["topics"], listed["examples"]) == ("my-topics", 4, 2)
    shown = run("taxonomy", "show", "my-topics", "--depth", "1")["topics"]
    assert [topic["path"] for topic in shown] == ["/", "/Arts", "/Recreation"]
    shown = run("taxonomy", "show", str(listed["id"]), "/Arts")["topics"]
    assert shown == [
        {"path": "/Arts", "examples": 2, "children": 1},
        {"path": "/Arts/Music", "examples": 2, "children": 0},
    ]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_work_shows_its_progress_on_a_terminal_only(run, file, tmp_path, monkeypatch):
    shown = {}
    for kind in (Terminal, io.StringIO):
        with monkeypatch.context() as patch:
            patch.setenv("TERM", "xterm")
            patch.setattr("sys.stderr", stream := kind())
            run("taxonomy", "import", file, "--name", kind.__name__)
            run("taxonomy", "export", kind.__name__.lower(), "-o", tmp_path / "out.jsonl")
        shown[kind] = stream.getvalue()
    assert "Writing examples" in shown[Terminal]
    assert "Writing out.jsonl" in shown[Terminal]
    assert "100%" in shown[Terminal]
    assert "Writing" not in shown[io.StringIO]


def test_a_name_is_used_once(run, file):
    run("taxonomy", "import", file, "--name", "Mine")
    with pytest.raises(ImportRefusedError, match="already"):
        run("taxonomy", "import", file, "--name", "mine")


@pytest.mark.parametrize(
    ("content", "words"),
    [(b"", "is empty"), (b"\x1f\x8b\x08\x00half", "gzip"), (b"prose without form", "no known")],
)
def test_a_file_that_can_not_be_read_leaves_nothing(run, tmp_path, content, words):
    path = tmp_path / "odd"
    path.write_bytes(content)
    with pytest.raises(ImportFileError, match=words):
        run("taxonomy", "import", path, "--name", "Odd")
    assert Taxonomy.objects.count() == 0


def test_what_is_not_there_is_named(run, file, tmp_path):
    run("taxonomy", "import", file, "--name", "Mine")
    with pytest.raises(CommandError, match=r"no taxonomy other\. There are: mine\."):
        run("taxonomy", "show", "other")
    with pytest.raises(CommandError, match="no topic /Nowhere"):
        run("taxonomy", "show", "mine", "/Nowhere")
    with pytest.raises(CommandError, match="can't be written"):
        run("taxonomy", "export", "mine", "-o", tmp_path / "missing" / "file")
    with pytest.raises(CommandError, match="no team nobodys"):
        run("taxonomy", "import", file, "--name", "Other", "--team", "nobodys")


def test_a_focus_is_made(run, file):
    run("taxonomy", "import", file, "--name", "Mine")
    said = run(
        *("focus", "create", "--name", "Riding", "--taxonomy", "mine"),
        *("--good", "/Recreation/Cycling", "/Arts", "--start", "https://example.org/"),
    )
    focus = Focus.objects.get(slug=said["focus"])
    assert {topic.name for topic in focus.good_topics.all()} == {"Cycling", "Arts"}
    assert focus.start_urls == ["https://example.org/"]
    assert focus.owner == first_user_ensure()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--taxonomy", "other", "--good", "/Arts"], "no taxonomy other"),
        (["--taxonomy", "mine", "--good", "/Nowhere"], "no topic /Nowhere"),
        (["--taxonomy", "mine", "--good", "/Arts", "--start", "file:///x"], "Not a web address"),
    ],
)
def test_a_focus_on_nothing_is_refused(run, file, arguments, words):
    run("taxonomy", "import", file, "--name", "Mine")
    with pytest.raises(CommandError, match=words):
        run("focus", "create", "--name", "Riding", *arguments)
    assert Focus.objects.count() == 0


def test_a_focus_with_good_topics_above_each_other_is_refused(run, file):
    run("taxonomy", "import", file, "--name", "Mine")
    from taxonomy.services.focuses import FocusError

    with pytest.raises(FocusError, match="good already"):
        run(
            *("focus", "create", "--name", "Riding", "--taxonomy", "mine"),
            *("--good", "/Arts", "/Arts/Music"),
        )
    assert Focus.objects.count() == 0


def test_a_command_before_any_set_up_says_what_to_do(tmp_path):
    done = manage(tmp_path, "taxonomy", "list")
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1].endswith("manage.py migrate")
    assert "Traceback" not in done.stderr
