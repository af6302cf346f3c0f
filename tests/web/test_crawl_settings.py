"""Changing a crawl while it runs: what is shown before, and what is done then."""

from typing import Any

import pytest
from django.urls import reverse

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, FrontierUrl
from tests.web.pages import Page


@pytest.fixture
def crawl(scene) -> Crawl:
    config = CrawlConfig.from_json({"budget": {"max_pages": 500}, "exclusions": ["old.example"]})
    Crawl.objects.filter(pk=scene.crawl.pk).update(config=config.to_json(), frontier_size=3)
    for number, host in enumerate(["a.example", "b.example", "b.example"]):
        FrontierUrl.objects.create(
            crawl=scene.crawl, number=number, url_key=number, priority=0.5, host=0,
            url=f"https://{host}/{number}",
        )  # fmt: skip
    return Crawl.objects.get(pk=scene.crawl.pk)


def sent(**changes: Any) -> dict[str, Any]:
    """The form as it is filled in, with some changes."""
    return {
        "strategy": "soft_focus",
        "good": "/Recreation/Cycling",
        "pass_through": "",
        "exclusions": "old.example",
        "max_pages": "500",
        "max_minutes": "",
        "max_megabytes": "",
        "concurrency": "16",
        "delay_seconds": "1.0",
    } | changes


def url_of(crawl: Crawl) -> str:
    return reverse("crawler:crawl-settings", args=[crawl.pk])


def test_the_form_shows_what_is_in_force(as_teammate, crawl):
    page = Page(as_teammate.get(url_of(crawl)))
    assert "/Recreation/Cycling" in page.words
    assert "old.example" in page.words
    assert page.values_of("max_pages") == ["500"]
    assert "an operator of the team can change them" in page.words


def test_a_preview_tells_what_would_change_and_changes_nothing(as_owner, crawl):
    given = sent(strategy="link_context", exclusions="old.example\nb.example", max_pages="")
    words = Page(as_owner.post(url_of(crawl), given)).words
    assert "Soft focus Link context" in words
    assert "3 waiting addresses are ranked anew." in words
    assert "2 waiting addresses leave the queue." in words
    assert "Budget 500 pages no bound" in words
    after = Crawl.objects.get(pk=crawl.pk)
    assert (after.strategy, after.settings_revision) == ("soft_focus", crawl.settings_revision)


def test_other_good_topics_judge_stored_pages_anew(as_owner, crawl):
    Crawl.objects.filter(pk=crawl.pk).update(fetched=1234)
    words = Page(as_owner.post(url_of(crawl), sent(good="/Arts"))).words
    assert "1,234 stored pages are judged anew" in words


def test_a_budget_that_is_used_up_is_told(as_owner, crawl):
    Crawl.objects.filter(pk=crawl.pk).update(fetched=100)
    words = Page(as_owner.post(url_of(crawl), sent(max_pages="50"))).words
    assert "ends within a second or two (budget: 50 pages fetched)" in words


def test_nothing_different_offers_nothing_to_apply(as_owner, crawl):
    page = Page(as_owner.post(url_of(crawl), sent()))
    assert "Nothing differs" in page.words
    assert page.values_of("apply") == []


def test_applied_changes_are_in_force_and_leave_a_flag(as_owner, crawl):
    given = sent(strategy="otie", good="/Recreation/Cycling\n/Arts", apply="yes", max_minutes="2")
    response = as_owner.post(url_of(crawl), given)
    assert response["Location"] == reverse("crawler:crawl", args=[crawl.pk])
    after = Crawl.objects.get(pk=crawl.pk)
    config = CrawlConfig.from_json(after.config)
    assert (after.strategy, config.budget.max_seconds) == ("otie", 120)
    assert after.good == [["Recreation", "Cycling"], ["Arts"]]
    assert after.settings_revision == crawl.settings_revision + 1
    assert after.events.get().kind == "changed"


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"good": ""}, "needs at least one good topic"),
        ({"good": "/Nowhere"}, "There is no topic /Nowhere"),
        ({"good": "/"}, "whole tree"),
        ({"exclusions": "not a host"}, "is not a host"),
        ({"strategy": "magic"}, ""),
        ({"max_pages": "0"}, "greater than or equal to 1"),
    ],
)
def test_an_odd_setting_is_refused_with_its_reason(as_owner, crawl, changes, told):
    response = as_owner.post(url_of(crawl), sent(**changes))
    assert response.status_code == 422
    assert told in Page(response).words
