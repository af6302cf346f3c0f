"""On-line page importance computation (Abiteboul 2003), as the greedy crawler of Guan 2008."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from crawler.core.frontier.cash import Cash
from crawler.core.frontier.checks import require_above_zero
from crawler.core.frontier.registry import strategy
from crawler.core.types import NOTHING, Expansion, Merge, PriorityChange, ScoredPage


@dataclass(frozen=True)
class OpicParameters:
    """How much cash there is."""

    total: float = field(
        default=1.0,
        metadata={
            "label": "Cash in circulation",
            "help": "What the start pages share. It scales all priorities and changes no order.",
        },
    )

    def __post_init__(self) -> None:
        require_above_zero("total", self.total, 1e12)


@strategy(
    key="opic",
    label="OPIC",
    summary="Follows links to important pages first, whatever their topic.",
    parameters=OpicParameters,
)
class Opic:
    """priority(u) = cash(u); a fetched page hands its cash in equal parts to its links.

    Two cases that the paper leaves open, settled so that no cash is lost: a link from a page to
    itself gets no part, since a page keeps none; and the cash of a page without other links goes
    to a pool, which the next page with links hands out along with its own. Cash that reaches a
    page already fetched stays there until the page is fetched again.
    """

    merge: ClassVar[Merge] = Merge.ADD
    is_stateless: ClassVar[bool] = False

    def __init__(self, parameters: OpicParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed
        self._cash = Cash()
        self._pool = 0.0
        self._fetched: set[int] = set()

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return self._cash.share(keys, self.parameters.total)

    def learn(self, page: ScoredPage) -> Expansion:
        self._fetched.add(page.key)
        purse = self._cash.take(page.key) + self._pool
        targets = [link.key for link in page.links if link.key != page.key]
        self._pool = 0.0 if targets else purse
        if not targets:
            return NOTHING
        gains = self._cash.share(targets, purse)
        return Expansion(tuple([gain for gain in gains if gain.key not in self._fetched]))

    def total_cash(self) -> float:
        """All cash, the pool included: constant, but for rounding, between calls of `start`."""
        return self._cash.total() + self._pool
