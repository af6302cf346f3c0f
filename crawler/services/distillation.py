"""Runs the distiller over a crawl and keeps what it found."""

import numpy as np
from django.db import transaction

from crawler.core.distiller import Scores, distil
from crawler.core.harvest import RELEVANT_FROM
from crawler.models import Crawl, CrawlEvent, Distillation, RankedPage
from crawler.selectors.linkgraph import CrawlGraph, crawl_graph
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError

TOP = 200  # hubs, and as many authorities, are kept of each run


class NothingToDistilError(FocusAdminError):
    """The crawl has no pages yet."""


def crawl_distil(*, crawl: Crawl, by: User | None = None, top: int = TOP) -> Distillation:
    """Score all pages; the best hubs and authorities are kept with their ranks."""
    found = crawl_graph(crawl)
    if not len(found.graph):
        raise NothingToDistilError("This crawl has no pages yet. Try again when it has some.")
    scores = distil(found.graph)
    return _kept(crawl, found, scores, by, top)


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
