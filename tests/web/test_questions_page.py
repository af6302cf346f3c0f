"""The page of questions: answers escaped, errors in words, files, and what is saved."""

import pytest
from django.urls import reverse

from crawler.models import SavedQuestion
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def folder(settings, tmp_path):
    settings.DATA_DIR = tmp_path


@pytest.fixture
def address(scene) -> str:
    record(scene.crawl, Fetched("https://a.example/", 0.9, fields={"title": HOSTILE}))
    return reverse("crawler:questions", args=[scene.crawl.pk])


def test_the_page_offers_examples_and_tells_the_views(as_owner, address):
    page = Page(as_owner.get(address))
    assert "Which pages of topic A link to pages of topic B?" in page.words
    assert "topic_above" in page.words
    assert "None yet." in page.words


def test_an_answer_is_escaped_and_leads_to_its_pages(as_owner, address, scene):
    response = as_owner.post(address, {"sql": "SELECT page, title, NULL AS none FROM page"})
    assert HOSTILE not in response.content.decode()
    page = Page(response)
    assert HOSTILE in page.words
    assert "1 row" in page.words
    assert "NULL" in page.words
    assert reverse("crawler:crawl-page", args=[scene.crawl.pk, 1]) in page.links


def test_examples_answer_at_once(as_owner, address):
    page = Page(as_owner.post(address, {"example": "harvest"}))
    assert "mean_relevance" in page.words
    assert "No row is like that" in Page(as_owner.post(address, {"example": "return"})).words


def test_an_error_says_what_to_do_and_keeps_the_question(as_owner, address):
    response = as_owner.post(address, {"sql": "SELECT * FROM accounts_user"})
    assert response.status_code == 422
    page = Page(response)
    assert "There is no view accounts_user. There are: page" in page.words
    assert "SELECT * FROM accounts_user" in page.words
    assert as_owner.post(address, {"sql": "", "do": "csv"}).status_code == 422


def test_a_link_asks_nothing(as_owner, address):
    page = Page(as_owner.get(address, {"sql": "SELECT 1 AS asked", "example": "harvest"}))
    assert "Answer" not in page.words


def test_the_answer_is_a_file_to_keep(as_owner, address):
    response = as_owner.post(address, {"sql": "SELECT '=1' AS a", "do": "csv"})
    assert response["Content-Type"].startswith("text/csv")
    assert response["Content-Disposition"].startswith("attachment")
    assert response.content.decode().split() == ["a", "'=1"]


def test_a_question_is_saved_asked_again_and_removed(as_owner, owner, address, scene):
    save = reverse("crawler:questions-save", args=[scene.crawl.pk])
    as_owner.post(save, {"name": HOSTILE, "sql": "SELECT 40 + 2 AS n", "shared": "1"})
    saved = SavedQuestion.objects.get()
    assert (saved.by, saved.crawl) == (owner, None)
    response = as_owner.get(address)
    assert HOSTILE not in response.content.decode()
    assert "all crawls of the team" in Page(response).words
    assert "42" in Page(as_owner.post(address, {"saved": str(saved.pk)})).words
    assert as_owner.post(address, {"saved": "999"}).status_code == 404
    assert as_owner.post(save, {"name": "", "sql": "SELECT 1"}).status_code == 422
    as_owner.post(reverse("crawler:questions-remove", args=[scene.crawl.pk, saved.pk]))
    assert not SavedQuestion.objects.exists()


def test_a_viewer_and_a_curator_see_no_such_tab(as_curator, address, scene):
    assert as_curator.get(address).status_code == 403
    assert as_curator.post(address, {"sql": "SELECT 1"}).status_code == 403
    monitor = Page(as_curator.get(reverse("crawler:crawl", args=[scene.crawl.pk])))
    assert address not in monitor.links


def test_the_copy_is_renewed_on_demand(as_owner, address, scene):
    renew = reverse("crawler:questions-renew", args=[scene.crawl.pk])
    assert "as it is now" in Page(as_owner.post(renew, follow=True)).words
    assert "up to page 1" in Page(as_owner.get(address)).words
