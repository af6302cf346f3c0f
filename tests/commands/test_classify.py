"""`manage.py train` and `manage.py classify`."""

import json

import pytest
from django.core.management import CommandError, call_command

from focusadmin.lib.single_page import PageUnreachableError
from taxonomy.services.shipped import shipped_taxonomy_ensure
from taxonomy.services.training import shipped_model_ensure
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


@pytest.fixture
def shipped(team):
    shipped_taxonomy_ensure(team=team)
    shipped_model_ensure()


def test_train_tells_its_scores(run, shipped):
    (said,) = run("train", "--holdout", "0.3")
    assert {"model", "version", "examples", "leaf_accuracy", "top_accuracy", "brier"} <= set(said)
    assert said["version"] == 2
    assert said["top_accuracy"] > 0.9
    assert said["leaf_accuracy"] > 0.85


def test_a_text_is_classified_best_leaf_first(run, shipped):
    (said,) = run("classify", "--text", BIKES, "--good", "/Recreation/Cycling", "--explain")
    assert said["topics"][0]["path"] == "/Recreation/Cycling/Mountain_Biking"
    probabilities = [topic["probability"] for topic in said["topics"]]
    assert probabilities == sorted(probabilities, reverse=True)
    assert 0.5 < said["relevance"] <= 1.0
    last = said["explanation"]["choices"][-1]
    assert last["chosen"] == "/Recreation/Cycling/Mountain_Biking"
    assert "singletrack" in last["words_for"]


def test_other_languages_and_short_texts_are_doubted(run, shipped):
    (said,) = run("classify", "--text", "Bonjour")
    assert "too_short" in said["doubts"]
    assert said["topics"][0]["probability"] < 0.5


def test_lines_in_are_lines_out(run, shipped, tmp_path):
    file = tmp_path / "pages.jsonl"
    lines = [
        *({"id": n, "text": BIKES} for n in range(600)),
        {"id": "h", "html": "<script>opera</script><p>mutual fund expense ratio and <b>bonds</b>"},
    ]
    text = "\n".join(json.dumps(line) for line in lines)
    file.write_text(f"{text}\nnonsense\n\n[1]\n", encoding="utf-8")
    said = run("classify", "--jsonl", file, "--top", "1")
    assert [line["id"] for line in said[:600]] == list(range(600))
    assert said[600]["topics"][0]["path"] == "/Business/Investing/Mutual_Funds"
    assert [line["error"].split(" needs")[0] for line in said[601:]] == ["line 602", "line 604"]
    assert all("text" not in line for line in said)


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
    with pytest.raises(PageUnreachableError, match="stay away"):
        run("classify", "--url", "http://127.0.0.1:9/")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--taxonomy", "other", "--text", "x"], "no taxonomy other"),
        (["--text", "x", "--good", "/Nowhere"], "no topic /Nowhere"),
        (["--file", "/nowhere/file"], "can't be read"),
    ],
)
def test_bad_input_is_named(run, shipped, arguments, words):
    with pytest.raises(CommandError, match=words):
        run("classify", *arguments)


def test_an_odd_holdout_is_refused(run, shipped):
    with pytest.raises(CommandError, match=r"0\.05 to 0\.5"):
        run("train", "--holdout", "0.9")
