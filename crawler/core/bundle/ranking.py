"""The distiller over the pages and links of a bundle."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from crawler.core.bundle.figures import TOLERANCE, Figure, Verdict
from crawler.core.bundle.layout import FEEDBACK, LINKS, PAGES
from crawler.core.bundle.reading import Bundle
from crawler.core.bundle.urls import Hosts, Urls
from crawler.core.distiller import Floats, Ints, LinkGraph, distil
from crawler.core.opinions import weights
from crawler.core.ports import OK

SHOWN = 10


class DistillerReplay:
    """Scores of hubs and authorities by number of the URL."""

    def __init__(self, bundle: Bundle, urls: Urls) -> None:
        latest: dict[int, tuple[int, int, float, str]] = {}
        for row in bundle.rows(PAGES):
            if row["outcome"] == OK:
                facts = (row["seq"], row["host"], row["relevance"] or 0.0, row["site"])
                latest[row["number"]] = facts
        self.numbers = np.array(list(latest), dtype=np.int64)
        self._index = np.full(len(urls), -1, dtype=np.int64)
        self._index[self.numbers] = np.arange(len(latest))
        self.urls = urls
        self._scores = distil(self._graph(bundle, latest))

    def _graph(self, bundle: Bundle, latest: dict[int, tuple[int, int, float, str]]) -> LinkGraph:
        places = {facts[0]: place for place, facts in enumerate(latest.values())}
        sources, targets = self._links(bundle, places)
        weight = np.ones(len(latest))
        sites = ((number, facts[3]) for number, facts in latest.items())
        for number, value in weights(bundle.rows(FEEDBACK), sites).items():
            if self._index[number] >= 0:
                weight[self._index[number]] = value
        hosts, columns = Hosts(bundle), list(zip(*latest.values(), strict=True))
        host = np.array(columns[1] if columns else (), dtype=np.int64)
        return LinkGraph(
            sources=sources,
            targets=targets,
            relevance=np.array(columns[2] if columns else (), dtype=np.float64),
            sites=hosts.sites[host],
            addresses=hosts.addresses[host],
            weights=weight,
        )

    def _links(self, bundle: Bundle, places: dict[int, int]) -> tuple[Ints, Ints]:
        """Each once, as the distiller of the crawl takes them; from the last visits only."""
        sources, targets = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)]
        for row in bundle.rows(LINKS):
            place = places.get(row["seq"])
            if place is None:
                continue
            found = self._index[np.array(row["targets"], dtype=np.int64)]
            once = np.unique(found[found >= 0])
            targets.append(once)
            sources.append(np.full(len(once), place))
        return np.concatenate(sources), np.concatenate(targets)

    def compared_with(self, told: dict[str, Any]) -> list[Figure]:
        source = told["source"]
        return [
            self._compared("hubs", self._scores.hubs, told["hubs"], source),
            self._compared("authorities", self._scores.authorities, told["authorities"], source),
        ]

    def _compared(
        self, kind: str, scores: Floats, told: Sequence[dict[str, Any]], source: str
    ) -> Figure:
        order = np.argsort(-scores, kind="stable")[: len(told)]
        best = order[scores[order] > 0.0]
        away = [
            rank
            for rank, row in enumerate(told, 1)
            if not self._is_at(scores, best, rank, row["number"], row["score"])
        ]
        is_same = not away and len(best) == len(told) and bool(told) == bool(scores.any())
        replayed = [self.urls[int(self.numbers[place])] for place in best[:SHOWN]]
        return Figure(
            f"top {kind}",
            _listed([self.urls[row["number"]] for row in told[:SHOWN]], len(told)),
            _listed(replayed, len(best)),
            Verdict.AGREE if is_same else Verdict.DIFFER,
            f"{source}; first at rank {away[0]}" if away else source,
        )

    def _is_at(self, scores: Floats, best: Ints, rank: int, number: int, score: float) -> bool:
        """Pages with equal scores may have changed places."""
        place = self._index[number]
        if place < 0 or rank > len(best):
            return False
        near = (abs(scores[place] - score), abs(scores[best[rank - 1]] - score))
        return bool(max(near) <= TOLERANCE)


def _listed(urls: Sequence[str], count: int) -> str:
    return f"{count:,}: " + " ".join(urls) if urls else "none"
