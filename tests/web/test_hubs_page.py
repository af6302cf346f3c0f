"""The page of hubs and authorities: its empty state, its escaping, and who may judge."""

import pytest
from django.urls import reverse

from crawler.models import FrontierNudge, FrontierUrl, Verdict
from crawler.services.distillation import crawl_distil
from tests.harvest.recording import Fetched, record
from tests.harvest.test_distillation import GOOD, HUB, PAGES, UNVISITED
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>"


def hubs_of(client, scene) -> Page:
    return Page(client.get(reverse("crawler:hubs", args=[scene.crawl.pk])))


@pytest.fixture
def distilled(scene):
    titled = Fetched(HUB, 0.7, (*GOOD, UNVISITED), fields={"title": HOSTILE})
    record(scene.crawl, titled, *PAGES[1:])
    crawl_distil(crawl=scene.crawl)
    return scene


def test_before_the_first_distillation_it_says_when_one_comes(as_owner, scene):
    assert "The first distillation comes after 500 pages" in hubs_of(as_owner, scene).words


def test_hubs_are_told_with_their_figures_and_escaped(as_owner, distilled):
    response = as_owner.get(reverse("crawler:hubs", args=[distilled.crawl.pk]))
    assert HOSTILE not in response.content.decode()
    words = Page(response).words
    assert HOSTILE in words
    assert "8 of 8 links to good pages" in words
    assert "new in the list" in words
    assert UNVISITED in words


def test_a_viewer_sees_hubs_without_the_levers(as_teammate, distilled):
    page = hubs_of(as_teammate, distilled)
    assert "8 of 8 links to good pages" in page.words
    for route in ("feedback", "hubs-distil", "visit"):
        assert not page.has_form(reverse(f"crawler:{route}", args=[distilled.crawl.pk]))


def test_visit_now_is_a_wish_of_the_person(as_owner, owner, distilled):
    url = FrontierUrl.objects.get(crawl=distilled.crawl, url=UNVISITED)
    address = reverse("crawler:visit", args=[distilled.crawl.pk])
    FrontierNudge.objects.all().delete()
    as_owner.post(address, {"number": str(url.number)})
    assert FrontierNudge.objects.get().by == owner
    answer = as_owner.post(address, {"number": "x"}, follow=True)
    assert "does not wait any more" in Page(answer).words


def test_odd_requests_say_nothing_of_any_page(as_owner, distilled):
    address = reverse("crawler:feedback", args=[distilled.crawl.pk])
    for data in ({}, {"value": "useful"}, {"value": "useful", "seq": "9" * 30}, {"seq": "1"}):
        assert as_owner.post(address, data).status_code == 302
    assert not Verdict.objects.exists()


def test_the_view_of_a_page_tells_what_was_said(as_owner, owner, distilled):
    crawl = distilled.crawl
    Verdict.objects.create(crawl=crawl, number=0, site="lists.example", value="useful", by=owner)
    Verdict.objects.create(crawl=crawl, site="lists.example", value="not_useful", by=owner)
    address = reverse("crawler:crawl-page", args=[crawl.pk, 1])
    page = Page(as_owner.get(address))
    assert f"useful, says {owner}" in page.words
    assert f"lists.example: not useful, says {owner}" in page.words
    assert page.has_form(reverse("crawler:feedback", args=[crawl.pk]))


def test_a_viewer_of_a_page_is_not_asked(as_teammate, distilled):
    page = Page(as_teammate.get(reverse("crawler:crawl-page", args=[distilled.crawl.pk, 1])))
    assert "Nobody has said yet" in page.words
    assert not page.has_form(reverse("crawler:feedback", args=[distilled.crawl.pk]))
