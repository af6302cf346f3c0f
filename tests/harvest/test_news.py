"""What becomes news, what a person has seen of it, and letters that tell nothing twice."""

from datetime import timedelta

import pytest
from django.core import mail
from django.core.mail import EmailMultiAlternatives
from django.utils import timezone

from crawler.models import Crawl, NewsDigest, NewsItem, Page, PageWatch
from crawler.selectors.news import NewsFilter, news_found, unseen_count
from crawler.services import digests
from crawler.services.digests import DigestError, digest_by_token, digest_set, digests_send
from crawler.services.distillation import crawl_distil
from crawler.services.news import news_gather, news_mark_seen, news_mark_undo
from crawler.services.notices import NO_MAIL
from crawler.services.revisits import rules_of, watches_renew
from focusadmin.accounts.models import Membership
from tests.harvest.recording import Fetched, record
from tests.harvest.test_distillation import HUB as TOP_HUB
from tests.harvest.test_distillation import PAGES

pytestmark = pytest.mark.django_db
HUB, RACE, POOR = (f"https://{name}.example/" for name in ("hub", "race", "poor"))
FRESH = tuple(f"https://fresh.example/{n}" for n in range(3))
ROOT = "https://focus.example.org/"


def own(url: str, relevance: float = 0.9, links: tuple[str, ...] = ()) -> Fetched:
    """A page whose words no other page has."""
    return Fetched(url, relevance, links, fields={"text": f"words of {url} and of no other page"})


@pytest.fixture
def found(crawl: Crawl) -> Crawl:
    """A hub of little relevance of its own, a relevant page, its twin, and a poor page."""
    twin = Fetched("https://twin.example/", fields={"text": "the same words"})
    race = Fetched(RACE, fields={"text": "the same words", "title": "Race"})
    record(crawl, own(HUB, 0.4, (RACE,)), race, twin, own(POOR, 0.1))
    watches_renew(crawl)
    hub = Page.objects.get(url=HUB)
    PageWatch.objects.create(
        crawl=crawl, number=hub.number, page_seq=hub.seq, worth=1.0, is_hub=True,
        visited_at=hub.fetched_at, due_at=hub.fetched_at,
    )  # fmt: skip
    news_gather()
    crawl.refresh_from_db()
    return crawl


def again(crawl: Crawl, url: str, *links: str, relevance: float | None = 0.9, **fields) -> None:
    """The page was visited once more, and the news of it gathered."""
    fields = {"is_revisit": True, "fetched_at": 9_000.0, **fields}
    record(crawl, Fetched(url, relevance, links, fields=fields))
    news_gather()


def told() -> list[tuple[str, str]]:
    pages = dict(Page.objects.values_list("seq", "url"))
    return [(item.kind, pages[item.page_seq]) for item in NewsItem.objects.order_by("id")]


def test_relevant_pages_are_news_once_and_twins_are_not(found):
    assert told() == [("page", RACE)]
    assert news_gather() == 0
    record(found, own("https://late.example/"))
    assert news_gather() == 1


def test_new_links_on_a_hub_changed_pages_and_gone_ones(found):
    fetched = (found.fetched, found.seq)
    again(found, HUB, RACE, *FRESH, relevance=0.4)
    other = "quite other words are here now, of another race and its stages"
    again(found, RACE, text=other)
    again(found, RACE, fetched_at=9_500.0, text=other)  # no news
    again(found, RACE, relevance=None, outcome="status_404", status=404)
    again(found, POOR, relevance=0.1, text="nobody wants to know that this has changed")
    assert told()[1:] == [("links", HUB), ("changed", RACE), ("gone", RACE)]
    found.refresh_from_db()
    assert (found.fetched, found.seq) == fetched
    assert found.revisited == 4
    [links] = NewsItem.objects.filter(kind="links")
    assert len(links.links) == 3
    assert PageWatch.objects.get(page_seq=Page.objects.get(url=RACE).seq).gone_at is not None


def test_a_visit_moves_the_next_one_by_what_it_saw(found):
    rules = rules_of(found)
    again(found, RACE, fetched_at=9_000.0 + rules.most, text="new words, all of them, every time")
    watch = PageWatch.objects.get(page_seq=Page.objects.get(url=RACE).seq)
    assert [changed for _, changed in watch.looks] == [True]
    assert rules.least <= watch.due_at - watch.visited_at <= rules.most


def test_what_is_seen_is_each_persons_own(found, owner, teammate, stranger):
    assert (unseen_count(owner), unseen_count(teammate), unseen_count(stranger)) == (1, 1, 0)
    shown = news_found(owner, NewsFilter())
    news_mark_seen(user=owner, upto=shown.newest)
    assert (unseen_count(owner), unseen_count(teammate)) == (0, 1)
    record(found, own("https://late.example/"))
    news_gather()
    assert [one.page.url for one in news_found(owner, NewsFilter()).shown] == [
        "https://late.example/"
    ]
    everything = news_found(owner, NewsFilter(with_seen=True)).shown
    assert [one.is_seen for one in everything] == [False, True]
    news_mark_undo(user=owner, upto=shown.newest)
    assert unseen_count(owner) == 2
    news_mark_seen(user=stranger, upto=10**9)
    assert unseen_count(teammate) == 2


