"""Watching over crawls: pages and vitals go in, changes of alarms come out, once each."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta
from itertools import groupby

from django.db import transaction
from django.utils import timezone

from crawler.core.alarms.rules import RULES, RuleKey, Unit
from crawler.core.alarms.states import Signal, Standing, State, advance
from crawler.core.alarms.watch import STEP_PAGES, PageSeen, Reading, Watch
from crawler.models import (
    Alarm,
    AlarmChange,
    AlarmNotice,
    AlarmSettings,
    AlarmWatch,
    Crawl,
    CrawlEvent,
)
from crawler.selectors.alarms import alarm_settings_of, crawls_to_watch, pages_seen, vitals_of
from focusadmin.accounts.models import User


def alarms_evaluate() -> None:
    """Look at every crawl that may have something new."""
    for crawl_id in crawls_to_watch():
        crawl_watch(crawl_id=crawl_id)


@transaction.atomic
def crawl_watch(*, crawl_id: int, now: datetime | None = None) -> None:
    """Take in what is new since the last look. Called twice at once, the second finds nothing."""
    now = now or timezone.now()
    crawl = Crawl.objects.select_related("team").filter(pk=crawl_id).first()
    if crawl is None:  # discarded meanwhile
        return
    AlarmWatch.objects.get_or_create(crawl=crawl)
    watch = AlarmWatch.objects.select_for_update().get(crawl=crawl)
    memory = Watch.from_json(watch.memory)
    if memory.revision != crawl.settings_revision:
        memory.settings_changed(crawl.settings_revision, crawl.good)
    desk = AlarmDesk(crawl, now)
    has_all = _take_pages(crawl, watch, memory, desk)
    vitals = memory.vital_readings(vitals_of(crawl, watch, now))
    desk.note(vitals, watch.seq)
    desk.save()
    watch.memory = memory.to_json()
    watch.is_closed = has_all and not crawl.is_active
    watch.save()


def _take_pages(crawl: Crawl, watch: AlarmWatch, memory: Watch, desk: "AlarmDesk") -> bool:
    """Whole steps only while more may come; True when nothing is left."""
    pages = pages_seen(crawl, watch.seq)
    if pages or watch.seq_changed_at is None:
        watch.seq_changed_at = desk.now
    for step in _steps(pages):
        last = step[-1].seq
        if last % STEP_PAGES and (crawl.is_active or last < crawl.seq):
            break
        memory.take(step)
        watch.seq = last
        desk.note(memory.page_readings(last), last)
    return watch.seq >= crawl.seq


def _steps(pages: Sequence[PageSeen]) -> Iterator[list[PageSeen]]:
    for _, step in groupby(pages, key=lambda page: (page.seq - 1) // STEP_PAGES):
        yield list(step)


class AlarmDesk:
    """The alarms of one crawl while they are being looked at."""

    def __init__(self, crawl: Crawl, now: datetime) -> None:
        self.crawl, self.now = crawl, now
        self.settings = alarm_settings_of(team=crawl.team, crawl=crawl)
        self._alarms: dict[str, Alarm] = {
            alarm.rule: alarm for alarm in Alarm.objects.filter(crawl=crawl)
        }
        self._touched: set[str] = set()

    def note(self, readings: Mapping[RuleKey, Reading], seq: int) -> None:
        for key, reading in readings.items():
            is_off = key in self.settings.rules_off
            self._note(key, Reading(Signal.NO_DATA) if is_off else reading, seq)

    def _note(self, key: RuleKey, reading: Reading, seq: int) -> None:
        alarm, rule = self._alarm(key), RULES[key]
        at = seq if rule.unit is Unit.PAGES else self.now.timestamp()
        before = Standing(State(alarm.state), alarm.held_since)
        after = advance(before, reading.signal, at, rule.patience, is_final=reading.is_final)
        if (before, alarm.evidence) == (after, reading.text):
            return
        self._touched.add(key)
        alarm.held_since, alarm.evidence = after.held_since, reading.text[:300]
        if before.state is not after.state:
            self._change(alarm, before.state, after.state, reading, seq)

    def _alarm(self, key: RuleKey) -> Alarm:
        if key not in self._alarms:
            self._alarms[key] = Alarm.objects.create(crawl=self.crawl, rule=key, since=self.now)
        return self._alarms[key]

    def _change(
        self, alarm: Alarm, before: State, after: State, reading: Reading, seq: int
    ) -> None:
        alarm.state, alarm.since = after, self.now
        alarm.since_seq = seq if reading.began is None else reading.began
        change = AlarmChange.objects.create(
            alarm=alarm, before=before, after=after, seq=seq, at=self.now, text=alarm.evidence
        )
        is_over = after is State.NORMAL and before is State.RECOVERING
        if after is State.FIRING or is_over:  # what was only pending is no news
            told = f"{alarm.about.label}, {after.label.lower()}. {alarm.evidence}".rstrip()
            CrawlEvent.objects.create(
                crawl=self.crawl, seq=seq, kind=f"alarm_{after}", text=told[:300]
            )
            if not alarm.is_muted(self.now):
                AlarmNotice.objects.bulk_create(_notices(change, self.settings))

    def save(self) -> None:
        fields = ["state", "held_since", "since", "since_seq", "evidence"]
        touched = [self._alarms[key] for key in sorted(self._touched)]
        Alarm.objects.bulk_update(touched, fields)


def _notices(change: AlarmChange, settings: AlarmSettings) -> Iterator[AlarmNotice]:
    targets = [(AlarmNotice.Channel.EMAIL, address) for address in settings.emails]
    if settings.webhook_url:
        targets.append((AlarmNotice.Channel.WEBHOOK, settings.webhook_url))
    for channel, target in targets:
        yield AlarmNotice(
            change=change,
            team_id=settings.team_id,
            rule=change.alarm.rule,
            channel=channel,
            target=target,
        )


def alarm_mute(*, alarm: Alarm, by: User, length: timedelta) -> None:
    """It stays on the page and goes on counting; nobody is told."""
    alarm.muted_until, alarm.muted_by = timezone.now() + length, by
    alarm.save(update_fields=["muted_until", "muted_by"])


def alarm_unmute(*, alarm: Alarm) -> None:
    alarm.muted_until = alarm.muted_by = None
    alarm.save(update_fields=["muted_until", "muted_by"])


def alarm_settings_save(
    *, settings: AlarmSettings, emails: Iterable[str], webhook_url: str, rules_off: Iterable[str]
) -> None:
    settings.emails, settings.webhook_url = list(emails), webhook_url
    settings.rules_off = list(rules_off)
    settings.save()
