"""Sites: how they are counted and ordered, what people decide, what it leaves for the engine."""

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.intervals import wilson_interval
from crawler.core.nudges import SITES
from crawler.core.sites import SiteEvidence, predicted_relevance
from crawler.models import Crawl, CrawlEvent, CrawlSite, FrontierNudge, FrontierUrl, SiteDecision
from crawler.selectors.site_details import site_details
from crawler.selectors.sites import (
    PREDICTED,
    SiteFilter,
    site_opinions,
    site_place_in,
    sites_found,
)
from crawler.services import sites as services
from crawler.services.kept_sites import sites_carry
from crawler.services.sitecounts import sites_count, sites_count_due
from crawler.services.sites import (
    SiteError,
    site_allow,
    site_cap,
    site_decide,
    site_deepen,
    site_deepen_undo,
    site_exclude,
    site_undo,
)
from focusadmin.accounts.models import User
from tests.crawl_rows import make_crawl
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db

GOOD = "good.example"
OFF = "off.example"
NEW = "new.example"
PAGES = [
    *(Fetched(f"https://www.good.example/{n}", 0.9) for n in range(8)),
    Fetched("https://good.example/hub", 0.6, tuple(f"https://{NEW}/{n}" for n in range(3))),
    Fetched("https://off.example/1", 0.1, ("https://off.example/2", "https://off.example/3")),
    Fetched("https://off.example/gone", None),
    Fetched("https://lucky.example/1", 0.95),
]


@pytest.fixture
def counted(crawl: Crawl) -> Crawl:
    crawl = record(crawl, *PAGES)
    finder = FrontierUrl.objects.get(crawl=crawl, url="https://good.example/hub").number
    found = FrontierUrl.objects.filter(crawl=crawl, url__contains=NEW)
    found.update(found_on=finder)
    sites_count(crawl=crawl)
    return crawl


@pytest.fixture
def others(team) -> list[User]:
    return [User.objects.create_user(name, password="a-long-pass-phrase") for name in "abc"]


def row(crawl: Crawl, site: str) -> CrawlSite:
    return CrawlSite.objects.get(crawl=crawl, site=site)


def config_of(crawl: Crawl) -> CrawlConfig:
    crawl.refresh_from_db()
    return CrawlConfig.from_json(crawl.config)


def names(crawl, owner, **wanted) -> list[str]:
    return [one.site.site for one in sites_found(crawl, SiteFilter(**wanted), owner).sites]


# counting and order


def test_sites_are_counted_with_their_interval(counted):
    good = row(counted, GOOD)
    assert (good.hosts, good.pages, good.relevant, good.waiting) == (2, 9, 9, 0)
    assert (good.density_low, good.density_high) == wilson_interval(9, 9)
    off = row(counted, OFF)
    assert (off.pages, off.relevant, off.failed, off.waiting) == (1, 0, 1, 2)
    assert off.density == 0.0


def test_the_prediction_weighs_pages_and_where_the_waiting_urls_were_found(counted):
    mean = counted.mean_relevance
    new = row(counted, NEW)
    assert (new.pages, new.waiting) == (0, 3)
    assert new.evidence_sum == pytest.approx(1.8)
    assert new.predicted == pytest.approx((3 * 0.6 + 2 * mean) / 5, abs=1e-3)
    evidence = SiteEvidence(9, 8 * 0.9 + 0.6, 0, 0.0)
    assert row(counted, GOOD).predicted == pytest.approx(
        predicted_relevance(evidence, mean), abs=1e-3
    )
    assert new.predicted < mean < row(counted, GOOD).predicted


def test_many_good_pages_come_before_one_lucky_one(counted, owner):
    assert names(counted, owner)[:2] == [GOOD, "lucky.example"]
    assert names(counted, owner, sort=PREDICTED)[-2:] == [OFF, NEW]


def test_what_has_not_changed_is_not_counted_again(counted):
    before = counted.site_count.at
    sites_count_due()
    counted.site_count.refresh_from_db()
    assert counted.site_count.at == before
    record(counted, Fetched("https://www.good.example/more", 0.2))
    Crawl.objects.get(pk=counted.pk)
    counted.site_count.at = "2020-01-01T00:00:00+00:00"
    counted.site_count.save()
    sites_count_due()
    assert row(counted, GOOD).pages == 10


