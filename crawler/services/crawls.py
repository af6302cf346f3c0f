"""What people do with crawls."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connection, transaction
from django.db.models import F
from django.utils import timezone
from django.utils.text import slugify

from crawler.core.config import CrawlConfig
from crawler.fulltext import words_drop
from crawler.models import Crawl, CrawlEvent
from crawler.selectors.exports import export_path, exports_of
from crawler.services.kept_sites import sites_carry
from crawler.services.questions import copies_remove
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.urls import canonical_url
from taxonomy.core.tree import split_path
from taxonomy.models import Focus, Topic
from taxonomy.selectors.models import judge_of
from taxonomy.selectors.trees import path_of
from taxonomy.services.pages import NO_CONTACT, known_contact

_TABLES = (
    "page", "pagebody", "rawpage", "pagebucket", "frontierurl", "crawlhost", "crawlsite",
    "crawlevent", "newsitem", "pagevisit", "pagewatch",
)  # fmt: skip
_ROWS_AT_ONCE = 5_000


class CrawlError(FocusAdminError):
    """Something that can't be done with a crawl; the text says what to do instead."""


@transaction.atomic
def crawl_start(
    *, focus: Focus, by: User, config: CrawlConfig, name: str = "", contact: str = ""
) -> Crawl:
    """Queue a crawl for a focus; a worker takes it up within a second or two."""
    good = _lineages(focus.good_topics.all())
    if not good:
        raise CrawlError("Mark at least one topic good before you start a crawl.")
    urls = _start_urls(focus)
    name = " ".join(name.split()) or focus.name
    crawl = Crawl(
        focus=focus,
        team=focus.team,
        name=name[:120],
        slug=_free_slug(name),
        started_by=by,
        contact=contact or _contact(by, urls),
        strategy=config.strategy,
        config=config.to_json(),
        good=good,
        pass_through=_lineages(focus.pass_through_topics.all()),
        start_urls=urls,
        model=judge_of(focus.taxonomy).model,
    )
    crawl.full_clean(exclude=["status", "pass_through", "reason", "lease_owner"])
    crawl.save()
    kept = sites_carry(crawl=crawl)
    told = f"; {kept} sites are in or out as in an earlier crawl of this focus" if kept else ""
    _note(crawl, "started", f"Started with {crawl.strategy_label}{told}", by)
    return crawl


def _start_urls(focus: Focus) -> list[str]:
    """Those of the focus; without any, the ones that the good topics come with."""
    given = focus.start_urls or [
        url for topic in focus.good_topics.all() for url in topic.start_urls
    ]
    urls = list(dict.fromkeys(url for url in map(canonical_url, given) if url))
    if not urls:
        raise CrawlError("A crawl needs at least one start URL. Add some to the focus.")
    return urls


def _contact(by: User, urls: Sequence[str]) -> str:
    contact = known_contact(by, urls)
    if not contact:
        raise CrawlError(NO_CONTACT)
    return contact


def crawl_pause(*, crawl: Crawl, by: User | None = None, reason: str = "") -> Crawl:
    """What is in flight is brought home first."""
    going = (Crawl.State.RUNNING, Crawl.State.RATE_LIMITED)
    at_once = Crawl.State.PAUSED
    return _step(crawl, going, Crawl.State.PAUSING, "pausing", by, at_once=at_once, reason=reason)


def crawl_resume(*, crawl: Crawl, by: User | None = None) -> Crawl:
    """Paused, failed and stopped crawls go on where they were, and those about to be."""
    state = Crawl.State
    resting = (state.PAUSED, state.FAILED, state.FINISHED, state.PAUSING, state.STOPPING)
    return _step(crawl, resting, Crawl.State.QUEUED, "resumed", by)


def crawl_stop(*, crawl: Crawl, by: User | None = None, reason: str = "") -> Crawl:
    """End it and keep everything."""
    going = (*Crawl.ACTIVE, Crawl.State.PAUSED)
    at_once = Crawl.State.FINISHED
    return _step(crawl, going, Crawl.State.STOPPING, "stopping", by, at_once=at_once, reason=reason)


