"""Soft focus rule (Chakrabarti 1999, section 3.1): links inherit the relevance of their page."""

from collections.abc import Sequence
from typing import ClassVar

from crawler.core.frontier.base import NoParameters
from crawler.core.frontier.registry import strategy
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage


@strategy(
    key="soft_focus",
    label="Soft focus",
    summary="Follows links of the most relevant pages first and rules out none.",
)
class SoftFocus:
    """priority(u) = max of R(d) over the fetched pages d that link to u."""

    merge: ClassVar[Merge] = Merge.MAX
    is_stateless: ClassVar[bool] = True

    def __init__(self, parameters: NoParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return tuple(PriorityChange(key, 1.0) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        inherited = page.priority_relevance
        return Expansion(tuple([PriorityChange(link.key, inherited) for link in page.links]))
