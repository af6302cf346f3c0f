"""What a distillation does to the frontier, and what people read about it."""

import time
from datetime import timedelta

import pytest
from django.utils import timezone

from crawler.core.nudges import HUBS
from crawler.models import Crawl, CrawlEvent, Distillation, FrontierNudge, FrontierUrl
from crawler.selectors import hubs
from crawler.selectors.frontier import explained
from crawler.selectors.hubs import unvisited_from_hubs
from crawler.services.distillation import crawl_distil, crawls_distil_due, is_due
from crawler.services.nudges import CITATIONS_AT_MOST, nudges_make
from crawler.store import DatabaseLedger, lease_give_up
from tests.crawl_rows import held
from tests.harvest.recording import Fetched, record
from tests.harvest.test_distillation import GOOD, HUB, PAGES, UNVISITED

pytestmark = pytest.mark.django_db(transaction=True)


def number_of(crawl: Crawl, url: str) -> int:
    return FrontierUrl.objects.get(crawl=crawl, url=url).number


def test_what_a_top_hub_cites_and_nobody_fetched_comes_first(crawl):
    record(crawl, *PAGES)
    made = crawl_distil(crawl=crawl)
    nudge = FrontierNudge.objects.get(crawl=crawl, kind="visit")
    assert (nudge.number, nudge.priority) == (number_of(crawl, UNVISITED), HUBS)
    assert nudge.reason == f"hub boost: cited by {HUB}, distillation 1"
    assert nudge.distillation == made
    flag = CrawlEvent.objects.get(crawl=crawl, kind="hub_boost")
    assert flag.text.startswith("Hub boost: 1 unvisited links")


def test_links_within_the_site_of_the_hub_are_not_raised(crawl):
    own = "https://lists.example/about"
    record(crawl, Fetched(HUB, 0.7, (*GOOD, own)), *PAGES[1:])
    assert unvisited_from_hubs(crawl_distil(crawl=crawl), limit=10) == []
    assert not FrontierNudge.objects.filter(crawl=crawl, kind="visit").exists()


def test_a_hub_that_leads_to_little_has_no_effect(crawl):
    few = (GOOD[0], GOOD[1], UNVISITED)
    record(crawl, Fetched(HUB, 0.7, few), *PAGES[1:])
    crawl_distil(crawl=crawl)
    assert not FrontierNudge.objects.exists()


def test_raised_links_take_only_a_part_of_the_budget(crawl):
    many = tuple(f"https://new{number}.example/" for number in range(CITATIONS_AT_MOST + 40))
    crawl = record(crawl, Fetched(HUB, 0.7, (*GOOD, *many)), *PAGES[1:])
    Crawl.objects.filter(pk=crawl.pk).update(config={"budget": {"max_pages": crawl.fetched + 50}})
    crawl.refresh_from_db()
    crawl_distil(crawl=crawl)
    assert FrontierNudge.objects.filter(kind="visit").count() == 12
    Crawl.objects.filter(pk=crawl.pk).update(config={})
    crawl.refresh_from_db()
    crawl_distil(crawl=crawl)
    assert FrontierNudge.objects.filter(kind="visit").count() == CITATIONS_AT_MOST


def test_a_hub_is_due_again_after_pages_and_time_and_once(crawl, monkeypatch):
    crawl = record(crawl, *PAGES)
    crawl_distil(crawl=crawl)
    assert not FrontierNudge.objects.filter(kind="revisit").exists()  # few pages have come since
    monkeypatch.setattr(hubs, "DUE_AFTER_PAGES", 5)
    for _ in range(2):
        crawl_distil(crawl=crawl)
    nudge = FrontierNudge.objects.get(kind="revisit")
    assert nudge.number == number_of(crawl, HUB)
    FrontierNudge.objects.all().delete()
    record(crawl, Fetched(HUB, 0.7, GOOD, fields={"fetched_at": time.time()}))
    crawl = record(crawl, *(Fetched(f"https://later{n}.example/", 0.1) for n in range(9)))
    crawl_distil(crawl=crawl)
    assert not FrontierNudge.objects.filter(kind="revisit").exists()  # just read


def test_an_ended_crawl_is_left_alone(crawl):
    record(crawl, *PAGES)
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.FINISHED)
    crawl.refresh_from_db()
    crawl_distil(crawl=crawl)
    assert not FrontierNudge.objects.exists()


def test_the_rank_of_a_raised_url_says_why(crawl):
    record(crawl, *PAGES)
    crawl_distil(crawl=crawl)
    number = number_of(crawl, UNVISITED)
    assert not explained(crawl, number).waiting.is_first
    FrontierUrl.objects.filter(crawl=crawl, number=number).update(priority=HUBS)
    waiting = explained(crawl, number).waiting
    assert waiting.is_first
    assert waiting.reason == f"hub boost: cited by {HUB}, distillation 1"


def test_a_running_crawl_is_distilled_when_it_has_grown(crawl):
    record(crawl, *PAGES)
    assert not is_due(crawl)
    assert crawls_distil_due() == []
    long_ago = timezone.now() - timedelta(minutes=10)
    Crawl.objects.filter(pk=crawl.pk).update(started_at=long_ago)
    record(crawl, *(Fetched(f"https://more{n}.example/", 0.1) for n in range(50)))
    crawl.refresh_from_db()
    assert [made.number for made in crawls_distil_due()] == [1]
    Distillation.objects.update(at=long_ago)
    assert crawls_distil_due() == []  # nothing changed
    record(crawl, *(Fetched(f"https://news{n}.example/", 0.1) for n in range(500)))
    assert [made.number for made in crawls_distil_due()] == [2]
    Crawl.objects.filter(pk=crawl.pk).update(state=Crawl.State.PAUSED)
    Distillation.objects.all().delete()
    assert crawls_distil_due() == []


def test_wishes_are_for_urls_of_the_crawl_that_wait_and_once(crawl, owner):
    record(crawl, *PAGES)
    waits, fetched = number_of(crawl, UNVISITED), number_of(crawl, HUB)
    asked = {"crawl": crawl, "numbers": [waits, waits, fetched, 999], "reason": "asked for"}
    assert nudges_make(**asked, kind="visit", by=owner) == 1
    assert nudges_make(**asked, kind="visit", by=owner) == 0
    assert nudges_make(**asked, kind="revisit", by=owner) == 2


def test_the_ledger_hands_out_what_no_batch_has_applied(crawl, owner):
    record(crawl, *PAGES)
    number = number_of(crawl, UNVISITED)
    nudges_make(crawl=crawl, numbers=[number], kind="visit", reason="asked for", by=owner)
    taken = held(crawl, "engine")
    ledger = DatabaseLedger(
        crawl_id=crawl.pk, fence=taken.fence, owner=taken.lease_owner, seq=taken.seq
    )
    (nudge,) = ledger.nudges()
    assert (nudge.number, nudge.forgives) == (number, True)
    lease_give_up(taken)
