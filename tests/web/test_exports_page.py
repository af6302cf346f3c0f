"""Taking pages home from the screen."""

import csv
import io

import pytest

from crawler.models import Crawl, Export
from crawler.services.exports import export_run
from crawler.views import exports as views
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db


@pytest.fixture
def filled(scene, settings, tmp_path):
    settings.DATA_DIR = tmp_path
    Export.objects.all().delete()
    return record(
        scene.crawl,
        Fetched("https://h1.example/1", 0.9, fields={"title": "=1+1"}),
        Fetched("https://h2.example/2", 0.2),
    )


def address(crawl, rest: str = "") -> str:
    return f"/crawls/{crawl.pk}/exports/{rest}"


def test_a_small_crawl_is_downloaded_at_once(as_teammate, filled):
    words = Page(as_teammate.get(address(filled, "?least=0.5"))).words
    assert "Relevance from 0.5" in words
    assert "Download" in words
    answer = as_teammate.get(address(filled, "at-once/?format=csv&query=least%3D0.5"))
    assert answer["Content-Disposition"] == f'attachment; filename="{filled.slug}.csv"'
    content = b"".join(answer.streaming_content).decode()
    table = list(csv.DictReader(io.StringIO(content)))
    assert [row["title"] for row in table] == ["'=1+1"]


@pytest.mark.parametrize("rest", ["at-once/?format=x", "at-once/"])
def test_no_such_format(as_owner, filled, rest):
    assert as_owner.get(address(filled, rest)).status_code == 404


def test_hubs_that_are_not_known_are_told(as_owner, filled):
    answer = as_owner.get(address(filled, "at-once/?format=opml"), follow=True)
    assert "distil the crawl first" in Page(answer).words
    assert not filled.distillations.exists()  # nothing is changed by looking


def test_odd_filters_are_told(as_owner, filled):
    answer = as_owner.get(address(filled, "at-once/?format=csv&query=least%3Dx"), follow=True)
    assert "least" in Page(answer).words


def test_a_large_one_is_written_by_a_worker(as_teammate, filled, monkeypatch):
    monkeypatch.setattr(views, "AT_ONCE", 1)
    answer = as_teammate.get(address(filled, "at-once/?format=csv"), follow=True)
    assert "let a worker write" in Page(answer).words
    given = {"format": "jsonl", "query": "least=0.5"}
    answer = as_teammate.post(address(filled), given, follow=True)
    assert "Waiting" in Page(answer).words
    assert b"every 2s" in answer.content
    export = Export.objects.get()
    assert as_teammate.get(address(filled, f"{export.pk}/")).status_code == 404
    export_run(export.pk)
    answer = as_teammate.get(address(filled, "written/"))
    assert "Ready" in Page(answer).words
    assert b"every 2s" not in answer.content
    answer = as_teammate.get(address(filled, f"{export.pk}/"))
    assert b"".join(answer.streaming_content).count(b"\n") == 1


def test_cancelling(as_teammate, as_owner, filled, monkeypatch):
    as_owner.post(address(filled), {"format": "csv"})
    export = Export.objects.get()
    answer = as_owner.post(address(filled, f"{export.pk}/cancel/"), follow=True)
    assert "The export is cancelled" in Page(answer).words
    answer = as_owner.post(address(filled, f"{export.pk}/cancel/"), follow=True)
    assert "over already" in Page(answer).words


def test_a_fourth_at_a_time_is_refused(as_owner, filled):
    for _ in range(3):
        as_owner.post(address(filled), {"format": "csv"})
    answer = as_owner.post(address(filled), {"format": "csv"}, follow=True)
    assert "Wait for one" in Page(answer).words


def test_a_bundle_is_asked_for_by_its_own_button_when_the_crawl_rests(as_owner, filled):
    page = as_owner.get(address(filled))
    assert "The crawl is at work" in Page(page).words
    assert b"Write the bundle" not in page.content
    answer = as_owner.post(address(filled), {"format": "bundle"}, follow=True)
    assert "pause or stop it first" in Page(answer).words
    assert not Export.objects.exists()
    Crawl.objects.filter(pk=filled.pk).update(state=Crawl.State.PAUSED)
    assert "Write the bundle" in Page(as_owner.get(address(filled))).words
    answer = as_owner.get(address(filled, "at-once/?format=bundle"), follow=True)
    assert "written by a worker" in Page(answer).words
    answer = as_owner.post(address(filled), {"format": "bundle"}, follow=True)
    assert "Waiting" in Page(answer).words
    export_run(Export.objects.get().pk)
    answer = as_owner.get(address(filled))
    assert "model can't be read" in Page(answer).words
