"""The list of news, feeds for readers, and the way out of letters."""

from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest
from django.urls import reverse

from crawler.models import Crawl, NewsDigest, NewsFeed, NewsItem, NewsMark
from crawler.models import Page as CrawledPage
from crawler.services.digests import digest_set, off_token
from crawler.services.feeds import feed_renew
from crawler.services.news import news_gather
from focusadmin.accounts.models import Membership
from tests.harvest.recording import Fetched, record
from tests.web.access_table import Scene
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
ATOM = "{http://www.w3.org/2005/Atom}"
HOSTILE = "]]><script>alert(1)</script> & \x00\x08 \ud800 \u202egnp.exe </title>"


@pytest.fixture
def news(scene: Scene) -> Crawl:
    pages = [Fetched(f"https://p{n}.example/", fields={"text": f"own words {n}"}) for n in range(3)]
    record(scene.crawl, *pages)
    CrawledPage.objects.filter(seq=3).update(
        title=HOSTILE.replace("\ud800", "").replace("\x00", "")
    )
    news_gather()
    return scene.crawl


def new_page(client, query: str = "", crawl: Crawl | None = None) -> Page:
    route = reverse("crawler:crawl-new", args=[crawl.pk]) if crawl else reverse("crawler:new")
    return Page(client.get(route + query))


def test_nothing_new_says_what_will_come(as_owner, scene):
    assert "Nothing new" in new_page(as_owner).words
    assert "Nothing is like that" in new_page(as_owner, "?kind=gone").words


def test_news_are_listed_escaped_and_marked_as_seen(as_owner, owner, news):
    response = as_owner.get(reverse("crawler:new"))
    assert "<script>alert(1)" not in response.content.decode()
    page = Page(response)
    assert "3 thing" in page.words
    assert "alert(1)" in page.words
    newest = NewsItem.objects.latest("id").pk
    seen = reverse("crawler:news-seen")
    form = next(form for form in page.forms if form.action == seen)
    assert form.fields["upto"] == str(newest)
    answer = as_owner.post(seen, form.fields, follow=True)
    assert "Nothing new" in Page(answer).words
    assert "seen" in new_page(as_owner, "?show=all").words
    as_owner.post(seen, {"token": f"{news.pk}/{newest}"})
    assert NewsMark.objects.get(user=owner).upto == 0
    as_owner.post(seen, {"upto": "x"})
    assert NewsMark.objects.get(user=owner).upto == 0


def test_odd_filters_are_left_out(as_owner, news):
    for query in ("?kind=x", "?since=tomorrow", "?focus=99", "?below=x", "?show=1"):
        assert "own words" not in new_page(as_owner, query).words
        assert "p0.example" in new_page(as_owner, query).words, query


def test_the_news_of_one_crawl_and_rounds_for_those_who_steer(as_owner, news):
    start = reverse("crawler:revisit", args=[news.pk])
    assert not new_page(as_owner, crawl=news).has_form(start)  # it runs
    Crawl.objects.update(state=Crawl.State.FINISHED)
    page = new_page(as_owner, crawl=news)
    assert page.has_form(start)
    assert "no figure and no point of the chart counts them" in page.words
    as_owner.post(start)
    news.refresh_from_db()
    assert (news.state, news.round_until) == (Crawl.State.QUEUED, 3 + 50)
    assert "A revisit round is going on" in new_page(as_owner, crawl=news).words
    answer = as_owner.post(start, follow=True)
    assert "begins after its end" in Page(answer).words


def address_of(page: Page, kind: str) -> str:
    fields = [e.attributes for e in page.elements if e.attributes.get("id") == f"feed-{kind}"]
    return urlsplit(fields[0]["value"]).path


@pytest.fixture
def addresses(as_owner, news) -> dict[str, str]:
    page = Page(as_owner.post(reverse("crawler:crawl-feed", args=[news.pk])))
    as_owner.logout()
    return {kind: address_of(page, kind) for kind in ("atom", "rss")}