def test_a_count_leaves_decisions_alone(counted, owner):
    site_decide(crawl=counted, site=OFF, value="out", by=owner)
    sites_count(crawl=counted)
    assert row(counted, OFF).state == "out"


def test_places_stay_valid_while_the_crawl_grows(counted, owner, monkeypatch):
    monkeypatch.setattr("crawler.selectors.sites.SITES_SHOWN", 2)
    first = sites_found(counted, SiteFilter(), owner)
    assert first.next is not None
    record(counted, *(Fetched(f"https://better{n}.example/", 0.9) for n in range(4)))
    sites_count(crawl=counted)
    place = site_place_in(str(first.next))
    seen = [one.site.site for one in first.sites]
    while place is not None:
        found = sites_found(counted, SiteFilter(), owner, place)
        seen += [one.site.site for one in found.sites]
        place = found.next
    old = [name for name in seen if not name.startswith("better")]
    assert sorted(old) == sorted({GOOD, OFF, NEW, "lucky.example"})
    assert site_place_in("no_place") is None


def test_filters(counted, owner):
    CrawlSite.objects.filter(site=OFF).update(refused=2)
    site_decide(crawl=counted, site=NEW, value="in", by=owner)
    assert names(counted, owner, only_refused=True) == [OFF]
    assert names(counted, owner, state="in") == [NEW]
    assert names(counted, owner, words="LUCKY") == ["lucky.example"]
    assert NEW not in names(counted, owner, state="new")


# decisions


def test_out_puts_the_site_on_the_stay_away_list_with_a_flag(counted, owner):
    revision = counted.settings_revision
    said = site_decide(crawl=counted, site=OFF, value="out", by=owner)
    assert said.effect == "2 frontier URLs removed, and nothing more is fetched from it"
    assert config_of(counted).exclusions == (OFF, f"*.{OFF}")
    assert counted.settings_revision == revision + 1
    flag = CrawlEvent.objects.get(crawl=counted, kind="changed")
    assert (flag.text, flag.by) == ("Changed: exclusions (off.example is out)", owner)
    assert "what had left for it comes back" in site_undo(decision=said, by=owner)
    assert config_of(counted).exclusions == ()
    assert row(counted, OFF).state == "new"
    with pytest.raises(SiteError, match="undone already"):
        site_undo(decision=said, by=owner)


def test_undoing_out_leaves_what_somebody_else_had_excluded(counted, owner):
    site_exclude(crawl=counted, site=OFF, by=owner)
    said = site_decide(crawl=counted, site=OFF, value="out", by=owner)
    site_undo(decision=said, by=owner)
    assert config_of(counted).exclusions == (OFF, f"*.{OFF}")
    site_allow(crawl=counted, site=OFF, by=owner)
    assert config_of(counted).exclusions == ()


def test_in_raises_the_best_waiting_urls_and_undo_withdraws_that(counted, owner):
    said = site_decide(crawl=counted, site=NEW, value="in", by=owner)
    nudges = FrontierNudge.objects.filter(crawl=counted)
    assert {(one.kind, one.priority, one.site, one.by) for one in nudges} == {
        ("deeper", SITES, NEW, owner)
    }
    assert said.effect == "3 frontier URLs moved to the front"
    assert "3 frontier URLs moved back" in site_undo(decision=said, by=owner)
    assert not nudges.filter(withdrawn_at=None).exists()


def test_a_second_say_of_the_same_person_replaces_the_first(counted, owner):
    first = site_decide(crawl=counted, site=NEW, value="in", by=owner)
    with pytest.raises(SiteError, match="You said in"):
        site_decide(crawl=counted, site=NEW, value="in", by=owner)
    said = site_decide(crawl=counted, site=NEW, value="undecided", by=owner)
    assert "3 frontier URLs moved back" in said.effect
    first.refresh_from_db()
    assert first.undone_by == owner
    assert row(counted, NEW).state == "undecided"


