"""From rows of pages to alarms, their history, flags and notices."""

from datetime import timedelta

import pytest
from django.utils import timezone

from crawler.core.alarms.rules import RuleKey
from crawler.core.alarms.states import State
from crawler.models import (
    Alarm,
    AlarmChange,
    AlarmNotice,
    AlarmSettings,
    AlarmWatch,
    Crawl,
    CrawlEvent,
)
from crawler.selectors.alarms import alarm_history, alarms_ringing, crawls_to_watch
from crawler.services.alarms import alarm_mute, alarm_unmute, alarms_evaluate, crawl_watch
from crawler.services.crawls import crawl_change, crawl_discard, crawl_stop
from tests.crawl_rows import expire

pytestmark = pytest.mark.django_db


def relevance_alarm(crawl: Crawl) -> Alarm:
    return Alarm.objects.get(crawl=crawl, rule=RuleKey.RELEVANCE)


def test_a_fall_fires_and_says_since_when(crawl, add_pages):
    add_pages(200)
    alarms_evaluate()
    assert relevance_alarm(crawl).state == State.NORMAL
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    alarm = relevance_alarm(crawl)
    assert alarm.state == State.FIRING
    assert alarm.since_seq == 200
    assert "used to 0.60" in alarm.evidence


def test_every_change_is_a_flag_on_the_chart_except_that_data_came(crawl, add_pages):
    add_pages(200)
    alarms_evaluate()
    assert not CrawlEvent.objects.filter(crawl=crawl).exists()
    add_pages(100, relevance=0.3)
    add_pages(400)
    alarms_evaluate()
    kinds = CrawlEvent.objects.filter(crawl=crawl).values_list("kind", flat=True)
    assert list(kinds) == ["alarm_firing", "alarm_normal"]
    flag = CrawlEvent.objects.get(crawl=crawl, kind="alarm_firing")
    assert 200 < flag.seq <= 300
    assert flag.text.startswith("Relevance falls, firing.")


def changes(crawl: Crawl) -> list[tuple[str, str, int]]:
    rows = AlarmChange.objects.filter(alarm__crawl=crawl, alarm__rule=RuleKey.RELEVANCE)
    return list(rows.order_by("id").values_list("before", "after", "seq"))


def test_the_history_hangs_on_the_pages_and_not_on_how_often_one_looks(crawl, add_pages):
    for count, relevance in ((200, 0.6), (100, 0.1), (400, 0.6)):
        add_pages(count, relevance=relevance)
    crawl_watch(crawl_id=crawl.pk)
    at_once = changes(crawl)
    Alarm.objects.all().delete()
    AlarmWatch.objects.all().delete()
    Crawl.objects.filter(pk=crawl.pk).update(seq=0)
    for seq in range(35, 735, 35):
        Crawl.objects.filter(pk=crawl.pk).update(seq=min(seq, 700))
        crawl_watch(crawl_id=crawl.pk)
    assert changes(crawl) == at_once
    states = ["normal", "pending", "firing", "recovering", "normal"]
    assert [after for _, after, _ in at_once] == states


def test_looking_twice_changes_nothing(crawl, add_pages):
    add_pages(200)
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    rows = (AlarmChange.objects.count(), CrawlEvent.objects.count())
    alarms_evaluate()
    assert (AlarmChange.objects.count(), CrawlEvent.objects.count()) == rows


def test_it_reads_only_what_is_new(crawl, add_pages, django_assert_max_num_queries):
    add_pages(1_000)
    alarms_evaluate()
    assert AlarmWatch.objects.get(crawl=crawl).seq == 1_000
    add_pages(10)
    with django_assert_max_num_queries(16):
        crawl_watch(crawl_id=crawl.pk)


