"""Telling people of alarms, by e-mail and webhook: late rather than often, and never twice."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import groupby

from django.conf import settings
from django.core.mail import EmailMessage
from django.db.models import QuerySet
from django.utils import timezone

from crawler.models import AlarmChange, AlarmNotice, Crawl
from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.http import Identity, post_once
from focusadmin.lib.limits import Limits
from focusadmin.lib.outcomes import FetchFailure
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.text import isolated

REST = timedelta(minutes=5)  # between two messages about one rule to one target
LINES_SHOWN = 20
WEBHOOK_LIMITS = Limits(total_seconds=10.0)
NO_MAIL = "not sent: no mail server is set (FOCUSADMIN_SMTP_URL)"


@dataclass(frozen=True)
class Bundle:
    """What one target is to be told about one rule."""

    channel: str
    target: str
    notices: Sequence[AlarmNotice]

    @property
    def changes(self) -> list[AlarmChange]:
        return [notice.change for notice in self.notices]


def notices_send(*, resolver: Resolver | None = None) -> int:
    """Send what waits, at most one message per rule and target in five minutes."""
    bundles = [bundle for bundle in _waiting() if _is_due(bundle) and _claim(bundle)]
    for bundle in bundles:
        outcome = _sent(bundle, resolver)
        _of(bundle).update(outcome=outcome[:200])
    return len(bundles)


def _waiting() -> list[Bundle]:
    waiting = AlarmNotice.objects.filter(claimed_at=None).select_related("change__alarm__crawl")

    def key(notice: AlarmNotice) -> tuple[int, str, str, str]:
        return notice.team_id, notice.rule, notice.channel, notice.target

    grouped = groupby(sorted(waiting, key=key), key)
    return [Bundle(channel, target, list(group)) for (_, _, channel, target), group in grouped]


def _is_due(bundle: Bundle) -> bool:
    one = bundle.notices[0]
    lately = AlarmNotice.objects.filter(claimed_at__gt=timezone.now() - REST)
    same = {"team": one.team_id, "rule": one.rule, "channel": one.channel, "target": one.target}
    return not lately.filter(**same).exists()


def _claim(bundle: Bundle) -> bool:
    """Before sending: a message that is lost on the way is not sent again."""
    return _of(bundle).filter(claimed_at=None).update(claimed_at=timezone.now()) > 0


def _of(bundle: Bundle) -> QuerySet[AlarmNotice]:
    return AlarmNotice.objects.filter(pk__in=[notice.pk for notice in bundle.notices])


def _sent(bundle: Bundle, resolver: Resolver | None) -> str:
    if bundle.channel == AlarmNotice.Channel.EMAIL:
        return _mailed(bundle)
    return _posted(bundle, resolver)


def _mailed(bundle: Bundle) -> str:
    if settings.EMAIL_BACKEND.endswith("dummy.EmailBackend"):
        return NO_MAIL
    last = bundle.changes[-1]
    subject = f"{last.alarm.about.label}: {last.alarm.crawl.name} ({last.get_after_display()})"
    lines = [_line(change) for change in bundle.changes[:LINES_SHOWN]]
    message = EmailMessage(_one_line(subject), "\n".join(lines), to=[bundle.target])
    try:
        message.send()
    except OSError as error:  # SMTP's errors are among them
        return f"not sent: {error.__class__.__name__}"
    return "sent"


def _line(change: AlarmChange) -> str:
    crawl = change.alarm.crawl
    return _one_line(
        f"{change.at:%Y-%m-%d %H:%M} UTC · {isolated(crawl.name)} · {change.alarm.about.label} · "
        f"{change.get_after_display()} at page {change.seq} · {change.text} · {_path(crawl)}"
    )


def _one_line(text: str) -> str:
    """Names of crawls and sites come from outside; a line end could begin a header."""
    return " ".join(text.split())


def _path(crawl: Crawl) -> str:
    return f"/crawls/{crawl.pk}/diagnosis/"


def _posted(bundle: Bundle, resolver: Resolver | None) -> str:
    """Through the guard: no private addresses; a redirect counts as a refusal."""
    crawl = bundle.changes[-1].alarm.crawl
    outcome = post_once(
        bundle.target,
        Identity(crawl.contact, settings.VERSION),
        body=json.dumps({"alarms": [_told(change) for change in bundle.changes]}).encode(),
        content_type="application/json",
        policy=AddressPolicy(frozenset(settings.CRAWLER_ALLOWED_HOSTS)),
        resolver=resolver,
        limits=WEBHOOK_LIMITS,
    )
    if isinstance(outcome, FetchFailure):
        return f"not delivered: {outcome.detail}"
    return "delivered" if outcome.is_ok else f"refused with the status {outcome.status}"


def _told(change: AlarmChange) -> dict[str, object]:
    crawl = change.alarm.crawl
    return {
        "rule": change.alarm.rule,
        "state": change.after,
        "before": change.before,
        "crawl": crawl.slug,
        "crawl_id": crawl.pk,
        "page": change.seq,
        "at": change.at.isoformat(),
        "text": change.text,
        "path": _path(crawl),
    }
