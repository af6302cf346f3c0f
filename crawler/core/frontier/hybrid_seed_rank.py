"""Hybrid seed rank (Jamali 2006, section III): fetched pages become seed pages, best first."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from typing import ClassVar

from crawler.core.frontier.checks import require_whole
from crawler.core.frontier.registry import strategy
from crawler.core.frontier.seen_links import SeenLinks
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage

FIRST_SEEDS = 1.0  # priority of the start set and of its links; each later seed has 1 more
OTHERS = 0.5  # priority of links of other pages, times the similarity of the page
NO_SIMILARITY = 0.1  # the paper's constant for well linked pages without text


@dataclass(frozen=True)
class HybridSeedRankParameters:
    """When to look for the next seed page."""

    low_water: int = field(
        default=10,
        metadata={
            "label": "Next seed at",
            "help": "When so few links of the seed pages are left, the best page becomes a seed.",
        },
    )

    def __post_init__(self) -> None:
        require_whole("low_water", self.low_water, 0, 1_000_000)


@strategy(
    key="hybrid_seed_rank",
    label="Hybrid seed rank",
    summary="Grows a set of seed pages by similarity and links, and fetches what they link to.",
    parameters=HybridSeedRankParameters,
)
class HybridSeedRank:
    """Rank(p) = (links from p to seeds + links from seeds to p) * (0.1 + content_similarity(p)).

    The start set are the first seeds. The best ranked page becomes a seed, its unfetched links go
    to the top, and the ranks of the pages that it links to, or that link to it, are adjusted.
    A page of rank 0 never becomes a seed. Departures from the paper, which fetches all links of a
    seed before the next step and fetches nothing else:

    - The next seed is chosen while up to `low_water` links of older seeds are left, so that a
      crawler with many connections never waits for the slowest page.
    - Fetches that fail are not reported to a strategy. When more than `low_water` pages in a row
      come from outside the seeds' links, the links left are given up as dead.
    - Links of other pages wait below those of all seeds, so that the crawl goes on without seeds.
    """

    merge: ClassVar[Merge] = Merge.REPLACE
    is_stateless: ClassVar[bool] = False

    def __init__(self, parameters: HybridSeedRankParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self._links = SeenLinks()
        self._similarity: dict[int, float] = {}  # of fetched pages
        self._turns: dict[int, int] = {}  # of seed pages: 0 for the start set, then 1, 2, …
        self._turn = 0
        self._ties: dict[int, int] = {}  # links to and from seed pages
        self._ranking: list[tuple[float, int, int]] = []  # heap; ranks in it may be out of date
        self._ranked = 0
        self._priority: dict[int, float] = {}  # of URLs not fetched yet
        self._changes: dict[int, float] = {}  # priorities that the frontier has not been told
        self._left: set[int] = set()  # start pages and links of seeds, not fetched yet
        self._strays = 0  # pages in a row that were not among those left

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        for key in keys:
            if key not in self._turns:
                self._make_seed(key, turn=0)
            if key not in self._links:
                self._left.add(key)
                self._priority[key] = max(FIRST_SEEDS, self._priority.get(key, 0.0))
        return tuple(PriorityChange(key, self._priority.get(key, FIRST_SEEDS)) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        self._note_arrival(page)
        fresh = [link.key for link in self._links.add(page)]
        if page.key in self._turns:
            self._lead_to(fresh, self._turns[page.key])
        else:
            self._raise(fresh, OTHERS * page.content_similarity)
        self._tie(page.key, sum(target in self._turns for target in fresh))
        self._find_seeds()
        return self._expansion()

    def _note_arrival(self, page: ScoredPage) -> None:
        self._similarity[page.key] = page.content_similarity
        self._priority.pop(page.key, None)
        self._changes.pop(page.key, None)
        if page.key in self._left:
            self._left.remove(page.key)
            self._strays = 0
        elif page.key not in self._links:
            self._strays += 1

    def _find_seeds(self) -> None:
        if self._strays > self.parameters.low_water:
            self._left.clear()
        while len(self._left) <= self.parameters.low_water:
            if (best := self._best_candidate()) is None:
                return
            self._turn += 1
            self._strays = 0
            self._make_seed(best, self._turn)

    def _best_candidate(self) -> int | None:
        while self._ranking:
            rank, _, key = heappop(self._ranking)
            if key not in self._turns and -rank == self._rank(key):
                return key
        return None

    def _make_seed(self, key: int, turn: int) -> None:
        self._turns[key] = turn
        for parent in self._links.parents(key):
            self._tie(parent, 1)
        self._lead_to(self._links.targets(key), turn)

    def _lead_to(self, targets: Iterable[int], turn: int) -> None:
        for target in targets:
            self._tie(target, 1)
            if target not in self._links:
                self._left.add(target)
        self._raise(targets, FIRST_SEEDS + turn)

    def _tie(self, key: int, more: int) -> None:
        self._ties[key] = self._ties.get(key, 0) + more
        if key in self._links and key not in self._turns and (rank := self._rank(key)) > 0:
            self._ranked += 1  # of equal ranks, the first to reach it wins
            heappush(self._ranking, (-rank, self._ranked, key))

    def _rank(self, key: int) -> float:
        return self._ties[key] * (NO_SIMILARITY + self._similarity[key])

    def _raise(self, targets: Iterable[int], priority: float) -> None:
        for target in targets:
            if target not in self._links and priority > self._priority.get(target, -1.0):
                self._priority[target] = self._changes[target] = priority

    def _expansion(self) -> Expansion:
        changes = tuple([PriorityChange(*change) for change in self._changes.items()])
        self._changes.clear()
        return Expansion(changes)
