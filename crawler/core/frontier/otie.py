"""On-line topical importance estimation (Guan 2008, algorithm 1)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import ClassVar

from crawler.core.frontier.cash import Cash
from crawler.core.frontier.checks import require_above_zero, require_between, require_whole
from crawler.core.frontier.link_scores import link_score
from crawler.core.frontier.registry import strategy
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredLink, ScoredPage

# A chain of relevant pages multiplies its cash by up to 1 + a at each step, which overflows a float
# after 1,150 steps. A page as rich as this is no longer rewarded.
RICH = 1e200


@dataclass(frozen=True)
class OtieParameters:
    """The settings of the paper's experiments are the defaults."""

    a: float = field(
        default=0.85,
        metadata={
            "label": "Reward and punishment (a)",
            "help": "How strongly the relevance of a page changes its cash.",
        },
    )
    d: int = field(
        default=3,
        metadata={
            "label": "Tolerance (d)",
            "help": "Odd. The larger, the less happens to pages that are neither hot nor cold.",
        },
    )
    beta: float = field(
        default=0.25,
        metadata={
            "label": "Weight of the page",
            "help": "When guessing a target's relevance: the page against the link's own words.",
        },
    )
    revisit_every: int = field(
        default=50,
        metadata={
            "label": "Pages between revisits",
            "help": "After so many pages the richest fetched page is due again.",
        },
    )

    def __post_init__(self) -> None:
        require_above_zero("a", self.a, 10)
        require_whole("d", self.d, 1, 99)
        if self.d % 2 == 0:
            raise ValueError(f"d must be odd, not {self.d}.")
        require_between("beta", self.beta, 0, 1)
        require_whole("revisit_every", self.revisit_every, 1, 1_000_000)


@strategy(
    key="otie",
    label="OTIE",
    summary="Follows links to pages that matter to the topic: importance flows along good links.",
    parameters=OtieParameters,
)
class Otie:
    """priority(u) = cash(u), handed on in proportion to sim' (equations 6 to 8).

    1. cash <- cash + cash * max(-1, a * (2r - 1)^d), r = relevance of the page just fetched.
    2. Link j gains cash * sim'(j) / sum of sim'. For a fetched j, sim' is its own relevance, else
       the link-context score (equation 9, as the paper's experiments did). Where all are 0 the
       parts are equal. A page gives nothing to itself and keeps nothing.
    3. After every `revisit_every` pages the fetched page with the most cash is due again. Until
       then it counts as unfetched: what it gains is added to its priority.
    """

    merge: ClassVar[Merge] = Merge.ADD
    is_stateless: ClassVar[bool] = False

    def __init__(self, parameters: OtieParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self._cash = Cash()
        self._relevance: dict[int, float] = {}  # of fetched pages
        self._due: set[int] = set()
        self._gainers: set[int] = set()  # fetched pages that gained since the last revisit
        self._by_cash: list[tuple[float, int]] = []  # heap; an entry is stale if its cash is
        self._learned = 0

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return self._cash.share(keys, 1.0)

    def learn(self, page: ScoredPage) -> Expansion:
        self._relevance[page.key] = page.priority_relevance
        self._due.discard(page.key)
        purse = self._revised(self._cash.take(page.key), page.priority_relevance)
        links = [link for link in page.links if link.key != page.key]
        changes = self._hand_out(purse, links, self._similarities(page, links))
        return Expansion(changes, self._revisits())

    def _revised(self, cash: float, relevance: float) -> float:
        change = max(-1.0, self.parameters.a * (2.0 * relevance - 1.0) ** self.parameters.d)
        return cash if change > 0 and cash > RICH else cash + cash * change

    def _similarities(self, page: ScoredPage, links: list[ScoredLink]) -> list[float]:
        relevance, beta, own = page.priority_relevance, self.parameters.beta, self._relevance
        return [
            own[link.key]
            if link.key in own
            else link_score(relevance, link.context_relevance, beta)
            for link in links
        ]

    def _hand_out(
        self, purse: float, links: list[ScoredLink], similarities: list[float]
    ) -> tuple[PriorityChange, ...]:
        whole = sum(similarities)
        changes = []
        for link, similarity in zip(links, similarities, strict=True):
            gain = purse * (similarity / whole if whole > 0 else 1.0 / len(links))
            self._cash.give(link.key, gain)
            if link.key in self._relevance and link.key not in self._due:
                self._gainers.add(link.key)
            else:
                changes.append(PriorityChange(link.key, gain))
        return tuple(changes)

    def _revisits(self) -> tuple[PriorityChange, ...]:
        self._learned += 1
        if self._learned % self.parameters.revisit_every:
            return ()
        self._rank_gainers()
        while self._by_cash:
            cash, key = heappop(self._by_cash)
            if -cash == self._cash.of(key) and key not in self._due:
                self._due.add(key)
                return (PriorityChange(key, -cash),)
        return ()

    def _rank_gainers(self) -> None:
        for key in self._gainers:
            if (cash := self._cash.of(key)) > 0:
                heappush(self._by_cash, (-cash, key))
        self._gainers.clear()
        if len(self._by_cash) > 2 * len(self._relevance) + 1000:  # mostly stale
            fetched = [(-self._cash.of(key), key) for key in self._relevance]
            self._by_cash = [entry for entry in fetched if entry[0] < 0]
            heapify(self._by_cash)