def test_a_feed_is_whole_xml_whatever_the_titles_say(client, news, addresses):
    answer = client.get(addresses["atom"])
    assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
    root = ElementTree.fromstring(answer.content)
    entries = root.findall(f"{ATOM}entry")
    assert len(entries) == 3
    assert entries[0].findtext(f"{ATOM}title") == (
        "New page: ]]><script>alert(1)</script> & gnp.exe </title>"
    )
    links = [link.get("href") for link in root.iter(f"{ATOM}link")]
    assert links[-1] == "https://p0.example/"
    assert len({entry.findtext(f"{ATOM}id") for entry in entries}) == 3
    answer = client.get(addresses["rss"])
    items = list(ElementTree.fromstring(answer.content).iter("item"))
    assert [item.findtext("link") for item in items][-1] == "https://p0.example/"
    assert "sessionid" not in answer.cookies


def test_only_addresses_of_the_web_become_links(client, news, addresses):
    CrawledPage.objects.filter(seq=1).update(url="javascript:alert(1)")
    body = client.get(addresses["atom"]).content
    assert len(ElementTree.fromstring(body).findall(f"{ATOM}entry/{ATOM}link")) == 2
    assert b'"javascript' not in body


def test_a_feed_that_has_not_changed_is_not_sent_again(client, news, addresses):
    first = client.get(addresses["atom"])
    for header in ({"If-None-Match": first["ETag"]}, {"If-Modified-Since": first["Last-Modified"]}):
        again = client.get(addresses["atom"], headers=header)
        assert (again.status_code, again.content) == (304, b"")
        assert again["ETag"] == first["ETag"]
    record(news, Fetched("https://late.example/", fields={"text": "late", "fetched_at": 9_999.0}))
    news_gather()
    header = {"If-None-Match": first["ETag"]}
    assert client.get(addresses["atom"], headers=header).status_code == 200


def test_a_token_is_stored_as_a_digest_renewed_and_withdrawn(as_owner, owner, news):
    make = reverse("crawler:focus-feed", args=[news.focus_id])
    first = address_of(Page(as_owner.post(make)), "atom")
    token = first.split("/")[2]
    assert token not in str(NewsFeed.objects.values_list())
    second = address_of(Page(as_owner.post(make)), "atom")
    assert as_owner.get(first).status_code == 404
    assert as_owner.get(second).status_code == 200
    as_owner.post(make, {"do": "revoke"})
    assert as_owner.get(second).status_code == 404


def test_access_is_asked_at_each_request(client, news, teammate):
    token = feed_renew(user=teammate, crawl=news)
    address = reverse("crawler:feed", args=[token, "rss"])
    assert client.get(address).status_code == 200
    Membership.objects.filter(user=teammate).delete()
    assert client.get(address).status_code == 404
    assert client.get(reverse("crawler:feed", args=[token, "pdf"])).status_code == 404


def test_leaving_the_letters_takes_one_click_and_no_sign_in(client, owner, scene):
    owner.email = "olga@example.org"
    owner.save()
    made = digest_set(user=owner, focus=scene.focus, every="day", base_url="http://testserver/")
    assert made is not None
    address = reverse("crawler:digest-off", args=[off_token(made)])
    page = Page(client.get(address))
    assert "No more of these letters" in page.words
    assert NewsDigest.objects.exists()  # to look is not to leave
    answer = client.post(address, {"List-Unsubscribe": "One-Click"})
    assert answer.status_code == 200
    assert not NewsDigest.objects.exists()
    assert client.post(address).status_code == 200  # once more is no error
    assert client.get(address).status_code == 404


def test_letters_are_ordered_on_the_page_of_the_focus(as_owner, owner, scene):
    order = reverse("crawler:focus-digest", args=[scene.focus.pk])
    answer = as_owner.post(order, {"every": "day"}, follow=True)
    assert "no e-mail address" in Page(answer).words
    owner.email = "olga@example.org"
    owner.save()
    answer = as_owner.post(order, {"every": "week"}, follow=True)
    assert "By e-mail: every week" in Page(answer).words
    assert NewsDigest.objects.get().base_url == "http://testserver/"
