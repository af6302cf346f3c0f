"""The list of a crawl's sites and the page of one: states, escaping, levers, and the way back."""

import pytest
from django.urls import reverse

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, CrawlHost, CrawlSite, SiteDecision
from crawler.services.sitecounts import sites_count
from crawler.services.sites import site_decide
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.models import Membership, User
from tests.harvest.recording import Fetched, record
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
HOSTILE = "<b onclick=alert(1)>.example"
GOOD, OFF = "good.example", "off.example"


@pytest.fixture
def crawl(scene) -> Crawl:
    crawl = record(
        scene.crawl,
        *(Fetched(f"https://www.good.example/{n}", 0.9) for n in range(4)),
        Fetched("https://off.example/1", 0.1, ("https://off.example/2", "https://good.example/x")),
    )
    sites_count(crawl=crawl)
    return crawl


def address(route: str, crawl: Crawl, *more: object) -> str:
    return reverse(f"crawler:{route}", args=[crawl.pk, *more])


def config_of(crawl: Crawl) -> CrawlConfig:
    crawl.refresh_from_db()
    return CrawlConfig.from_json(crawl.config)


def test_before_the_first_count_it_says_what_is_coming(as_owner, scene):
    page = Page(as_owner.get(address("sites", scene.crawl)))
    assert "The sites are being counted" in page.words
    Crawl.objects.update(state="finished")
    assert "No sites yet" in Page(as_owner.get(address("sites", scene.crawl))).words


def test_sites_are_told_with_their_figures_and_escaped(as_owner, crawl):
    CrawlSite.objects.create(crawl=crawl, site=HOSTILE, pages=3, relevant=1, refused=2)
    response = as_owner.get(address("sites", crawl))
    assert "<b onclick" not in response.content.decode()
    words = Page(response).words
    assert HOSTILE in words
    assert "robots.txt refused 2" in words
    assert "4 of 4" in words
    assert "lower end of the band" in words
    assert words.index(GOOD) < words.index(OFF)


def test_filters_are_chips_and_odd_ones_are_left_out(as_owner, crawl):
    page = Page(as_owner.get(address("sites", crawl), {"q": "OFF", "sort": "xx", "after": "y"}))
    assert "Name with OFF" in page.words
    assert GOOD not in page.words.split("Decisions so far")[0]
    nothing = Page(as_owner.get(address("sites", crawl), {"state": "in"}))
    assert "No site is like that" in nothing.words


def test_a_viewer_sees_sites_without_the_levers(as_teammate, crawl):
    for page in (
        Page(as_teammate.get(address("sites", crawl))),
        Page(as_teammate.get(address("site", crawl, GOOD))),
    ):
        assert GOOD in page.words
        for route in ("sites-decide", "sites-act", "sites-undo"):
            assert not page.has_form(address(route, crawl))


def test_a_curator_decides_and_does_not_steer(as_curator, crawl):
    page = Page(as_curator.get(address("sites", crawl)))
    assert page.has_form(address("sites-decide", crawl))
    assert not page.has_form(address("sites-act", crawl))
    as_curator.post(address("sites-decide", crawl), {"site": OFF, "value": "out"})
    assert SiteDecision.objects.get().by == User.objects.get(username="cora")
    refused = as_curator.post(address("sites-act", crawl), {"site": OFF, "action": "allow"})
    assert refused.status_code == 403
    refused = as_curator.post(address("sites-undo", crawl), {"token": f"allow:{OFF}"})
    assert refused.status_code == 403


def test_deciding_goes_back_to_the_row_in_the_list_as_it_was(as_owner, crawl):
    came = f"http://testserver{address('sites', crawl)}?state=new&sort=predicted&evil=//x"
    answer = as_owner.post(
        address("sites-decide", crawl), {"site": OFF, "value": "out"}, headers={"referer": came}
    )
    pk = CrawlSite.objects.get(site=OFF).pk
    assert answer.url == f"{address('sites', crawl)}?state=new&sort=predicted#site-{pk}"
    foreign = as_owner.post(
        address("sites-decide", crawl),
        {"site": OFF, "value": "in"},
        headers={"referer": f"http://elsewhere.example/?state=out{address('sites', crawl)}"},
    )
    assert foreign.url == f"{address('sites', crawl)}#site-{pk}"


def test_what_was_done_can_be_undone_by_its_toast(as_owner, crawl):
    undo = address("sites-undo", crawl)
    for data, token in (
        ({"action": "exclude"}, f"allow:{OFF}"),
        ({"action": "cap", "pages": "3"}, f"cap:0:{OFF}"),
        ({"action": "deeper"}, f"deeper:0:{OFF}"),
    ):
        answer = as_owner.post(address("sites-act", crawl), {"site": OFF, **data}, follow=True)
        assert f'value="{token}"' in answer.content.decode()
        answer = as_owner.post(undo, {"token": token}, follow=True)
        assert "Undone." in Page(answer).words
    assert (config_of(crawl).exclusions, config_of(crawl).site_caps) == ((), {})


@pytest.mark.parametrize("pages", ["", "x", "0", "9" * 20])
def test_an_odd_cap_is_refused_with_words(as_owner, crawl, pages):
    data = {"site": OFF, "action": "cap", "pages": pages}
    answer = as_owner.post(address("sites-act", crawl), data, follow=True)
    assert "cap" in Page(answer).words or "at most" in Page(answer).words
    assert config_of(crawl).site_caps == {}


@pytest.mark.parametrize(
    "token", ["", "x", "decision:", "decision:9", "cap:x", "deeper:1:no.where"]
)
def test_odd_tokens_undo_nothing(as_owner, owner, crawl, token):
    site_decide(crawl=crawl, site=OFF, value="out", by=owner)
    answer = as_owner.post(address("sites-undo", crawl), {"token": token})
    assert answer.status_code in {302, 404}
    assert config_of(crawl).exclusions == (OFF, f"*.{OFF}")


def test_several_curators_agreement_and_history(as_owner, owner, team, crawl):
    other = User.objects.create_user("cora", password="a-long-pass-phrase")
    Membership.objects.create(user=other, team=team, role=Role.CURATOR)
    site_decide(crawl=crawl, site=OFF, value="out", by=owner)
    site_decide(crawl=crawl, site=OFF, value="out", by=other)
    words = Page(as_owner.get(address("sites", crawl))).words
    assert "all 2 say out" in words
    assert "removed, and nothing more is fetched from it" in words
    assert "the majority says the same as before" in words


def test_the_page_of_a_site_has_the_ledger_of_politeness(as_owner, crawl):
    CrawlHost.objects.filter(host="off.example").update(
        robots_note="status 200", robots_denied=3, crawl_delay=2.0, requests=5,
        first_asked=1_000.0, last_asked=1_010.0, shortest_gap=2.02, failures=1,
        last_error="timeout", last_error_at=1_005.0,
    )  # fmt: skip
    words = Page(as_owner.get(address("site", crawl, OFF))).words
    assert "it keeps us from 3 addresses" in words
    assert "2 s (asked for 2 s)" in words
    assert "2.50 s on average, 2.02 s at least" in words
    assert "timeout" in words
    assert "Sites it links to" in words
    assert GOOD in words


def test_an_unknown_site_is_not_found(as_owner, crawl):
    assert as_owner.get(address("site", crawl, "nowhere.example")).status_code == 404
