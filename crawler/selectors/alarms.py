"""Reads about alarms: the page of them, the bell, and what the rules want to know of a crawl."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Case, F, Q, QuerySet, When
from django.shortcuts import get_object_or_404
from django.utils import timezone

from crawler.core.alarms.states import State
from crawler.core.alarms.watch import PageSeen, Vitals
from crawler.core.config import CrawlConfig
from crawler.models import Alarm, AlarmChange, AlarmSettings, AlarmWatch, Crawl, CrawlHost, Page
from focusadmin.accounts.models import Team, User

PAGES_AT_ONCE = 2_000
ENDED_RINGS_FOR = timedelta(days=1)
HISTORY_SHOWN = 100
SHOWN_ORDER = (State.FIRING, State.PENDING, State.RECOVERING, State.NORMAL, State.NO_DATA)


def crawls_to_watch() -> list[int]:
    """Crawls at work, and those that ended with something not looked at yet."""
    is_new = Q(alarm_watch=None) | Q(alarm_watch__is_closed=False)
    has_more = Q(seq__gt=F("alarm_watch__seq"))
    wanted = Q(state__in=Crawl.ACTIVE) | is_new | has_more
    return list(Crawl.objects.filter(wanted).order_by("pk").values_list("pk", flat=True))


def pages_seen(crawl: Crawl, after: int) -> list[PageSeen]:
    """The next pages in the order of their commits."""
    columns = ("seq", "outcome", "relevance", "site", "host")
    later = Page.objects.filter(crawl=crawl, seq__gt=after).order_by("seq")
    rows = list(later.values_list(*columns)[:PAGES_AT_ONCE])
    named = CrawlHost.objects.filter(crawl=crawl, number__in={row[4] for row in rows})
    hosts = dict(named.values_list("number", "host"))
    return [
        PageSeen(seq, outcome, relevance, site, hosts.get(host, ""))
        for seq, outcome, relevance, site, host in rows
    ]


def vitals_of(crawl: Crawl, watch: AlarmWatch, now: datetime) -> Vitals:
    config = CrawlConfig.from_json(crawl.config)
    budget = config.budget
    used = crawl.fetched + crawl.revisited
    spent = (used, crawl.seconds_run, crawl.bytes_fetched)
    pages_left = None if budget.max_pages is None else max(budget.max_pages - used, 0)
    held_until = crawl.lease_until
    is_held = held_until is not None and held_until > now
    quiet_since = watch.seq_changed_at or now
    return Vitals(
        is_active=crawl.is_active,
        is_running=crawl.state == Crawl.State.RUNNING and is_held,
        reason=crawl.reason,
        fetched=crawl.fetched,
        seconds_run=crawl.seconds_run,
        seconds_quiet=(now - quiet_since).total_seconds(),
        frontier=crawl.frontier_size,
        budget_share=budget.share_used(*spent),
        budget_pages_left=pages_left,
        disk_free=shutil.disk_usage(settings.DATA_DIR).free,
        seconds_unheld=0.0 if is_held else max((now - (held_until or now)).total_seconds(), 1.0),
    )


def alarms_of(user: User) -> QuerySet[Alarm]:
    """Those that fire first, then the newest."""
    rank = Case(*(When(state=state, then=at) for at, state in enumerate(SHOWN_ORDER)), default=9)
    visible = Alarm.objects.visible_to(user).select_related("crawl__team", "muted_by")
    return visible.order_by(rank, "-since", "rule")


def alarms_ringing(user: User) -> QuerySet[Alarm]:
    """What the bell counts: firing, not muted, of crawls that run or ended not long ago."""
    now = timezone.now()
    over = Q(crawl__finished_at__lt=now - ENDED_RINGS_FOR) & ~Q(crawl__state__in=Crawl.ACTIVE)
    return alarms_of(user).filter(state=State.FIRING).exclude(muted_until__gt=now).exclude(over)


@dataclass(frozen=True)
class StateCount:
    """A choice of the filter."""

    value: str
    label: str
    count: int


def state_counts(alarms: QuerySet[Alarm]) -> list[StateCount]:
    states = list(alarms.order_by().values_list("state", flat=True))
    return [StateCount(each.value, each.label, states.count(each.value)) for each in SHOWN_ORDER]


def alarm_history(user: User) -> QuerySet[AlarmChange]:
    """The latest changes; that data came or went is left out."""
    visible = AlarmChange.objects.filter(alarm__in=Alarm.objects.visible_to(user))
    told = visible.exclude(after=State.NO_DATA).exclude(before=State.NO_DATA, after=State.NORMAL)
    return told.select_related("alarm__crawl")[:HISTORY_SHOWN]


def alarm_get(*, user: User, alarm_id: int) -> Alarm:
    """The alarm, or 404 for somebody who may not see it."""
    return get_object_or_404(alarms_of(user), pk=alarm_id)


def alarm_settings_of(*, team: Team, crawl: Crawl | None = None) -> AlarmSettings:
    """Those of the crawl, else the team's, else new ones."""
    own = AlarmSettings.objects.filter(crawl=crawl).first() if crawl else None
    teams = AlarmSettings.objects.filter(team=team, crawl=None).first()
    return own or teams or AlarmSettings(team=team)
