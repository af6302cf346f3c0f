"""One temperature for a model, fitted on pages it has not seen.

Raw naive Bayes multiplies the same evidence over and over and lands at 0 and 1. Scores are divided
by a power of the length (see `TopicScorer`) and scaled by a temperature that makes held-out pages
most likely: the temperature is the argument that minimises the mean of -ln Pr[true topic|d].
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from taxonomy.core.classifier.base import TopicModel, TopicScorer, TrainingExample
from taxonomy.core.classifier.tree_index import NO_EVIDENCE, Lineage, columns_of
from taxonomy.core.features import FloatArray, IntArray

FEWEST_PAGES = 20  # with fewer held-out pages a model keeps the temperature it came with
NEVER_HELD_OUT = -1
_LOG_RANGE = (-3.0, 7.0)


@dataclass(frozen=True)
class HeldOutFold:
    """A model and the pages that it was not shown."""

    scorer: TopicScorer
    pages: Sequence[TrainingExample]


def fold_numbers(examples: Sequence[TrainingExample], folds: int) -> IntArray:
    """Spread each topic's pages over the folds, by their text and so whatever their order."""
    pages: dict[Lineage, list[int]] = defaultdict(list)
    for position, example in enumerate(examples):
        if example.is_page:
            pages[example.lineage].append(position)
    numbers = np.full(len(examples), NEVER_HELD_OUT, dtype=np.int64)
    for positions in pages.values():
        by_text = sorted(positions, key=lambda position: examples[position].full_text)
        numbers[by_text] = np.arange(len(by_text)) % folds
    return numbers


def held_out_folds(
    make_model: Callable[[], TopicModel],
    examples: Sequence[TrainingExample],
    topics: Iterable[Lineage],
    *,
    folds: int,
    tried: int | None = None,
) -> Iterator[HeldOutFold]:
    """Train without each of the first `tried` folds in turn (all of them unless told)."""
    numbers, lineages = fold_numbers(examples, folds), list(topics)
    for fold in range(folds if tried is None else tried):
        kept = [e for e, number in zip(examples, numbers, strict=True) if number != fold]
        pages = [e for e, number in zip(examples, numbers, strict=True) if number == fold]
        if pages and kept:
            yield HeldOutFold(make_model().fit(kept, lineages).scorer_, pages)


def fitted_temperature(folds: Iterable[HeldOutFold], otherwise: float) -> float:
    """The temperature that makes the held-out pages' own topics most likely."""
    measured = [(fold.scorer, *_evidence(fold)) for fold in folds]
    if sum(len(columns) for _, _, columns in measured) < FEWEST_PAGES:
        return otherwise

    def loss(log_temperature: float) -> float:
        at = float(np.exp(log_temperature))
        losses = [_losses(scorer.with_temperature(at), e, c) for scorer, e, c in measured]
        return float(np.concatenate(losses).mean())

    from scipy.optimize import minimize_scalar  # dear to import, and only training needs it

    found = minimize_scalar(loss, bounds=_LOG_RANGE, method="bounded", options={"xatol": 0.02})
    return float(np.exp(found.x))


def _evidence(fold: HeldOutFold) -> tuple[FloatArray, IntArray]:
    """Evidence and true column of the pages whose topic the fold's model has seen elsewhere."""
    scorer = fold.scorer
    columns = columns_of(scorer.tree, [page.lineage for page in fold.pages])
    evidence = scorer.evidence(scorer.vocabulary.counts([page.full_text for page in fold.pages]))
    has_evidence = scorer.bias[columns] > NO_EVIDENCE / 2
    return evidence[has_evidence], columns[has_evidence]


def _losses(scorer: TopicScorer, evidence: FloatArray, columns: IntArray) -> FloatArray:
    log_probabilities = scorer.tree.log_probabilities(scorer.sibling_scores(evidence))
    return -log_probabilities[np.arange(len(columns)), columns]
