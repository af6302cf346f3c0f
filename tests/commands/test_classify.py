"""`manage.py classify` as people and scripts call it."""

import json
import re
from contextlib import ExitStack

import pytest
from django.core.management import CommandError, call_command
from django.db import transaction

from focusadmin.accounts.models import User
from focusadmin.accounts.services import team_create
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.single_page import PageUnreachableError
from taxonomy.management.commands import classify
from tests.shipped import shipped_with_model
from tests.sites.behaviours import Pages
from tests.sites.web import LoopbackWeb

pytestmark = pytest.mark.django_db

BIKES = "The singletrack descends through berms; set the sag of your suspension fork and dropper."


@pytest.fixture
def run(capsys):
    def call(*arguments):
        call_command(*map(str, arguments), "--json")
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return call


@pytest.fixture(scope="module")
def shipped_once(django_db_setup, django_db_blocker):
    """The shipped tree and its model, which take seconds to make, for all tests of this module."""
    with django_db_blocker.unblock(), transaction.atomic():
        owner = User.objects.create_user("olga", password="a-long-pass-phrase")
        shipped_with_model(team_create(name="Cyclists", by=owner))
        yield
        transaction.set_rollback(True)


@pytest.fixture
def shipped(shipped_once, db):
    """What a test changes is rolled back to there."""


def test_a_text_is_classified_best_leaf_first(run, shipped):
    (said,) = run("classify", "--text", BIKES, "--good", "/Recreation/Cycling", "--explain")
    assert said["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"
    probabilities = [topic["probability"] for topic in said["topics"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0.5 < said["relevance"] <= 1.0
    last = said["explanation"]["choices"][-1]
    assert last["chosen"] == "/Recreation/Cycling/Mountain_Biking"
    assert "singletrack" in last["words_for"]


def test_the_way_to_another_topic_is_explained(run, shipped):
    (said,) = run("classify", "--text", BIKES, "--toward", "/Home/Cooking/Baking")
    why = said["explanation"]
    assert why["toward"]["path"] == "/Home/Cooking/Baking"
    assert why["toward"]["probability"] < 0.1
    assert [choice["chosen"] for choice in why["choices"]] == [
        "/Home",
        "/Home/Cooking",
        "/Home/Cooking/Baking",
    ]
    assert "singletrack" in why["choices"][0]["words_against"]


def test_people_read_the_same(shipped, capsys):
    call_command("classify", "--text", f"{BIKES} zzyzx", "--good", "/Recreation", "--explain")
    told = capsys.readouterr().out
    assert re.search(r"^  0\.\d+  /Recreation/Cycling/Mountain_Biking$", told, re.MULTILINE)
    assert re.search(r"^  0\.9\d+  relevance$", told, re.MULTILINE)
    assert "doubt: too short" in told
    assert re.search(r"among +0\.9\d+ /Recreation, ", told)
    assert re.search(r"for +.*singletrack \+\d", told)
    assert "unknown: zzyzx" in told


def test_other_languages_and_short_texts_are_doubted(run, shipped):
    (said,) = run("classify", "--text", "Bonjour")
    assert "too_short" in said["doubts"]
    assert said["topics"][0]["probability"] < 0.5


def test_lines_in_are_lines_out(run, shipped, tmp_path):
    file = tmp_path / "pages.jsonl"
    lines = [
        *({"id": n, "text": BIKES} for n in range(600)),
        {"id": "h", "html": "<script>opera</script><p>mutual fund expense ratio and <b>bonds</b>"},
        {"id": "big", "html": f"<p>{BIKES} " * 20_000},
        {"id": "bare"},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    file.write_text(f"{text}\nnonsense\n\n[1]\n", encoding="utf-8")
    said = run("classify", "--jsonl", file, "--top", "1")
    assert [line["id"] for line in said] == [*range(600), "h", "big", "bare", None, None]
    assert said[600]["topics"][0]["path"] == "/Business/Investing/Mutual_Funds"
    assert said[601]["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"
    errors = [line["error"].split(" needs")[0] for line in said[602:]]
    assert errors == ["line 603", "line 604", "line 606"]
    assert all("text" not in line for line in said)


def test_large_pages_are_judged_in_small_batches(run, shipped, tmp_path, monkeypatch):
    monkeypatch.setattr(classify, "CHARACTERS", 250)
    monkeypatch.setattr(classify, "LINE_MAX", 4096)
    file = tmp_path / "pages.jsonl"
    texts = [BIKES, BIKES * 100, "", *[BIKES] * 5]
    file.write_text("\n".join(json.dumps({"id": n, "text": t}) for n, t in enumerate(texts)))
    said = run("classify", "--jsonl", file, "--top", "1")
    assert [line["id"] for line in said] == [0, None, *range(2, 8)]
    assert "line 2 is longer than" in said[1]["error"]
    assert said[2]["doubts"] == ["too_short", "no_known_words"]


@pytest.fixture
def piped(tmp_path, monkeypatch):
    """Puts bytes where a command reads its standard input."""

    with ExitStack() as opened:

        def put(content: bytes) -> None:
            file = tmp_path / "piped"
            file.write_bytes(content)
            monkeypatch.setattr("sys.stdin", opened.enter_context(file.open()))

        yield put


def test_standard_input_is_read_where_a_file_is_asked_for(run, shipped, piped):
    piped(BIKES.encode())
    (said,) = run("classify", "--file", "-")
    assert said["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"
    piped(b"\n".join(json.dumps({"id": n, "text": BIKES}).encode() for n in range(3)))
    assert [line["id"] for line in run("classify", "--jsonl", "-")] == [0, 1, 2]


def test_every_line_can_be_explained(run, shipped, piped):
    french = "Le chien est un animal de la famille des loups, et il vit avec les hommes. " * 3
    piped(b"\n".join(json.dumps({"text": text}).encode() for text in (BIKES, french)))
    english, other = (line["explanation"] for line in run("classify", "--jsonl", "-", "--explain"))
    assert "singletrack" in english["choices"][0]["words_for"]
    assert (english["language"], other["language"]) == ("en", "fr")
    assert "chien" in other["unknown_words"]


def test_an_html_file_is_read_as_its_text(run, shipped, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(f"<html><style>opera</style><p>{BIKES}", encoding="utf-8")
    (said,) = run("classify", "--file", file)
    assert said["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"


def test_a_page_is_fetched_and_classified(run, shipped, settings):
    with LoopbackWeb.running() as web:
        url = web.add("127.0.0.1", Pages({"/": f"<title>Trails</title><p>{BIKES}".encode()}))
        settings.CRAWLER_ALLOWED_HOSTS = [f"127.0.0.1:{web.port}"]
        settings.CRAWLER_CONTACT = "ann@example.org"
        (said,) = run("classify", "--url", url)
    assert said["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"


def test_a_page_that_can_not_be_fetched_is_a_clear_error(run, shipped, settings):
    settings.CRAWLER_CONTACT = "ann@example.org"
    with pytest.raises(PageUnreachableError, match="FOCUSADMIN_ALLOWED_TARGETS"):
        run("classify", "--url", "http://127.0.0.1:9/")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--taxonomy", "other", "--text", "x"], "no taxonomy other"),
        (["--text", "x", "--good", "/Nowhere"], "no topic /Nowhere"),
        (["--text", "x", "--toward", "/Nowhere"], "no topic /Nowhere"),
        (["--file", "/nowhere/file"], "can't be read"),
    ],
)
def test_bad_input_is_named(run, shipped, arguments, words):
    with pytest.raises((CommandError, FocusAdminError), match=words):
        run("classify", *arguments)
