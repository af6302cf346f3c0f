"""Runs the distiller over crawls, keeps what it found, and lets it act on the frontier."""

from datetime import timedelta

import numpy as np
from django.db import transaction
from django.utils import timezone

from crawler.core.distiller import Scores, distil
from crawler.core.harvest import RELEVANT_FROM
from crawler.models import Crawl, CrawlEvent, Distillation, RankedPage
from crawler.selectors.feedback import weights_of
from crawler.selectors.linkgraph import CrawlGraph, crawl_graph
from crawler.services.nudges import hubs_follow
from crawler.services.survey import survey_make
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError

TOP = 200  # hubs, and as many authorities, are kept of each run
DUE_PAGES = 500  # new ones, or a twentieth of all if that is more: all are read each time
DUE_SHARE = 0.05
DUE_AFTER = timedelta(minutes=5)  # whatever came since, if it is worth the trouble
WORTH_PAGES = 50


class NothingToDistilError(FocusAdminError):
    """The crawl has no pages yet."""


def crawl_distil(*, crawl: Crawl, by: User | None = None, top: int = TOP) -> Distillation:
    """Score all pages; the best hubs and authorities are kept, and the frontier hears of them."""
    found = crawl_graph(crawl, weights_of(crawl))
    if not len(found.graph):
        raise NothingToDistilError("This crawl has no pages yet. Try again when it has some.")
    scores = distil(found.graph)
    made = _kept(crawl, found, scores, by, top)
    hubs_follow(distillation=made)
    survey_make(distillation=made, found=found)
    return made


def crawls_distil_due() -> list[Distillation]:
    """Distil what runs and has grown since the last time."""
    running = Crawl.objects.filter(state__in=(Crawl.State.RUNNING, Crawl.State.RATE_LIMITED))
    return [crawl_distil(crawl=crawl) for crawl in running.order_by("pk") if is_due(crawl)]


def is_due(crawl: Crawl) -> bool:
    before = Distillation.objects.filter(crawl=crawl).first()
    new = crawl.seq - (before.seq if before else 0)
    if new >= max(DUE_PAGES, DUE_SHARE * crawl.seq):
        return crawl.fetched > 0
    since = before.at if before else crawl.started_at
    is_long_ago = since is not None and timezone.now() - since >= DUE_AFTER
    return is_long_ago and crawl.fetched > 0 and new >= max(WORTH_PAGES, DUE_SHARE * crawl.seq / 5)


@transaction.atomic
def _kept(
    crawl: Crawl, found: CrawlGraph, scores: Scores, by: User | None, top: int
) -> Distillation:
    # Two runs at once get two numbers: the crawl's row is locked while one is given.
    Crawl.objects.select_for_update().get(pk=crawl.pk)
    before = Distillation.objects.filter(crawl=crawl).first()
    made = Distillation.objects.create(
        crawl=crawl,
        number=before.number + 1 if before else 1,
        seq=int(found.seqs.max()),
        pages=len(found.graph),
        links=scores.links,
        threshold=scores.threshold,
        rounds=scores.rounds,
        has_converged=scores.has_converged,
        by=by,
    )
    for kind, vector in (
        (RankedPage.Kind.HUB, scores.hubs),
        (RankedPage.Kind.AUTHORITY, scores.authorities),
    ):
        RankedPage.objects.bulk_create(_ranked(made, before, kind, vector, found, top))
    text = f"Distillation {made.number} over {made.pages:,} pages"
    CrawlEvent.objects.create(crawl=crawl, seq=made.seq, kind="distilled", text=text, by=by)
    return made


def _ranked(
    made: Distillation,
    before: Distillation | None,
    kind: RankedPage.Kind,
    scores: np.ndarray,
    found: CrawlGraph,
    top: int,
) -> list[RankedPage]:
    earlier = dict(before.ranked.filter(kind=kind).values_list("number", "rank")) if before else {}
    order = np.argsort(-scores, kind="stable")[:top]
    best = order[scores[order] > 0.0]
    good, everything = _link_counts(found)
    return [
        RankedPage(
            distillation=made,
            kind=kind,
            rank=rank,
            earlier_rank=earlier.get(int(found.numbers[page])),
            score=float(scores[page]),
            page_seq=int(found.seqs[page]),
            number=int(found.numbers[page]),
            good_links=int(good[page]),
            all_links=int(everything[page]),
        )
        for rank, page in enumerate(best, 1)
    ]


def _link_counts(found: CrawlGraph) -> tuple[np.ndarray, np.ndarray]:
    """For each page its links to fetched pages of other sites: relevant ones, and all."""
    graph = found.graph
    is_cross = graph.sites[graph.sources] != graph.sites[graph.targets]
    sources, targets = graph.sources[is_cross], graph.targets[is_cross]
    good = sources[graph.relevance[targets] >= RELEVANT_FROM]
    size = len(graph)
    return np.bincount(good, minlength=size), np.bincount(sources, minlength=size)
