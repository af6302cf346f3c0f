"""Counts how topics cite each other and how authorities were found; kept with the distillation.

All pages are read, so it is done where they are at hand anyway, and screens read the figures.
"""

from typing import Any

import numpy as np

from crawler.core.community import community, distances, rise
from crawler.core.topicmap import Ints, TopicLinks, depth_of, is_at_or_below, topic_links
from crawler.models import CrawlSurvey, Distillation, RankedPage
from crawler.selectors.linkgraph import CrawlGraph
from crawler.selectors.survey import SurveyedPages, good_topics, surveyed_pages

AUTHORITIES = 100  # as in fig. 9 of the 1999 paper
COMMUNITIES = 8  # at each depth: those with the most links, and the good ones
DEEPEST = 6


def survey_make(*, distillation: Distillation, found: CrawlGraph) -> CrawlSurvey:
    """Of the pages that were distilled; the survey before is replaced."""
    crawl = distillation.crawl
    pages = surveyed_pages(crawl, found)
    deepest = min(max(map(depth_of, pages.leaves), default=0), DEEPEST)
    good = good_topics(crawl)
    figures = {
        "depths": [_at_depth(depth, found, pages, good) for depth in range(1, deepest + 1)],
        "authorities": _authorities(distillation, found, pages),
    }
    survey, _ = CrawlSurvey.objects.update_or_create(
        crawl=crawl, defaults={"seq": distillation.seq, "figures": figures}
    )
    return survey


def _at_depth(
    depth: int, found: CrawlGraph, pages: SurveyedPages, good: list[str]
) -> dict[str, Any]:
    graph = found.graph
    counted = topic_links(
        leaves=pages.leaves,
        leaf_of=pages.leaf_of,
        sites=graph.sites,
        sources=graph.sources,
        targets=graph.targets,
        depth=depth,
    )
    rows, columns = np.nonzero(counted.links)
    return {
        "depth": depth,
        "topics": list(counted.topics),
        "pages": list(counted.pages),
        "cells": [
            [a, b, int(counted.links[a, b]), int(counted.sites[a, b])]
            for a, b in zip(rows.tolist(), columns.tolist(), strict=True)
        ],
        "communities": _communities(counted, found, pages, good),
    }


def _communities(
    counted: TopicLinks, found: CrawlGraph, pages: SurveyedPages, good: list[str]
) -> list[dict[str, Any]]:
    graph = found.graph
    shown = list(dict.fromkeys([*good, *counted.topics[:COMMUNITIES]]))
    is_cross = graph.sites[graph.sources] != graph.sites[graph.targets]
    sources, targets = graph.sources[is_cross], graph.targets[is_cross]
    told = []
    for topic in shown:
        members = _members(pages, topic)
        if topic and members.any():
            made = community(members, sources=sources, targets=targets, sites=graph.sites)
            told.append({"topic": topic, "is_good": topic in good, **vars(made)})
    return told


def _members(pages: SurveyedPages, topic: str) -> np.ndarray:
    below = np.array([is_at_or_below(leaf, topic) for leaf in pages.leaves], dtype=bool)
    return below[pages.leaf_of]


def _authorities(
    distillation: Distillation, found: CrawlGraph, pages: SurveyedPages
) -> list[dict[str, Any]]:
    graph = found.graph
    ranked = distillation.ranked.filter(kind=RankedPage.Kind.AUTHORITY)[:AUTHORITIES]
    far = distances(len(graph), graph.sources, graph.targets, pages.starts)
    place = {int(seq): page for page, seq in enumerate(found.seqs)}
    best = [(each.page_seq, place[each.page_seq]) for each in ranked if each.page_seq in place]
    # The links to the few pages that are looked at, out of possibly millions.
    kept = np.isin(graph.targets, np.array([page for _, page in best], dtype=np.int64))
    sources, targets = graph.sources[kept], graph.targets[kept]
    return [
        _authority(seq, page, far, pages.firsts, sources, targets, graph.sites)
        for seq, page in best
    ]


def _authority(
    seq: int, page: int, far: Ints, firsts: Ints, sources: Ints, targets: Ints, sites: Ints
) -> dict[str, Any]:
    how = rise(page, sources=sources, targets=targets, sites=sites, seqs=firsts)
    return {"seq": seq, "distance": int(far[page]), **vars(how)}
