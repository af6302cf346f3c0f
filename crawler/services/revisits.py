"""Visiting pages again: which are worth it, when their time has come, and rounds after the end."""

import time
from collections.abc import Sequence
from datetime import timedelta

from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from crawler.core.config import CrawlConfig
from crawler.core.harvest import RELEVANT_FROM
from crawler.core.nudges import NudgeKind
from crawler.core.ports import OK
from crawler.core.revisits import Revisit, best_first
from crawler.models import (
    Crawl,
    CrawlEvent,
    Distillation,
    NewsProgress,
    Page,
    PageWatch,
    RankedPage,
)
from crawler.selectors.hubs import latest_distillation, ranked_pages
from crawler.selectors.revisits import as_candidates, asked_pages, candidates_of, due_pages
from crawler.services.crawls import CrawlError
from crawler.services.nudges import nudges_make
from focusadmin.accounts.models import User

WATCHED_AT_ONCE = 2_000
PLANNED_AT_ONCE = 200
FORGET_AFTER = timedelta(hours=24)  # an engine that did not come to it by then is asked again


def revisits_tend() -> int:
    """By beat: what crawls should watch, what is due while they run, and rounds after their end.

    Returns how many pages the engines were asked for.
    """
    asked = 0
    crawls = Crawl.objects.filter(config__revisit__on=True)
    for crawl in crawls.filter(state__in=[*Crawl.ACTIVE, Crawl.State.FINISHED]):
        watches_renew(crawl)
        asked_pages(crawl).filter(asked_at__lt=timezone.now() - FORGET_AFTER).update(asked_at=None)
        if crawl.round_until is not None:
            continue  # it has what it needs
        if crawl.is_active:
            asked += revisits_plan(crawl)
        elif due_pages(crawl).exists():
            asked += revisit_round_start(crawl=crawl)
    return asked


def watches_renew(crawl: Crawl) -> None:
    """Relevant pages that came since the last time, and the hubs of the latest distillation."""
    rules = rules_of(crawl)
    progress, _ = NewsProgress.objects.get_or_create(crawl=crawl)
    while _watch_more(crawl, rules, progress):
        pass
    distillation = latest_distillation(crawl)
    if distillation is not None and distillation.number > progress.distillation:
        _watch_hubs(crawl, rules, distillation)
        progress.distillation = distillation.number
        progress.save(update_fields=["distillation"])


def _watch_more(crawl: Crawl, rules: Revisit, progress: NewsProgress) -> bool:
    """True while there may be more."""
    after = progress.watched_seq
    pages = Page.objects.filter(
        crawl=crawl, outcome=OK, seq__gt=after, relevance__gte=RELEVANT_FROM, same_as=None
    )
    rows = list(
        pages.order_by("seq").values_list("number", "seq", "relevance", "fetched_at")[
            :WATCHED_AT_ONCE
        ]
    )
    PageWatch.objects.bulk_create(
        [_watch(crawl, rules, n, seq, worth or 0.0, at) for n, seq, worth, at in rows],
        ignore_conflicts=True,
    )
    is_full = len(rows) == WATCHED_AT_ONCE
    progress.watched_seq = rows[-1][1] if is_full else max(after, crawl.seq)
    progress.save(update_fields=["watched_seq"])
    return is_full


def _watch(
    crawl: Crawl, rules: Revisit, number: int, seq: int, worth: float, fetched_at: float
) -> PageWatch:
    return PageWatch(
        crawl=crawl,
        number=number,
        page_seq=seq,
        worth=worth,
        visited_at=fetched_at,
        due_at=fetched_at + rules.first,
    )


def _watch_hubs(crawl: Crawl, rules: Revisit, distillation: Distillation) -> None:
    hubs = ranked_pages(distillation, RankedPage.Kind.HUB)
    best = max((hub.place.score for hub in hubs), default=0.0) or 1.0
    known = PageWatch.objects.filter(crawl=crawl)
    known.filter(is_hub=True).update(is_hub=False)
    for hub in hubs:
        page, score = hub.page, hub.place.score / best
        worth = max(page.relevance or 0.0, score)
        if not known.filter(number=page.number).update(worth=worth, is_hub=True):
            watch = _watch(crawl, rules, page.number, page.seq, worth, page.fetched_at)
            watch.is_hub = True
            watch.save(force_insert=True)


def revisits_plan(crawl: Crawl) -> int:
    """While the crawl runs: the due pages of most benefit, as far as their share of it goes."""
    rules = rules_of(crawl)
    asked = asked_pages(crawl).count()
    limit = min(rules.allowed(crawl.fetched, crawl.revisited, asked), PLANNED_AT_ONCE)
    if limit <= 0:
        return 0
    return _ask(crawl, _best(due_pages(crawl), rules, limit), "due again")


def revisit_round_start(*, crawl: Crawl, by: User | None = None, pages: int | None = None) -> int:
    """A crawl that has ended visits its best pages again, and the new links it finds on them.

    By beat only pages that are due; when a person asks for it, those of most benefit whether due or
    not. Its budget is its own; pauses, robots.txt and the stay-away list are the crawl's.
    """
    watches_renew(crawl)
    with transaction.atomic():
        locked = Crawl.objects.select_for_update().get(pk=crawl.pk)
        if locked.state != Crawl.State.FINISHED:
            raise CrawlError(
                f"This crawl is {locked.get_state_display().lower()}; a revisit round begins "
                "after its end. While it runs, the settings say how much is visited again."
            )
        rules = rules_of(locked)
        limit = pages or rules.round_pages
        asked_pages(locked).update(asked_at=None)
        watched = due_pages(locked) if by is None else candidates_of(locked)
        numbers = _best(watched, rules, limit)
        if not numbers:
            raise CrawlError("There is no page to visit again: none is relevant, and none a hub.")
        locked.state, locked.reason, locked.crashes = Crawl.State.QUEUED, "revisit round", 0
        locked.finished_at = None
        locked.round_until = locked.fetched + locked.revisited + limit
        locked.save(update_fields=["state", "reason", "crashes", "finished_at", "round_until"])
        made = _ask(locked, numbers, "a revisit round")
        text = f"Revisit round: {made} pages to visit again, at most {limit} with what they lead to"
        CrawlEvent.objects.create(crawl=locked, seq=locked.seq, kind="revisit", text=text, by=by)
    return made


def _best(watched: QuerySet[PageWatch], rules: Revisit, limit: int) -> list[int]:
    best = best_first(as_candidates(watched), time.time(), rules, limit)
    return [one.number for one in best]


def _ask(crawl: Crawl, numbers: Sequence[int], reason: str) -> int:
    made = nudges_make(
        crawl=crawl, numbers=numbers, kind=NudgeKind.REVISIT.value, reason=f"visit again: {reason}"
    )
    PageWatch.objects.filter(crawl=crawl, number__in=numbers).update(asked_at=timezone.now())
    return made


def rules_of(crawl: Crawl) -> Revisit:
    return CrawlConfig.from_json(crawl.config).revisit
