"""Links in the order of their discovery: the baseline of every paper."""

from collections.abc import Sequence
from typing import ClassVar

from crawler.core.frontier.base import NoParameters
from crawler.core.frontier.registry import strategy
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage


@strategy(
    key="breadth_first",
    label="Breadth first",
    summary="Follows every link in the order in which it was found.",
)
class BreadthFirst:
    """All priorities are 0; the frontier settles ties by discovery."""

    merge: ClassVar[Merge] = Merge.MAX
    is_stateless: ClassVar[bool] = True

    def __init__(self, parameters: NoParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return tuple(PriorityChange(key, 0.0) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        return Expansion(tuple([PriorityChange(link.key, 0.0) for link in page.links]))
