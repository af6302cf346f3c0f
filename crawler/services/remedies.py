"""One click on a diagnosis: a change of the crawl's settings, and the way back."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.core import signing
from django.db.models import Q
from django.http import Http404

from crawler.core.config import CrawlConfig
from crawler.core.diagnosis.record import RemedyKind
from crawler.core.ports import OK
from crawler.models import Crawl, FrontierUrl, Page
from crawler.services.crawls import (
    CrawlError,
    crawl_change,
    crawl_pause,
    crawl_resume,
    crawl_stop,
)
from focusadmin.accounts.models import User
from taxonomy.core.tree import join_path
from taxonomy.models import Topic
from taxonomy.selectors.trees import topic_by_path

UNDO_SECONDS = 3_600
REOPENED_AT_MOST = 500
_UNDO_SALT = "crawler.remedy"
_RESTING = (Crawl.State.FINISHED, Crawl.State.FAILED)


@dataclass(frozen=True)
class Remedied:
    """What was done, and the token that undoes it; without one, it can't be undone."""

    summary: str
    undo_token: str = ""


def crawl_remedy(*, crawl: Crawl, kind: str, values: Sequence[str], by: User) -> Remedied:
    """Do what a finding proposes. A crawl that has ended goes on, unless its budget is spent."""
    remedy = _REMEDIES.get(kind)
    if remedy is None:
        raise CrawlError("There is no such remedy.")
    before, state = _remembered(crawl), crawl.state
    summary = remedy(crawl, values, by)
    if kind == RemedyKind.STOP:
        stopped = {"crawl": crawl.pk, "stopped_when": state}
        return Remedied(summary, "" if state in _RESTING else _signed(stopped))
    crawl.refresh_from_db()
    if crawl.state in _RESTING:
        summary += _went_on(crawl, by)
    return Remedied(summary, _signed(before | {"revision": crawl.settings_revision}))


def crawl_remedy_undo(*, crawl: Crawl, token: str, by: User) -> str:
    """The settings of before, unless somebody has changed them since; after a stop, go on."""
    try:
        before = signing.loads(token, salt=_UNDO_SALT, max_age=UNDO_SECONDS)
    except signing.BadSignature:
        raise CrawlError("This can't be undone any more.") from None
    if before["crawl"] == crawl.pk and "stopped_when" in before:
        return _unstop(crawl, before["stopped_when"], by)
    if (before["crawl"], before.get("revision")) != (crawl.pk, crawl.settings_revision):
        raise CrawlError("The settings were changed again meanwhile; nothing was undone.")
    crawl_change(
        crawl=crawl,
        by=by,
        config=CrawlConfig.from_json(before["config"]),
        pass_through=_topics(crawl, before["pass_through"]),
    )
    return "The settings are as they were."


def _unstop(crawl: Crawl, state: str, by: User) -> str:
    crawl_resume(crawl=crawl, by=by)
    if state not in (Crawl.State.PAUSED, Crawl.State.PAUSING):
        return "The crawl goes on."
    crawl.refresh_from_db()
    crawl_pause(crawl=crawl, by=by)
    return "The crawl is paused, as it was."


def _signed(before: dict[str, Any]) -> str:
    return signing.dumps(before, salt=_UNDO_SALT)


def _remembered(crawl: Crawl) -> dict[str, Any]:
    paths = [join_path(topic) for topic in crawl.pass_through]
    return {"crawl": crawl.pk, "config": crawl.config, "pass_through": paths}


def _went_on(crawl: Crawl, by: User) -> str:
    spent = CrawlConfig.from_json(crawl.config).budget.why_spent(
        crawl.fetched, crawl.seconds_run, crawl.bytes_fetched
    )
    if spent:
        return f" It shows when the crawl goes on, which needs more {spent.partition(':')[0]}."
    crawl_resume(crawl=crawl, by=by)
    return " The crawl goes on."


def _widen(crawl: Crawl, values: Sequence[str], by: User) -> str:
    """Parents or siblings count for priority; the relevance shown stays that of the good topics."""
    paths = [join_path(topic) for topic in crawl.pass_through]
    topics = _topics(crawl, [*paths, *values])
    crawl_change(crawl=crawl, by=by, pass_through=topics)
    if crawl.strategy == "hard_focus" and crawl.state in _RESTING:
        _reopen(crawl, values)
    return f"Pages about {', '.join(values)} count for priority now."


def _reopen(crawl: Crawl, paths: Sequence[str]) -> None:
    """Hard focus dropped the links of these pages, so they are fetched once more for them."""
    below = Q(topic__in=paths)
    for path in paths:
        below |= Q(topic__startswith=f"{path}/")
    strays = Page.objects.filter(below, crawl=crawl, outcome=OK, is_on_topic=False)
    numbers = list(strays.order_by("-seq").values_list("number", flat=True)[:REOPENED_AT_MOST])
    pages = FrontierUrl.objects.filter(crawl=crawl, number__in=numbers)
    pages.update(state=FrontierUrl.State.WAITING, tries=0)


def _stay_away(crawl: Crawl, values: Sequence[str], by: User) -> str:
    config = CrawlConfig.from_json(crawl.config)
    _change(crawl, by, exclusions=(*config.exclusions, *values))
    return f"The crawl stays away from {', '.join(values)} now."


def _switch(crawl: Crawl, values: Sequence[str], by: User) -> str:
    _change(crawl, by, strategy="".join(values[:1]), parameters={})
    return "The crawl follows another strategy now."


def _slower(crawl: Crawl, values: Sequence[str], by: User) -> str:
    delay = max(1.0, 2 * CrawlConfig.from_json(crawl.config).delay_seconds)
    _change(crawl, by, delay_seconds=delay)
    return f"Every host has {delay:g} s of rest between two visits now."


def _stop(crawl: Crawl, values: Sequence[str], by: User) -> str:
    crawl_stop(crawl=crawl, by=by)
    return "The crawl stops and keeps everything. Resume goes on with it."


_REMEDIES: dict[str, Callable[[Crawl, Sequence[str], User], str]] = {
    RemedyKind.WIDEN: _widen,
    RemedyKind.STAY_AWAY: _stay_away,
    RemedyKind.STRATEGY: _switch,
    RemedyKind.SLOWER: _slower,
    RemedyKind.STOP: _stop,
}


def _change(crawl: Crawl, by: User, **changes: Any) -> None:
    config = replace(CrawlConfig.from_json(crawl.config), **changes)
    crawl_change(crawl=crawl, by=by, config=config)


def _topics(crawl: Crawl, paths: Sequence[str]) -> list[Topic]:
    """Each once; a topic that is gone from the tree can't count any more."""
    try:
        return [
            topic_by_path(taxonomy=crawl.focus.taxonomy, path=path) for path in dict.fromkeys(paths)
        ]
    except Http404:
        raise CrawlError("A topic is not in the tree any more. Reload the page.") from None
