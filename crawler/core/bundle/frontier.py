"""The strategy of a bundle's crawl, shown its pages again (docs/decisions/0013).

When settings change, all waiting URLs are ranked by all pages so far. The priority of a URL that
came later begins with the page on which it was admitted.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from crawler.core.bundle.figures import TOLERANCE, Figure, Verdict
from crawler.core.bundle.urls import Urls
from crawler.core.config import CrawlConfig
from crawler.core.frontier import registry
from crawler.core.keyindex import UNKNOWN
from crawler.core.ranking import BOOST, UNRANKED, merged
from crawler.core.types import PriorityChange, ScoredLink, ScoredPage, url_key

SHOWN = 10
START = 0  # seq at which start URLs are admitted
NEVER = np.iinfo(np.int64).max


class FrontierReplay:
    """Priorities of the waiting URLs after all pages that it was shown."""

    def __init__(self, crawl: Mapping[str, Any], urls: Urls) -> None:
        config = CrawlConfig.from_json(crawl["config"])
        self.urls = urls
        self.key = config.strategy
        self._ranked_at = crawl["ranked_at"]
        self._strategy = registry.build(config.strategy, config.parameters, seed=config.seed)
        self._of_all = np.full(len(urls), np.nan)
        self._since_birth = np.full(len(urls), np.nan)
        self._born = np.full(len(urls), NEVER)
        self._was_visited = np.zeros(len(urls), dtype=bool)
        self._seeds = [url_key(url) for url in crawl["seeds"]]
        self._merge(self._strategy.start(self._seeds), START, UNKNOWN)

    def visited(self, number: int) -> None:
        """Whatever came of it: should the URL wait again, somebody or a plan wanted that."""
        self._was_visited[number] = True

    def page(self, row: Mapping[str, Any], links: Mapping[str, Any]) -> None:
        """A page that was read, with its links."""
        number = row["number"]
        targets = links["targets"]
        keys = self.urls.keys[np.array(targets, dtype=np.int64)].tolist()
        scored = ScoredPage(
            key=int(self.urls.keys[number]),
            url=row["url"],
            depth=row["depth"],
            relevance=row["relevance"] or 0.0,
            priority_relevance=row["priority_relevance"] or 0.0,
            is_on_topic=row["is_on_topic"],
            content_similarity=row["content_similarity"],
            links=tuple(
                ScoredLink(key, self.urls[target], anchor, context)
                for key, target, anchor, context in zip(
                    keys, targets, links["anchors"], links["contexts"], strict=True
                )
            ),
        )
        expansion = self._strategy.learn(scored)
        self._merge(expansion.changes, row["seq"], number)
        for change, slot in self._known(expansion.revisits):
            self._of_all[slot] = self._since_birth[slot] = change.priority

    def _merge(self, changes: Sequence[PriorityChange], seq: int, number: int) -> None:
        how = self._strategy.merge
        for change, slot in self._known(changes):
            self._of_all[slot] = merged(self._of_all[slot], change.priority, how)
            if self._born[slot] == NEVER:
                if self.urls.found_on[slot] != number:
                    continue  # no rule let it in then
                self._born[slot] = seq
            self._since_birth[slot] = merged(self._since_birth[slot], change.priority, how)

    def _known(self, changes: Sequence[PriorityChange]) -> list[tuple[PriorityChange, int]]:
        keys = np.array([change.key for change in changes], dtype=np.int64)
        slots = self.urls.index.find(keys).tolist()
        return [(c, slot) for c, slot in zip(changes, slots, strict=True) if slot != UNKNOWN]

    def compared_with(self, told: Mapping[str, Any], why_not: str) -> list[Figure]:
        waiting = np.flatnonzero(self.urls.is_waiting)
        count = Figure(
            "URLs that wait",
            f"{told['waiting']:,}",
            f"{len(waiting):,}",
            Verdict.AGREE if told["waiting"] == len(waiting) else Verdict.DIFFER,
        )
        return [count, self._order(waiting, told["next"], why_not)]

    def _order(self, waiting: np.ndarray, told: Sequence[int], why_not: str) -> Figure:
        name, recorded = f"order of the frontier ({self.key})", self.urls.priorities[waiting]
        if why_not:
            return Figure(name, self._shown(told), "", Verdict.NOT_COMPARED, why_not)
        replayed, is_foreign = self._priorities(waiting), self._is_foreign(waiting)
        away = ~np.isclose(replayed, recorded, rtol=TOLERANCE, atol=TOLERANCE) & ~is_foreign
        rank = np.where(is_foreign, recorded, np.nan_to_num(replayed, nan=UNRANKED))
        order = np.lexsort((waiting, -rank, self.urls.tries[waiting]))[: len(told)]
        first = waiting[order].tolist()
        note = f"{len(waiting) - int(is_foreign.sum()):,} priorities"
        if left := int(is_foreign.sum()):
            note += f"; {left:,} of wishes, visits again and sitemaps are taken as they were"
        if away.any():
            note += f"; {int(away.sum()):,} elsewhere, first {self.urls[int(waiting[away][0])]}"
        verdict = self._verdict(away)
        if list(told) != self._recorded_order(waiting, len(told)):
            verdict, note = Verdict.DIFFER, "the order told is not that of the priorities told"
        return Figure(name, self._shown(told), self._shown(first), verdict, note)

    def _recorded_order(self, waiting: np.ndarray, size: int) -> list[int]:
        keys = (waiting, -self.urls.priorities[waiting], self.urls.tries[waiting])
        return [int(number) for number in waiting[np.lexsort(keys)[:size]]]

    def _priorities(self, waiting: np.ndarray) -> np.ndarray:
        was_ranked = self._born[waiting] <= self._ranked_at
        ranked = np.nan_to_num(self._of_all[waiting], nan=UNRANKED)
        return np.asarray(np.where(was_ranked, ranked, self._since_birth[waiting]))

    def _is_foreign(self, waiting: np.ndarray) -> np.ndarray:
        """Priorities that no strategy gave: wishes, visits again, URLs that a sitemap told."""
        is_seed = np.isin(self.urls.keys[waiting], np.array(self._seeds, dtype=np.int64))
        is_told = (self.urls.found_on[waiting] == UNKNOWN) & ~is_seed
        is_wished = self.urls.priorities[waiting] >= BOOST
        return np.asarray(is_told | is_wished | self._was_visited[waiting])

    def _verdict(self, away: np.ndarray) -> Verdict:
        """Strategies that share by all links of a page are exact only where all were stored."""
        if not away.any():
            return Verdict.AGREE
        return Verdict.DIFFER if self._strategy.is_stateless else Verdict.NOT_COMPARED

    def _shown(self, numbers: Sequence[int]) -> str:
        return " ".join(self.urls[number] for number in numbers[:SHOWN]) or "empty"
