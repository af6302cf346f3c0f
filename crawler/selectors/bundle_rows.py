"""What a bundle is made of, read in portions by key: memory does not grow with the crawl."""

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, TypeVar

import numpy as np
from django.conf import settings
from django.db.models import Count, Max, Model, Q, QuerySet

from crawler.core.ports import OK
from crawler.core.types import CONTEXT_DIGITS
from crawler.models import (
    Crawl,
    CrawlEvent,
    Distillation,
    FrontierNudge,
    FrontierUrl,
    LabelAnswer,
    Page,
    PageBody,
    PageBucket,
    PageVisit,
    RankedPage,
    SiteDecision,
    Verdict,
)
from crawler.selectors.crawls import harvest_average
from crawler.selectors.linkgraph import places_of
from crawler.store import hosts_load, unpacked_text

ROWS_AT_ONCE = 1_000
BODIES_AT_ONCE = 100
NEXT_TOLD = 100  # of the frontier's order; all priorities are told with the URLs
_TOPICS = ("other good topics", "other pass-through topics")  # words of an event about settings

Row = dict[str, Any]
M = TypeVar("M", bound=Model)


class Curators:
    """Pseudonyms in the order in which people are met. Reading decisions in order repeats it."""

    def __init__(self) -> None:
        self._known: dict[int, str] = {}

    def name(self, user_id: int | None) -> str | None:
        if user_id is None:
            return None
        return self._known.setdefault(user_id, f"curator-{len(self._known) + 1}")


def crawl_values(crawl: Crawl) -> Row:
    """Configuration and circumstances. No contact and no reason that names a person."""
    model = crawl.judged_with.get("model", "")
    is_of_person = crawl.reason.startswith("by ")
    return {
        "name": crawl.name,
        "slug": crawl.slug,
        "state": crawl.state,
        "reason": "" if is_of_person else crawl.reason,
        "strategy": crawl.strategy,
        "config": crawl.config,
        "seeds": crawl.start_urls,
        "good": crawl.good,
        "pass_through": crawl.pass_through,
        "focus": {"name": crawl.focus.name, "slug": crawl.focus.slug},
        "taxonomy": {
            "name": crawl.focus.taxonomy.name,
            "revision": crawl.focus.taxonomy.revision,
        },
        "judged_with": {
            "checksum": model.partition("/")[2],
            "good": crawl.judged_with.get("good", crawl.good),
            "pass_through": crawl.judged_with.get("pass_through", crawl.pass_through),
        },
        "settings_revision": crawl.settings_revision,
        "ranked_revision": crawl.ranked_revision,
        "ranked_at": _last_event(crawl, "ranked") or 0,
        "visited_again": PageVisit.objects.filter(crawl=crawl).count(),
        "topics_changed_at": _last_event(crawl, "changed", *_TOPICS),
        "seq": crawl.seq,
        "seconds_run": crawl.seconds_run,
        "bytes_fetched": crawl.bytes_fetched,
        "started_at": told_time(crawl.started_at),
        "finished_at": told_time(crawl.finished_at),
        "software": f"FocusAdmin {settings.VERSION}",
    }


def _last_event(crawl: Crawl, kind: str, *words: str) -> int | None:
    """With one of the words, if there are any."""
    has_one = Q()
    for each in words:
        has_one |= Q(text__contains=each)
    events = CrawlEvent.objects.filter(has_one, crawl=crawl, kind=kind)
    last: int | None = events.aggregate(last=Max("seq"))["last"]
    return last


def model_values(crawl: Crawl) -> Row:
    model = crawl.model
    return {
        "name": str(model),
        "version": model.version,
        "kind": model.kind,
        "checksum": model.checksum,
        "taxonomy_revision": model.taxonomy_revision,
        "parameters": model.parameters,
        "scores": model.scores,
        "topics": model.topic_count,
        "examples": model.example_count,
        "trained_at": told_time(model.started_at),
    }


def host_rows(crawl: Crawl) -> Iterator[Row]:
    """Addresses as numbers: that hosts share one is told, and not which."""
    _, addresses = places_of(crawl)
    for host, address in zip(hosts_load(crawl.pk), addresses.tolist(), strict=True):
        yield {"number": host.number, "host": host.name, "site": host.site, "address": address}


