"""How often a crawl is right when it calls a page relevant, by a random sample; and how far people
agree.

Pages that were chosen for being hard or odd say nothing about the others, so they never count
here. The sample is drawn once for a model, in an order of chance: whoever labels its first k pages
has labelled a random sample of k.
"""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from crawler.core.intervals import wilson_interval

Drawn = TypeVar("Drawn")


def drawn(population: Sequence[Drawn], size: int, seed: int) -> list[Drawn]:
    """Uniformly, without replacement, in an order of chance; the same for the same seed."""
    return random.Random(seed).sample(population, min(size, len(population)))  # noqa: S311 # a sample


@dataclass(frozen=True)
class Precision:
    """Of the pages called relevant, the share that people find useful."""

    useful: int
    labelled: int
    asked: int  # pages of the sample that shall be labelled
    population: int  # from which they were drawn

    @property
    def is_whole(self) -> bool:
        """All that the crawl called relevant are labelled: nothing is left to chance."""
        return self.labelled == self.population

    @property
    def share(self) -> float:
        return self.useful / self.labelled if self.labelled else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """Wilson's, at 95 %."""
        if self.is_whole and self.labelled:
            return self.share, self.share
        return wilson_interval(self.useful, self.labelled)

    @property
    def words(self) -> str:
        counted = f"({self.labelled} of {self.asked} labelled)"
        if not self.labelled:
            return f"How many of the pages that the crawl calls relevant are is not known {counted}"
        low, high = self.interval
        if self.is_whole:
            return f"Of the pages the crawl calls relevant, {low:.0%} are {counted}".replace(
                "%", " %"
            )
        between = f"between {low:.0%} and {high:.0%} are {counted}".replace("%", " %")
        return f"Of the pages the crawl calls relevant, {between}"


@dataclass(frozen=True)
class Agreement:
    """Of pairs of labels that different people gave to the same page."""

    pages: int
    same: int
    pairs: int
    kappa: float | None  # beyond chance (Scott 1955); none where all labels are alike

    @property
    def share(self) -> float:
        return self.same / self.pairs if self.pairs else 0.0


def agreement_of(pages: Iterable[tuple[int, int]]) -> Agreement:
    """`pages`: how many called each useful, and how many not.

    kappa = (P_o - P_e) / (1 - P_e): P_o is the share of pairs that agree, P_e what it would be if
    all had drawn their labels from one urn with as many useful ones as there are.
    """
    counted = [(useful, not_useful) for useful, not_useful in pages if useful + not_useful > 1]
    same = sum(_pairs(useful) + _pairs(not_useful) for useful, not_useful in counted)
    pairs = sum(_pairs(useful + not_useful) for useful, not_useful in counted)
    labels = sum(useful + not_useful for useful, not_useful in counted)
    useful_share = sum(useful for useful, _ in counted) / labels if labels else 0.0
    by_chance = useful_share**2 + (1.0 - useful_share) ** 2
    kappa = None
    if pairs and by_chance < 1.0:
        kappa = (same / pairs - by_chance) / (1.0 - by_chance)
    return Agreement(len(counted), same, pairs, kappa)


def _pairs(people: int) -> int:
    return people * (people - 1) // 2