def test_the_majority_counts_and_agreement_is_told(counted, owner, others):
    a, b, _ = others
    site_decide(crawl=counted, site=OFF, value="out", by=owner)
    assert _words(counted, owner) == f"out, says {owner}"
    tied = site_decide(crawl=counted, site=OFF, value="in", by=a)
    assert row(counted, OFF).state == "undecided"
    assert "comes back" in tied.effect
    assert config_of(counted).exclusions == ()
    site_decide(crawl=counted, site=OFF, value="out", by=b)
    assert row(counted, OFF).state == "out"
    assert _words(counted, owner) == "2 of 3 say out"
    site_undo(decision=tied, by=owner)
    assert _words(counted, owner) == "all 2 say out"


def _words(crawl: Crawl, user: User) -> str:
    return site_opinions(crawl, [OFF], user)[OFF].words


def test_odd_decisions_are_refused(counted, owner):
    with pytest.raises(SiteError, match="Say in, out"):
        site_decide(crawl=counted, site=OFF, value="maybe", by=owner)
    with pytest.raises(SiteError, match="not met"):
        site_decide(crawl=counted, site="nowhere.example", value="in", by=owner)
    assert not SiteDecision.objects.exists()


def test_the_next_crawl_of_the_focus_begins_with_the_decisions(counted, owner):
    site_decide(crawl=counted, site=OFF, value="out", by=owner)
    site_decide(crawl=counted, site=GOOD, value="in", by=owner)
    again = make_crawl(counted.focus)
    assert sites_carry(crawl=again) == 2
    assert config_of(again).exclusions == (OFF, f"*.{OFF}")
    assert {one.site: one.state for one in again.sites.all()} == {OFF: "out", GOOD: "in"}
    kept = SiteDecision.objects.get(crawl=again, site=OFF)
    assert (kept.by, kept.kept_from) == (owner, counted)
    site_undo(decision=kept, by=owner)
    assert config_of(again).exclusions == ()
    assert config_of(counted).exclusions == (OFF, f"*.{OFF}")


# cap, exclude, deeper


def test_a_cap_is_told_with_its_effect(counted, owner):
    words = site_cap(crawl=counted, site=OFF, most=1, by=owner)
    assert words == "off.example: 0 of at most 1 pages are fetched; " + (
        "of 2 frontier URLs at most 1 will be fetched."
    )
    assert config_of(counted).site_caps == {OFF: 1}
    with pytest.raises(SiteError, match="already"):
        site_cap(crawl=counted, site=OFF, most=1, by=owner)
    site_cap(crawl=counted, site=OFF, most=None, by=owner)
    assert config_of(counted).site_caps == {}


def test_deeper_lifts_the_cap_and_raises_all_that_waits(counted, owner):
    site_cap(crawl=counted, site=OFF, most=1, by=owner)
    words = site_deepen(crawl=counted, site=OFF, by=owner)
    assert "2 frontier URLs moved to the front" in words
    assert config_of(counted).site_caps == {}
    assert FrontierNudge.objects.filter(reason=services.DEEPER_REASON).count() == 2
    site_deepen_undo(crawl=counted, site=OFF, cap=1, by=owner)
    assert config_of(counted).site_caps == {OFF: 1}
    assert not FrontierNudge.objects.filter(withdrawn_at=None).exists()


def test_an_excluded_site_is_not_crawled_deeper_and_out_is_not_allowed_past_people(counted, owner):
    site_decide(crawl=counted, site=OFF, value="out", by=owner)
    with pytest.raises(SiteError, match="Allow it again"):
        site_deepen(crawl=counted, site=OFF, by=owner)
    with pytest.raises(SiteError, match="is out"):
        site_allow(crawl=counted, site=OFF, by=owner)
    with pytest.raises(SiteError, match="already"):
        site_exclude(crawl=counted, site=OFF, by=owner)


# one site


def test_a_site_with_its_hosts_pages_and_links(counted):
    details = site_details(counted, GOOD)
    assert {line.host.host for line in details.hosts} == {"www.good.example", "good.example"}
    assert details.best[0].relevance == 0.9
    assert [(one.site, one.links) for one in details.links_out] == [(NEW, 3)]
    assert [(one.site, one.links) for one in site_details(counted, NEW).links_in] == [(GOOD, 3)]
    (line,) = site_details(counted, NEW).hosts
    assert (line.waiting, line.robots, line.mean_gap) == (3, "not asked yet", None)
    assert line.next_turn == "as soon as its best URL is due"