def url_rows(crawl: Crawl) -> Iterator[Row]:
    names = ("number", "url", "host", "state", "priority", "tries", "depth", "found_on")
    rows = FrontierUrl.objects.filter(crawl=crawl)
    for url in _walked(rows, "number", lambda row: row.number, ROWS_AT_ONCE):
        yield {name: getattr(url, name) for name in names}


_PAGE = (
    "seq", "number", "url", "host", "site", "outcome", "detail", "status", "title", "language",
    "relevance", "priority_relevance", "topic", "topic_probability", "is_on_topic",
    "content_similarity", "depth", "size_bytes", "fetched_at", "same_as",
)  # fmt: skip


def page_rows(crawl: Crawl) -> Iterator[Row]:
    pages = Page.objects.filter(crawl=crawl)
    for page in _walked(pages, "seq", lambda row: row.seq, ROWS_AT_ONCE):
        yield {name: getattr(page, name) for name in _PAGE}


def link_rows(crawl: Crawl) -> Iterator[Row]:
    """As exact as the engine has them, so that a strategy comes to the same order."""
    bodies = PageBody.objects.filter(crawl=crawl).defer("text")
    for body in _walked(bodies, "seq", lambda row: row.seq, BODIES_AT_ONCE):
        targets = np.frombuffer(body.targets, dtype="<i4").tolist()
        if targets:
            contexts = np.frombuffer(body.contexts, dtype="<f4").astype(float)
            yield {
                "seq": body.seq,
                "targets": targets,
                "contexts": np.round(contexts, CONTEXT_DIGITS).tolist(),
                "anchors": unpacked_text(body.anchors).split("\n"),
            }


def visit_rows(crawl: Crawl) -> Iterator[Row]:
    """Of pages that were there already: text, links and relevance are those of the last one."""
    for visit in PageVisit.objects.filter(crawl=crawl).order_by("id").iterator(ROWS_AT_ONCE):
        yield {
            "number": visit.number,
            "page": visit.page_seq,
            "after": visit.after_seq,
            "at": visit.at,
            "outcome": visit.outcome,
            "changed": visit.changed,
            "similarity": visit.similarity,
            "new_links": visit.new_links,
        }


def text_rows(crawl: Crawl) -> Iterator[Row]:
    bodies = PageBody.objects.filter(crawl=crawl).only("seq", "text")
    for body in _walked(bodies, "seq", lambda row: row.seq, BODIES_AT_ONCE):
        if text := unpacked_text(body.text):
            yield {"seq": body.seq, "text": text}


def event_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    for event in CrawlEvent.objects.filter(crawl=crawl).order_by("id").iterator(ROWS_AT_ONCE):
        yield {
            "seq": event.seq,
            "kind": event.kind,
            "text": event.text,
            "at": told_time(event.at),
            "by": curators.name(event.by_id),
        }


def feedback_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    """Those that were undone among them."""
    for said in Verdict.objects.filter(crawl=crawl).order_by("id").iterator(ROWS_AT_ONCE):
        yield {
            "number": said.number,
            "page": said.page_seq,
            "site": said.site,
            "value": said.value,
            "by": curators.name(said.by_id),
            "at": told_time(said.at),
            "undone_at": told_time(said.undone_at),
            "undone_by": curators.name(said.undone_by_id),
            "effect": said.effect,
            "revision": said.revision,
        }


def label_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    """Answers that were undone among them; `sample`: for the estimate of precision."""
    answers = LabelAnswer.objects.filter(task__crawl=crawl).select_related("task").order_by("id")
    for answer in answers.iterator(ROWS_AT_ONCE):
        yield {
            "number": answer.task.number,
            "page": answer.task.page_seq,
            "part": answer.task.part,
            "sample": answer.task.sample_id is not None,
            "value": answer.value,
            "by": curators.name(answer.by_id),
            "at": told_time(answer.at),
            "undone_at": told_time(answer.undone_at),
        }


