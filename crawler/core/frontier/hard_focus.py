"""Hard focus rule (Chakrabarti 1999, section 3.1): off-topic pages are dead ends."""

from collections.abc import Sequence
from typing import ClassVar

from crawler.core.frontier.base import NoParameters
from crawler.core.frontier.registry import strategy
from crawler.core.types import NOTHING, Expansion, Merge, PriorityChange, ScoredPage


@strategy(
    key="hard_focus",
    label="Hard focus",
    summary="Follows links only from pages whose best topic is a good one.",
)
class HardFocus:
    """Links of a page are followed if its best leaf, or an ancestor of it, is good.

    The paper leaves the order among them open; ours is the order of discovery.
    """

    merge: ClassVar[Merge] = Merge.MAX
    is_stateless: ClassVar[bool] = True

    def __init__(self, parameters: NoParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return tuple(PriorityChange(key, 0.0) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        if not page.is_on_topic:
            return NOTHING
        return Expansion(tuple([PriorityChange(link.key, 0.0) for link in page.links]))
