"""Naive Bayes over a topic tree (section 3.1 of the 1999 paper), with exact incremental counts.

theta(c,t) = (1 - s) n(c,t)/n(c) + s b(t): a topic's own word shares, smoothed with a background
b(t) that is part mean of all topics, part uniform. Divided by s b(t), which is the same for all
topics and cancels, the weight of a word is

    w(t,c) = ln(1 + (1 - s)/s * n(c,t) / (n(c) b(t)))

which is 0 for a word the topic has never seen: the weights are sparse and unseen words are neutral.

`compare="leaves"` (the default) takes an inner topic for the mixture of its subtopics,
Pr[d|c] = sum over leaves l under c of Pr[l|c] Pr[d|l]. `compare="siblings"` is the paper's form:
the examples of a whole subtree are pooled and every inner topic selects its own features. Trained
on the shipped tree and shown encyclopedia pages, the mixture finds the top topic of 87 %, the
pooled form of 79 %: "Arts" is not one vocabulary but eleven (docs/classifier.md has the table).
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

from taxonomy.core.classifier.base import TopicScorer, TrainingExample
from taxonomy.core.classifier.calibration import fitted_temperature, held_out_folds
from taxonomy.core.classifier.counts import TopicCounts, example_shares, stacked
from taxonomy.core.classifier.language import common_words
from taxonomy.core.classifier.siblings import pooled_log_ratios
from taxonomy.core.classifier.tree_index import NO_EVIDENCE, Lineage, TreeIndex, columns_of
from taxonomy.core.features import FloatArray, Vocabulary

Comparison = Literal["leaves", "siblings"]
Prior = Literal["uniform", "examples"]


class HierarchicalNaiveBayes:
    """The product's default model: trains in about a second, learns one example in milliseconds."""

    def __init__(
        self,
        *,
        smoothing: float = 0.9,
        uniform_share: float = 0.6,
        length_exponent: float = 0.25,
        compare: Comparison = "leaves",
        prior: Prior = "uniform",
        max_features: int = 20_000,
        temperature: float = 12.0,
        calibration_folds: int = 4,
    ) -> None:
        self.smoothing, self.uniform_share = smoothing, uniform_share
        self.length_exponent, self.temperature = length_exponent, temperature
        self.compare, self.prior, self.max_features = compare, prior, max_features
        self.calibration_folds = calibration_folds

    def fit(self, examples: Sequence[TrainingExample], topics: Iterable[Lineage]) -> Self:
        """Count all examples; then fit the temperature on held-out pages if folds are wanted."""
        lineages = [*topics, *(example.lineage for example in examples)]
        self.tree_ = TreeIndex.of(lineages)
        self.vocabulary_ = Vocabulary()
        self.counts_ = {lineage: TopicCounts() for lineage in self.tree_.lineages}
        self.temperature_ = self.temperature
        self._count(examples)
        self._renew_scorer()
        if self.calibration_folds:
            self._calibrate(examples)
        return self

    def add(self, example: TrainingExample) -> None:
        """Learn one more example; its topic must be in the tree. The temperature stays."""
        self.change(added=[example])

    def remove(self, example: TrainingExample) -> None:
        """Forget an example that was learned before, and the words that only it had."""
        self.change(removed=[example])

    def move(self, example: TrainingExample, to: Lineage) -> None:
        """Only the counts on the two lineages change."""
        self.change(removed=[example], added=[replace(example, lineage=to)])

    def change(
        self,
        *,
        added: Sequence[TrainingExample] = (),
        removed: Sequence[TrainingExample] = (),
    ) -> None:
        """Any number of the above at the price of one."""
        columns_of(self.tree_, [each.lineage for each in (*added, *removed)])  # all or nothing
        self._uncount(removed)
        self._count(added)
        if removed:
            self._forget_unused_words()
        self._renew_scorer()

    def _count(self, examples: Sequence[TrainingExample]) -> None:
        texts = [example.full_text for example in examples]
        self.vocabulary_ = self.vocabulary_.grown(texts)
        for counts, shares, weight in self._by_topic(examples):
            counts.add(shares, weight)

    def _uncount(self, examples: Sequence[TrainingExample]) -> None:
        for counts, shares, weight in self._by_topic(examples):
            counts.remove(shares, weight)

    def _by_topic(
        self, examples: Sequence[TrainingExample]
    ) -> Iterator[tuple[TopicCounts, sparse.csr_matrix, float]]:
        """A topic's counts beside the word shares of those examples that concern them."""
        texts = [example.full_text for example in examples]
        shares = example_shares(self.vocabulary_.counts(texts).matrix)
        places: dict[tuple[Lineage, float], list[int]] = defaultdict(list)
        for place, example in enumerate(examples):
            places[example.lineage, example.weight].append(place)
        for (lineage, weight), rows in sorted(places.items()):
            yield self.counts_[lineage], shares[rows], weight

    def _forget_unused_words(self) -> None:
        is_used = np.zeros(len(self.vocabulary_), dtype=bool)
        for counts in self.counts_.values():
            is_used[counts.terms] = True
        if is_used.all():
            return
        columns = np.cumsum(is_used) - 1
        for counts in self.counts_.values():
            counts.terms = columns[counts.terms]
        kept = zip(self.vocabulary_.words, is_used, strict=True)
        self.vocabulary_ = Vocabulary(word for word, used in kept if used)

    def _renew_scorer(self) -> None:
        rows = list(self.counts_.values())
        mass, documents = stacked(rows, len(self.vocabulary_))
        ratios, has_evidence = self._log_ratios(mass, documents)
        self.scorer_ = TopicScorer(
            kind="naive_bayes",
            tree=self.tree_,
            vocabulary=self.vocabulary_,
            weights=sparse.csr_matrix(ratios.T, dtype=np.float32),
            bias=np.where(has_evidence, self._log_prior(has_evidence), NO_EVIDENCE),
            offset=np.zeros(len(self.tree_)),
            scale=np.ones(len(self.vocabulary_)),
            common_words=common_words(self.vocabulary_, rows),
            is_mixture=self.compare == "leaves",
            temperature=self.temperature_,
            length_exponent=self.length_exponent,
        )

    def _log_ratios(
        self, mass: sparse.csr_matrix, documents: np.ndarray
    ) -> tuple[sparse.csr_matrix, np.ndarray]:
        odds = (1.0 - self.smoothing) / self.smoothing
        if self.compare == "siblings":
            return pooled_log_ratios(
                self.tree_, mass, documents, self._examples_per_topic(), odds, self.max_features
            )
        return leaf_log_ratios(mass, odds, self.uniform_share), np.diff(mass.indptr) > 0

    def _examples_per_topic(self) -> FloatArray:
        return np.array([float(counts.examples) for counts in self.counts_.values()])

    def _log_prior(self, has_evidence: np.ndarray) -> FloatArray:
        """Equal for all columns, or by example counts (smoothed by one)."""
        if self.prior == "uniform":
            return np.zeros(len(has_evidence))
        examples = self._examples_per_topic()
        if self.compare == "siblings":
            examples = np.array(
                [examples[self.tree_.subtree(i)].sum() for i in range(len(examples))]
            )
        return np.asarray(np.log(examples + 1.0))

    def _calibrate(self, examples: Sequence[TrainingExample]) -> None:
        folds = held_out_folds(
            self._without_calibration, examples, self.tree_.lineages, folds=self.calibration_folds
        )
        self.temperature_ = fitted_temperature(folds, otherwise=self.temperature)
        self.scorer_ = self.scorer_.with_temperature(self.temperature_)

    def _without_calibration(self) -> "HierarchicalNaiveBayes":
        return HierarchicalNaiveBayes(**{**self.parameters(), "calibration_folds": 0})

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments, for the registry of models."""
        return {name: value for name, value in vars(self).items() if not name.endswith("_")}


def leaf_log_ratios(
    mass: sparse.csr_matrix, odds: float, uniform_share: float
) -> sparse.csr_matrix:
    """ln(1 + odds * share(c,t) / b(t)), b = mean of the topics' shares mixed with uniform."""
    shares = with_unit_rows(mass)
    topics = max(int((np.diff(mass.indptr) > 0).sum()), 1)
    mean = np.bincount(shares.indices, weights=shares.data, minlength=mass.shape[1]) / topics
    seen = max(int((mean > 0).sum()), 1)
    background = (1.0 - uniform_share) * mean + uniform_share / seen
    shares.data = np.log1p(odds * shares.data / background[shares.indices])
    return shares


def with_unit_rows(mass: sparse.csr_matrix) -> sparse.csr_matrix:
    """n(c,t)/n(c); a topic without examples stays an empty row."""
    totals = np.asarray(mass.sum(axis=1)).ravel()
    data = mass.data / np.repeat(np.maximum(totals, 1e-300), np.diff(mass.indptr))
    return sparse.csr_matrix((data, mass.indices, mass.indptr), shape=mass.shape)
