"""Link-context prediction (Guan 2008, equation 9; after Pant and Srinivasan 2006)."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

from crawler.core.frontier.checks import require_between
from crawler.core.frontier.link_scores import link_score
from crawler.core.frontier.registry import strategy
from crawler.core.types import Expansion, Merge, PriorityChange, ScoredPage


@dataclass(frozen=True)
class LinkContextParameters:
    """How much the page counts against the words around the link."""

    beta: float = field(
        default=0.25,
        metadata={
            "label": "Weight of the page",
            "help": "1 looks at the whole page only, 0 only at the words around the link.",
        },
    )

    def __post_init__(self) -> None:
        require_between("beta", self.beta, 0, 1)


@strategy(
    key="link_context",
    label="Link context",
    summary="Weighs the words around each link together with the page that carries it.",
    parameters=LinkContextParameters,
)
class LinkContext:
    """priority(u) = max over links to u of beta * R(page) + (1 - beta) * R(context)."""

    merge: ClassVar[Merge] = Merge.MAX
    is_stateless: ClassVar[bool] = True

    def __init__(self, parameters: LinkContextParameters, seed: int) -> None:
        self.parameters, self.seed = parameters, seed

    def start(self, keys: Sequence[int]) -> Sequence[PriorityChange]:
        return tuple(PriorityChange(key, 1.0) for key in keys)

    def learn(self, page: ScoredPage) -> Expansion:
        relevance, beta = page.priority_relevance, self.parameters.beta
        return Expansion(
            tuple(
                [
                    PriorityChange(link.key, link_score(relevance, link.context_relevance, beta))
                    for link in page.links
                ]
            )
        )