@transaction.atomic
def _step(
    crawl: Crawl,
    allowed: Sequence[str],
    to: Crawl.State,
    kind: str,
    by: User | None,
    *,
    at_once: Crawl.State | None = None,
    reason: str = "",
) -> Crawl:
    """From one state to the next, unless somebody else was faster.

    A crawl that no process holds need not wait for one: it is there `at_once`.
    """
    locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
    if locked.state == to or (at_once and locked.state == at_once):
        return locked  # pressed twice, or in two windows: the same outcome for both
    if locked.state == Crawl.State.QUEUED and at_once:
        allowed = (*allowed, Crawl.State.QUEUED)
    if locked.state not in allowed:
        raise CrawlError(
            f"This crawl is {locked.get_state_display().lower()}; it can't be {kind} now."
        )
    is_held = locked.lease_until is not None and locked.lease_until > timezone.now()
    locked.state = to if is_held or at_once is None else at_once
    locked.reason = reason[:300] or (f"by {by.get_username()}" if by else "")
    locked.crashes = 0
    locked.finished_at = timezone.now() if locked.state == Crawl.State.FINISHED else None
    if locked.state == Crawl.State.FINISHED:
        locked.round_until = None
    locked.save(update_fields=["state", "reason", "crashes", "finished_at", "round_until"])
    _note(locked, kind, f"{locked.get_state_display()}", by)
    return locked


@transaction.atomic
def crawl_change(
    *,
    crawl: Crawl,
    by: User | None = None,
    config: CrawlConfig | None = None,
    good: Sequence[Topic] | None = None,
    pass_through: Sequence[Topic] | None = None,
    why: str = "",
) -> Crawl:
    """Other settings, while it runs too: the engine ranks its frontier anew within seconds."""
    locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
    told = []
    if config is not None:
        told += _told(CrawlConfig.from_json(locked.config), config)
        locked.config, locked.strategy = config.to_json(), config.strategy
    if good is not None:
        locked.good = _lineages(good)
        if not locked.good:
            raise CrawlError("A crawl needs at least one good topic.")
        told.append("other good topics")
    if pass_through is not None:
        locked.pass_through = _lineages(pass_through)
        told.append("other pass-through topics")
    if told:
        locked.settings_revision += 1
        # Whoever started it may have left since.
        locked.full_clean(exclude=["status", "pass_through", "reason", "lease_owner", "started_by"])
        locked.save()
        words = f"Changed: {', '.join(told)}"
        _note(locked, "changed", f"{words} ({why})" if why else words, by)
    return locked


@transaction.atomic
def crawl_rank_anew(*, crawl: Crawl, by: User | None, why: str) -> None:
    """The settings are the same, but what was wished for the frontier is not."""
    Crawl.objects.filter(pk=crawl.pk).update(settings_revision=F("settings_revision") + 1)
    _note(crawl, "changed", f"Changed: {why}", by)


def _told(old: CrawlConfig, new: CrawlConfig) -> list[str]:
    before, after = old.to_json(), new.to_json()
    return [name.replace("_", " ") for name in after if before.get(name) != after[name]]


def crawl_discard(*, crawl: Crawl) -> None:
    """Remove a crawl and everything it brought home."""
    if Crawl.objects.filter(pk=crawl.pk, state__in=Crawl.ACTIVE).exists():  # by now
        raise CrawlError("Stop the crawl before you discard it.")
    for table in _TABLES:
        _delete_rows(f"crawler_{table}", crawl.pk)
    if connection.vendor == "postgresql":
        _delete_rows("crawler_pagetext", crawl.pk)
    words_drop(crawl.pk)
    for export in exports_of(crawl):
        export_path(export).unlink(missing_ok=True)
    copies_remove(crawl.pk)
    crawl.delete()


def _delete_rows(table: str, crawl_id: int) -> None:
    """In portions, so that others can write meanwhile."""
    which = "ctid" if connection.vendor == "postgresql" else "rowid"
    query = (
        f"DELETE FROM {table} WHERE {which} IN "  # noqa: S608 - names of our own tables
        f"(SELECT {which} FROM {table} WHERE crawl_id = %s LIMIT {_ROWS_AT_ONCE})"
    )
    with connection.cursor() as cursor:
        while True:
            cursor.execute(query, [crawl_id])
            if cursor.rowcount < _ROWS_AT_ONCE:
                return


def _lineages(topics: Any) -> list[list[str]]:
    return [list(split_path(path_of(topic))) for topic in topics]


def _note(crawl: Crawl, kind: str, text: str, by: User | None) -> None:
    CrawlEvent.objects.create(crawl=crawl, seq=crawl.seq, kind=kind, text=text[:300], by=by)


def config_with(old: CrawlConfig, changes: Mapping[str, Any]) -> CrawlConfig:
    """The settings with some of them changed; refused with the field's name when odd."""
    return CrawlConfig.from_json({**old.to_json(), **changes})


def _free_slug(name: str) -> str:
    base = slugify(name)[:60] or "crawl"
    slug, number = base, 1
    while Crawl.objects.filter(slug=slug).exists():
        number += 1
        slug = f"{base}-{number}"
    return slug
