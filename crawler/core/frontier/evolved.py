"""Weighted scores whose weights a genetic algorithm can evolve (Johnson 2003, section 2.2)."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from crawler.core.frontier.checks import require_between
from crawler.core.frontier.registry import strategy
from crawler.core.frontier.seen_links import SeenLinks
from crawler.core.frontier.weights import resolve
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredLink, ScoredPage

START = 1e9  # above all weighted scores: the paper processes the start set before anything else
GENERATIONS = 5
RECENT_PARENTS = 32


@dataclass(frozen=True)
class EvolvedParameters:
    """Which weights, and what counts as a relevant page."""

    weights: str = field(
        default="balanced",
        metadata={
            "label": "Weights",
            "help": "The name of a set, or your own: parent_1=3, community_out=2, context=1.",
        },
    )
    relevant_at: float = field(
        default=0.5,
        metadata={
            "label": "Relevant from",
            "help": "A fetched page of at least this relevance joins the community.",
        },
    )

    def __post_init__(self) -> None:
        resolve(self.weights)
        require_between("relevant_at", self.relevant_at, 0, 1)


@dataclass(slots=True)
class _Promise:
    """What the links to a URL say about it."""

    generations: list[float]  # best classifier score of parents, grandparents, …
    context: float  # best classifier score of the words around a link to it
    community_parents: int = 0


@strategy(
    key="evolved",
    label="Evolved weights",
    summary="Weighs hubs, authorities, community and ancestors; the lab can evolve the weights.",
    parameters=EvolvedParameters,
)
class Evolved:
    """Priority(u) = sum of w_i * S_i(u) over the scores below; P(u) are the known parents of u.

    - hub: mean out-links of P(u) / mean out-links of all fetched pages
    - authority: |P(u)| / mean number of parents of all URLs that have one
    - community_in: share of P(u) in the community (start set and fetched relevant pages)
    - community_out: share of the out-links of P(u) that lead into the community
    - parent_k: best of 2R - 1 over the ancestors k links away, 0 where there are none. The best
      is the maximum whatever the signs: among negatives the smallest magnitude is the maximum.
    - context: best of 2R - 1 over the words around the links to u
    - host: relevant / (fetched + 1) pages on the host of u

    As in the paper a priority is worked out anew when a new parent is found, not whenever a mean
    or the community changes. To bound the work for each link, `hub` and `community_out` look at
    the latest 32 parents, and ancestors found after a page was fetched do not reach its links.
    """

    merge: ClassVar[Merge] = Merge.REPLACE
    is_stateless: ClassVar[bool] = False

    def __init__(self, parameters: EvolvedParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self._weights = tuple(resolve(parameters.weights).values())
        self._links = SeenLinks()
        self._promises: dict[int, _Promise] = {}
        self._starts: set[int] = set()
        self._community: set[int] = set()
        self._into_community: dict[int, int] = {}  # out-links of a fetched page that lead there
        self._fetched_on: Counter[str] = Counter()
        self._relevant_on: Counter[str] = Counter()

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        for key in keys:
            self._starts.add(key)
            self._join_community(key)
        return tuple(PriorityChange(key, START) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        self._judge(page)
        fresh = self._links.add(page)
        into = sum(link.key in self._community for link in fresh)
        self._into_community[page.key] = self._into_community.get(page.key, 0) + into
        self._promise(page, fresh)
        return Expansion(
            tuple(
                [
                    PriorityChange(link.key, self._priority(link))
                    for link in fresh
                    if link.key not in self._links and link.key not in self._starts
                ]
            )
        )

    def _judge(self, page: ScoredPage) -> None:
        is_relevant = page.priority_relevance >= self.parameters.relevant_at
        if page.key not in self._links:
            self._fetched_on[_host(page.url)] += 1
            self._relevant_on[_host(page.url)] += is_relevant
        if is_relevant:
            self._join_community(page.key)

    def _join_community(self, key: int) -> None:
        if key in self._community:
            return
        self._community.add(key)
        for parent in self._links.parents(key):
            self._into_community[parent] += 1
        for target in self._links.targets(key):
            self._promises[target].community_parents += 1

    def _promise(self, page: ScoredPage, links: list[ScoredLink]) -> None:
        ancestors = [2.0 * page.priority_relevance - 1.0]
        if page.key in self._promises:
            ancestors += self._promises[page.key].generations[: GENERATIONS - 1]
        is_in_community = page.key in self._community
        for link in links:
            context = 2.0 * link.context_relevance - 1.0
            promise = self._promises.get(link.key)
            if promise is None:
                promise = self._promises[link.key] = _Promise(ancestors, context)
            else:
                promise.generations = _best(promise.generations, ancestors)
                promise.context = max(promise.context, context)
            promise.community_parents += is_in_community

    def _priority(self, link: ScoredLink) -> float:
        parents, promise = self._links.parents(link.key), self._promises[link.key]
        recent = parents[-RECENT_PARENTS:]
        out_links = sum([len(self._links.targets(parent)) for parent in recent])
        into_community = sum([self._into_community[parent] for parent in recent])
        host = _host(link.url)
        scores = (
            out_links / len(recent) * self._links.pages / self._links.edges,
            len(parents) * self._links.linked / self._links.edges,
            promise.community_parents / len(parents),
            into_community / out_links,
            *promise.generations,
            *(0.0,) * (GENERATIONS - len(promise.generations)),
            promise.context,
            self._relevant_on[host] / (self._fetched_on[host] + 1),
        )
        weighted = zip(self._weights, scores, strict=True)
        return sum([weight * score for weight, score in weighted])


def _best(some: list[float], others: list[float]) -> list[float]:
    longer, shorter = (some, others) if len(some) >= len(others) else (others, some)
    return [*map(max, longer, shorter), *longer[len(shorter) :]]


def _host(url: str) -> str:
    return url.partition("://")[2].partition("/")[0]
