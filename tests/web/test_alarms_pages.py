"""The pages of alarms and diagnosis as people find them."""

from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from crawler.models import Alarm, AlarmSettings, Crawl
from tests.web.pages import Page

pytestmark = pytest.mark.django_db
ALARMS = "/alarms/"


def page_at(client, address: str) -> Page:
    return Page(client.get(address))


def test_the_bell_counts_what_fires(as_owner, scene):
    assert "Alarms: 1 firing" in page_at(as_owner, ALARMS).words
    Alarm.objects.update(muted_until=timezone.now() + timedelta(hours=1))
    assert "firing" not in page_at(as_owner, "/help/").words


def test_a_stranger_hears_nothing(client, stranger, scene):
    client.force_login(stranger)
    words = page_at(client, f"{ALARMS}?state=all").words
    assert scene.crawl.name not in words
    assert "1 firing" not in words


def test_the_filter(as_owner, scene):
    assert "It fell" in page_at(as_owner, ALARMS).words
    assert "It fell" not in page_at(as_owner, f"{ALARMS}?state=normal").words
    assert "It fell" in page_at(as_owner, f"{ALARMS}?state=all").words
    assert "It fell" in page_at(as_owner, f"{ALARMS}?state=%27nonsense").words


def test_mute_and_unmute(as_owner, scene):
    as_owner.post(reverse("crawler:alarm-mute", args=[scene.alarm.pk]), {"hours": "24"})
    scene.alarm.refresh_from_db()
    assert scene.alarm.is_muted(timezone.now() + timedelta(hours=23))
    assert page_at(as_owner, ALARMS).has_form(f"/alarms/{scene.alarm.pk}/unmute/")
    as_owner.post(reverse("crawler:alarm-unmute", args=[scene.alarm.pk]))
    scene.alarm.refresh_from_db()
    assert not scene.alarm.is_muted(timezone.now())


def test_a_viewer_sees_alarms_without_the_levers(as_teammate, scene):
    page = page_at(as_teammate, ALARMS)
    assert "It fell" in page.words
    assert not page.has_form(f"/alarms/{scene.alarm.pk}/mute/")


def settings_at(scene) -> str:
    return reverse("crawler:alarm-settings", args=[scene.team.slug])


def test_settings_are_saved_for_the_team_and_for_a_crawl(as_owner, scene):
    given = {"emails": "a@example.org\n a@example.org b@example.org", "rules": ["relevance"]}
    as_owner.post(settings_at(scene), {**given, "webhook_url": "https://Hook.example/x"})
    team = AlarmSettings.objects.get(team=scene.team, crawl=None)
    assert team.emails == ["a@example.org", "b@example.org"]
    assert team.webhook_url == "https://hook.example/x"
    assert "errors" in team.rules_off
    assert "relevance" not in team.rules_off
    own = reverse("crawler:crawl-alarm-settings", args=[scene.crawl.pk])
    assert "https://hook.example/x" in page_at(as_owner, own).values_of("webhook_url")
    as_owner.post(own, {"emails": "c@example.org"})
    assert AlarmSettings.objects.get(crawl=scene.crawl).emails == ["c@example.org"]
    team.refresh_from_db()
    assert team.emails == ["a@example.org", "b@example.org"]


@pytest.mark.parametrize(
    "given",
    [
        {"emails": "nobody"},
        {"emails": "a@example.org\r\nBcc:x"},
        {"webhook_url": "javascript:alert(1)"},
        {"webhook_url": "file:///etc/passwd"},
        {"rules": ["nonsense"]},
    ],
)
def test_odd_settings_are_refused(as_owner, scene, given):
    assert as_owner.post(settings_at(scene), given).status_code == 422
    assert not AlarmSettings.objects.exists()


def test_hostile_evidence_stays_text(as_owner, scene):
    Alarm.objects.update(evidence="<script>alert(1)</script>")
    answer = as_owner.get(ALARMS).content.decode()
    assert "<script>alert" not in answer
    assert "&lt;script&gt;alert" in answer


def test_a_crawl_without_pages_has_a_diagnosis(as_owner, scene):
    words = page_at(as_owner, reverse("crawler:diagnosis", args=[scene.crawl.pk])).words
    assert "Nothing fetched yet" in words
    assert "Nothing stands out" in words
    assert "Too little is known yet" in words


def test_an_unknown_remedy_is_refused_in_words(as_owner, scene):
    address = reverse("crawler:diagnosis-remedy", args=[scene.crawl.pk])
    answer = as_owner.post(address, {"kind": "explode"}, follow=True)
    assert "There is no such remedy." in Page(answer).words


@pytest.mark.parametrize(("recall", "stored"), [("80", 0.8), ("", None)])
def test_the_stop_rule(as_owner, scene, owner, recall, stored):
    Crawl.objects.update(started_by=owner, config={"enough_recall": 0.5})
    as_owner.post(reverse("crawler:diagnosis-enough", args=[scene.crawl.pk]), {"recall": recall})
    scene.crawl.refresh_from_db()
    assert scene.crawl.config["enough_recall"] == stored