def test_a_place_in_the_list_stays_while_news_come_in(crawl, owner):
    record(crawl, *(own(f"https://p{n}.example/") for n in range(7)))
    news_gather()
    first = news_found(owner, NewsFilter(), limit=3)
    record(crawl, own("https://new.example/"))
    news_gather()
    second = news_found(owner, NewsFilter(below=first.next_below), limit=3)
    last = news_found(owner, NewsFilter(below=second.next_below), limit=3)
    ids = [one.item.pk for part in (first, second, last) for one in part.shown]
    assert ids == sorted(ids, reverse=True)
    assert len(set(ids)) == 7
    assert last.next_below is None


def test_filters(found, owner):
    again(found, HUB, RACE, *FRESH, relevance=0.4)
    kinds = [one.item.kind for one in news_found(owner, NewsFilter(kind="links")).shown]
    assert kinds == ["links"]
    assert not news_found(owner, NewsFilter(since=timezone.now())).shown
    assert len(news_found(owner, NewsFilter(focus=found.focus, crawl=found)).shown) == 2


@pytest.fixture
def daily(found, owner) -> NewsDigest:
    """Due, with everything found so far untold."""
    owner.email = "olga@example.org"
    owner.save()
    digest = digest_set(user=owner, focus=found.focus, every="day", base_url=ROOT)
    assert digest is not None
    NewsDigest.objects.update(upto=0, next_at=timezone.now())
    digest.refresh_from_db()
    return digest


def next_day() -> None:
    NewsDigest.objects.update(next_at=timezone.now() - timedelta(seconds=1))


def test_a_letter_tells_what_is_new_and_the_way_out(daily, found):
    Page.objects.filter(url=RACE).update(title="Race <b>&\x07 \u202egnp")
    found.focus.name = "Hills\nBcc: all@example.org"
    found.focus.save()
    assert digests_send() == 1
    [message] = mail.outbox
    assert message.to == ["olga@example.org"]
    assert message.subject == "1 new on Hills Bcc: all@example.org"
    assert "Race <b>& gnp" in message.body
    assert f"{ROOT}new/?focus={found.focus_id}" in message.body
    assert isinstance(message, EmailMultiAlternatives)
    [(html, kind)] = message.alternatives
    assert kind == "text/html"
    assert "Race &lt;b&gt;&amp; gnp" in str(html)
    off = message.extra_headers["List-Unsubscribe"].strip("<>")
    assert off.startswith(f"{ROOT}digests/")
    assert off in message.body
    assert message.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert digest_by_token(off.split("/")[-3]) == daily
    daily.refresh_from_db()
    assert daily.outcome == "sent"


def test_nothing_is_sent_twice_and_nothing_when_nothing_is_new(daily, found):
    digests_send()
    next_day()
    assert digests_send() == 0
    record(found, own("https://late.example/"))
    news_gather()
    assert digests_send() == 0  # its day has not come
    next_day()
    assert digests_send() == 1
    assert len(mail.outbox) == 2
    assert "late.example" in mail.outbox[1].body
    assert "race.example" not in mail.outbox[1].body


def test_a_crash_between_claim_and_sending_loses_a_letter_rather_than_doubling_it(
    daily, found, owner, monkeypatch
):
    class KilledError(Exception):
        pass

    def die(name: str) -> None:
        raise KilledError(name)

    with monkeypatch.context() as patched:
        patched.setattr(digests, "failpoint", die)
        with pytest.raises(KilledError, match="digest_claimed"):
            digests_send()
    assert mail.outbox == []
    next_day()
    assert digests_send() == 0
    assert unseen_count(owner) == 1  # the list has it all the same
    record(found, own("https://late.example/"))
    news_gather()
    next_day()
    assert digests_send() == 1
    assert "race.example" not in mail.outbox[0].body
    assert "may not have reached you" in mail.outbox[0].body


def test_without_a_mail_server_nothing_counts_as_told(daily, settings):
    backend = settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    assert digests_send() == 0
    daily.refresh_from_db()
    assert (daily.outcome, daily.upto) == (NO_MAIL, 0)
    settings.EMAIL_BACKEND = backend
    next_day()
    assert digests_send() == 1


def test_who_has_left_the_team_gets_no_letter(daily, owner):
    Membership.objects.filter(user=owner).delete()
    assert digests_send() == 0
    assert mail.outbox == []


def test_a_digest_needs_an_address_and_begins_with_what_comes(found, owner, teammate):
    with pytest.raises(DigestError, match="no e-mail address"):
        digest_set(user=teammate, focus=found.focus, every="day", base_url=ROOT)
    owner.email = "olga@example.org"
    with pytest.raises(DigestError, match="Choose"):
        digest_set(user=owner, focus=found.focus, every="hour", base_url=ROOT)
    digest_set(user=owner, focus=found.focus, every="week", base_url=ROOT)
    next_day()
    assert digests_send() == 0
    assert digest_set(user=owner, focus=found.focus, every="", base_url=ROOT) is None
    assert not NewsDigest.objects.exists()


def test_hubs_of_the_latest_distillation_are_watched_by_their_score(crawl):
    record(crawl, *PAGES)
    crawl_distil(crawl=crawl)
    watches_renew(crawl)
    crawl.refresh_from_db()
    watches_renew(crawl)  # nothing more
    hub = Page.objects.get(url=TOP_HUB)
    watch = PageWatch.objects.get(number=hub.number)
    assert watch.is_hub
    assert watch.worth == pytest.approx(1.0)
    assert watch.due_at == pytest.approx(hub.fetched_at + rules_of(crawl).first)