def test_an_ended_crawl_is_looked_at_to_its_last_page_and_then_left_alone(crawl, add_pages):
    add_pages(203)
    alarms_evaluate()
    assert AlarmWatch.objects.get(crawl=crawl).seq == 200
    expire(crawl)
    crawl_stop(crawl=crawl)
    alarms_evaluate()
    assert AlarmWatch.objects.get(crawl=crawl).seq == 203
    assert crawls_to_watch() == []


def test_an_empty_frontier_is_told_after_the_end(crawl, add_pages):
    add_pages(150)
    ended = {
        "state": Crawl.State.FINISHED,
        "reason": "frontier empty",
        "finished_at": timezone.now(),
    }
    Crawl.objects.filter(pk=crawl.pk).update(**ended)
    alarms_evaluate()
    assert Alarm.objects.get(crawl=crawl, rule=RuleKey.FRONTIER).state == State.FIRING


def test_a_lost_worker_is_waited_for_and_then_told(crawl, add_pages):
    add_pages(20)
    expire(crawl)
    now = timezone.now()
    states = []
    for seconds in (0, 10, 21):
        crawl_watch(crawl_id=crawl.pk, now=now + timedelta(seconds=seconds))
        states.append(Alarm.objects.get(crawl=crawl, rule=RuleKey.WORKER).state)
    assert states == [State.PENDING, State.PENDING, State.FIRING]


def test_a_remedy_makes_it_recover_or_fire_again(crawl, add_pages, at):
    add_pages(200)
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    crawl_change(crawl=crawl, pass_through=[at("/Recreation/Hiking")])
    add_pages(10, relevance=0.6)
    alarms_evaluate()
    assert relevance_alarm(crawl).state == State.RECOVERING
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    assert relevance_alarm(crawl).state == State.FIRING


def test_a_rule_that_is_off_has_no_data(crawl, add_pages):
    AlarmSettings.objects.create(team=crawl.team, rules_off=["relevance"])
    add_pages(200)
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    assert relevance_alarm(crawl).state == State.NO_DATA


@pytest.fixture
def firing(crawl, add_pages) -> Alarm:
    AlarmSettings.objects.create(team=crawl.team, emails=["olga@example.org"])
    add_pages(200)
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    return relevance_alarm(crawl)


def test_the_bell_rings_for_the_team_only(firing, owner, teammate, stranger):
    assert [len(alarms_ringing(user)) for user in (owner, teammate, stranger)] == [1, 1, 0]


def test_a_muted_alarm_rings_no_more_but_stays(firing, owner):
    alarm_mute(alarm=firing, by=owner, length=timedelta(hours=1))
    assert not alarms_ringing(owner)
    assert Alarm.objects.get(pk=firing.pk).state == State.FIRING
    alarm_unmute(alarm=firing)
    assert len(alarms_ringing(owner)) == 1


def test_a_muted_alarm_tells_nobody(crawl, add_pages, owner):
    AlarmSettings.objects.create(team=crawl.team, emails=["olga@example.org"])
    add_pages(200)
    alarms_evaluate()
    alarm_mute(alarm=relevance_alarm(crawl), by=owner, length=timedelta(hours=1))
    add_pages(100, relevance=0.1)
    alarms_evaluate()
    assert relevance_alarm(crawl).state == State.FIRING
    assert not AlarmNotice.objects.exists()


def test_the_history_tells_the_team_only(firing, owner, stranger):
    assert [change.after for change in alarm_history(owner)] == ["firing", "pending"]
    assert not alarm_history(stranger)


def test_a_crawl_that_ended_long_ago_rings_no_more(firing, owner):
    long_ago = timezone.now() - timedelta(days=2)
    Crawl.objects.update(state=Crawl.State.FINISHED, finished_at=long_ago)
    assert not alarms_ringing(owner)


def test_a_discarded_crawl_takes_its_alarms_along(firing, crawl):
    Crawl.objects.update(state=Crawl.State.FINISHED)
    crawl.refresh_from_db()
    crawl_discard(crawl=crawl)
    assert not Alarm.objects.exists()
    assert not AlarmWatch.objects.exists()