def site_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    """Those that were undone among them."""
    for said in SiteDecision.objects.filter(crawl=crawl).order_by("id").iterator(ROWS_AT_ONCE):
        yield {
            "site": said.site,
            "value": said.value,
            "by": curators.name(said.by_id),
            "at": told_time(said.at),
            "effect": said.effect,
            "undone_at": told_time(said.undone_at),
            "undone_by": curators.name(said.undone_by_id),
        }


def nudge_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    for nudge in FrontierNudge.objects.filter(crawl=crawl).order_by("id").iterator(ROWS_AT_ONCE):
        yield {
            "number": nudge.number,
            "kind": nudge.kind,
            "priority": nudge.priority,
            "reason": nudge.reason,
            "by": curators.name(nudge.by_id),
            "at": told_time(nudge.made_at),
            "applied_at": told_time(nudge.applied_at),
        }


def distillation_rows(crawl: Crawl, curators: Curators) -> Iterator[Row]:
    for run in Distillation.objects.filter(crawl=crawl).order_by("number"):
        yield {
            "number": run.number,
            "seq": run.seq,
            "pages": run.pages,
            "links": run.links,
            "threshold": run.threshold,
            "rounds": run.rounds,
            "has_converged": run.has_converged,
            "at": told_time(run.at),
            "by": curators.name(run.by_id),
            **ranked_values(run),
        }


def ranked_values(run: Distillation) -> Row:
    """Hubs and authorities in the order of their ranks."""
    found: Row = {"hubs": [], "authorities": []}
    for place in run.ranked.order_by("rank"):
        kind = "hubs" if place.kind == RankedPage.Kind.HUB else "authorities"
        found[kind].append({"number": place.number, "score": place.score})
    return found


def current_distillation(crawl: Crawl) -> Distillation | None:
    """The last run, if nothing has come since that another run would see."""
    run = Distillation.objects.filter(crawl=crawl).first()
    last = Page.objects.filter(crawl=crawl, outcome=OK).aggregate(last=Max("seq"))["last"]
    if run is None or run.seq != last:
        return None
    told = Verdict.objects.filter(crawl=crawl)
    since = CrawlEvent.objects.filter(crawl=crawl, kind="ranked", at__gte=run.at)
    is_said = told.filter(at__gte=run.at) | told.filter(undone_at__gte=run.at)
    again = PageVisit.objects.filter(crawl=crawl, at__gte=run.at.timestamp())
    return None if since.exists() or is_said.exists() or again.exists() else run


def figure_values(crawl: Crawl) -> Row:
    """As they stand beside the chart; what the distiller found is added by whoever asks it."""
    outcomes = Page.objects.filter(crawl=crawl).values_list("outcome").annotate(Count("seq"))
    waiting = FrontierUrl.objects.filter(crawl=crawl, state=FrontierUrl.State.WAITING)
    buckets = PageBucket.objects.filter(crawl=crawl).order_by("number")
    return {
        "fetched": crawl.fetched,
        "failed": crawl.failed,
        "relevant": crawl.relevant,
        "harvest_rate": crawl.mean_relevance,
        "moving_average": harvest_average(crawl),
        "outcomes": dict(outcomes.order_by("outcome")),
        "buckets": [list(row) for row in buckets.values_list("judged", "failed", "relevance_sum")],
        "frontier": {
            "waiting": crawl.frontier_size,
            "next": list(
                waiting.order_by("tries", "-priority", "number").values_list("number", flat=True)[
                    :NEXT_TOLD
                ]
            ),
        },
    }


def last_fetched_at(crawl: Crawl) -> float:
    last: float | None = Page.objects.filter(crawl=crawl).aggregate(last=Max("fetched_at"))["last"]
    return last or 0.0


def told_time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat(timespec="seconds").replace("+00:00", "Z")


def _walked(rows: "QuerySet[M]", key: str, key_of: Callable[[M], int], size: int) -> Iterator[M]:
    last = -1
    while portion := list(rows.filter(**{f"{key}__gt": last}).order_by(key)[:size]):
        yield from portion
        last = key_of(portion[-1])
