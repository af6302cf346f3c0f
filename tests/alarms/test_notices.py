"""E-mail and webhooks: told once, seldom, and through the guard."""

import json
from datetime import timedelta

import pytest
from django.core import mail
from django.utils import timezone

from crawler.models import AlarmNotice, AlarmSettings, Crawl
from crawler.services import notices
from crawler.services.alarms import alarms_evaluate
from crawler.services.notices import NO_MAIL, notices_send
from tests.sites.behaviours import Pages, Redirects
from tests.sites.web import LoopbackWeb

pytestmark = pytest.mark.django_db


def fire(crawl: Crawl, add_pages, **who) -> None:
    AlarmSettings.objects.update_or_create(team=crawl.team, crawl=None, defaults=who)
    add_pages(200)
    add_pages(100, relevance=0.1)
    alarms_evaluate()


def outcomes() -> list[str]:
    return list(AlarmNotice.objects.values_list("outcome", flat=True))


def test_an_e_mail_says_what_where_and_what_to_do(crawl, add_pages):
    Crawl.objects.update(name="Bikes\nBcc: all@example.org")
    fire(crawl, add_pages, emails=["olga@example.org"])
    assert notices_send() == 1
    [message] = mail.outbox
    assert message.to == ["olga@example.org"]
    assert message.subject == "Relevance falls: Bikes Bcc: all@example.org (Firing)"
    assert "used to 0.60" in message.body
    assert f"/crawls/{crawl.pk}/diagnosis/" in message.body
    assert outcomes() == ["sent"]


def test_nothing_is_sent_twice(crawl, add_pages):
    fire(crawl, add_pages, emails=["olga@example.org"])
    notices_send()
    assert notices_send() == 0
    assert len(mail.outbox) == 1


def test_flapping_is_told_once_in_five_minutes_and_all_of_it_then(crawl, add_pages):
    fire(crawl, add_pages, emails=["olga@example.org"])
    notices_send()
    for _ in range(3):
        add_pages(500)
        add_pages(100, relevance=0.1)
        alarms_evaluate()
        notices_send()
    assert len(mail.outbox) == 1
    AlarmNotice.objects.exclude(claimed_at=None).update(
        claimed_at=timezone.now() - timedelta(minutes=6)
    )
    notices_send()
    assert len(mail.outbox) == 2
    assert len(mail.outbox[1].body.splitlines()) == 6
    assert "" not in outcomes()


def test_without_a_mail_server_the_notice_says_so(crawl, add_pages, settings):
    settings.EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"
    fire(crawl, add_pages, emails=["olga@example.org"])
    notices_send()
    assert outcomes() == [NO_MAIL]


def test_the_settings_of_a_crawl_win(crawl, add_pages):
    AlarmSettings.objects.create(team=crawl.team, crawl=crawl, emails=["cora@example.org"])
    fire(crawl, add_pages, emails=["olga@example.org"])
    notices_send()
    assert [message.to for message in mail.outbox] == [["cora@example.org"]]


@pytest.fixture
def web():
    with LoopbackWeb.running() as running:
        yield running


@pytest.fixture
def allowed(settings, web) -> None:
    settings.CRAWLER_ALLOWED_HOSTS = [f"hook.test:{web.port}"]


def test_a_webhook_gets_the_alarm_as_json(crawl, add_pages, web, allowed):
    fire(crawl, add_pages, webhook_url=web.add("hook.test", Pages()))
    notices_send(resolver=web.resolver)
    [visit] = web.visits_of("hook.test")
    assert visit.method == "POST"
    [told] = json.loads(visit.body)["alarms"]
    assert (told["rule"], told["state"], told["crawl"]) == ("relevance", "firing", crawl.slug)
    assert outcomes() == ["delivered"]


def test_a_webhook_that_redirects_is_not_followed(crawl, add_pages, web, allowed):
    web.add("elsewhere.test", Pages())
    redirect = Redirects(web.url("elsewhere.test"))
    fire(crawl, add_pages, webhook_url=web.add("hook.test", redirect))
    notices_send(resolver=web.resolver)
    assert outcomes() == ["refused with the status 302"]
    assert web.visits_of("elsewhere.test") == []


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:9/", "http://10.0.0.1/", "http://[::1]/", "http://hook.test/"]
)
def test_a_webhook_at_a_private_address_is_never_dialled(crawl, add_pages, web, url):
    web.add("hook.test", Pages())
    fire(crawl, add_pages, webhook_url=url)
    notices_send(resolver=web.resolver)
    [outcome] = outcomes()
    assert outcome.startswith("not delivered:")
    assert web.visits_of("hook.test") == []


def test_a_target_of_another_team_is_told_on_its_own(crawl, add_pages):
    fire(crawl, add_pages, emails=["olga@example.org", "cora@example.org"])
    assert notices_send() == 2
    assert timedelta(minutes=5) <= notices.REST
