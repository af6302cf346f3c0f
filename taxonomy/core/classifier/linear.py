"""Linear models over a topic tree: logistic regression and support vector machine on tf-idf.

`compare="siblings"` fits one model per inner topic (its children are the classes);
`compare="leaves"` fits all topics with examples at once and sums leaves up to their ancestors. Both
end in the same stacked weights as naive Bayes, with a temperature fitted on held-out pages.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, Self

import numpy as np
from scipy import sparse

from taxonomy.core.classifier.base import TopicScorer, TrainingExample
from taxonomy.core.classifier.calibration import fitted_temperature, held_out_folds
from taxonomy.core.classifier.language import commonest
from taxonomy.core.classifier.naive_bayes import Comparison
from taxonomy.core.classifier.siblings import subtree_membership
from taxonomy.core.classifier.tree_index import NO_EVIDENCE, Lineage, TreeIndex, columns_of
from taxonomy.core.features import FloatArray, IntArray, Vocabulary, documents_with_term

Kind = Literal["logistic", "svm"]

CALIBRATION_FOLDS = 4


class LinearTopics:
    """One linear decision per topic; slower to train than naive Bayes, and not incremental."""

    def __init__(
        self,
        *,
        kind: Kind = "svm",
        compare: Comparison = "leaves",
        penalty: float = 1.0,
        smallest_weight: float = 0.01,
        temperature: float = 8.0,
        short_length: float = 20.0,
        is_calibrated: bool = True,
    ) -> None:
        self.kind, self.compare, self.penalty = kind, compare, penalty
        self.smallest_weight, self.temperature = smallest_weight, temperature
        self.short_length, self.is_calibrated = short_length, is_calibrated

    def fit(self, examples: Sequence[TrainingExample], topics: Iterable[Lineage]) -> Self:
        """Fit all decisions, then the temperature on one held-out quarter of the pages."""
        tree = TreeIndex.of([*topics, *(example.lineage for example in examples)])
        texts = [example.full_text for example in examples]
        untrained = self._untrained(tree, texts)
        strengths = untrained.trusted_strengths(untrained.vocabulary.counts(texts))
        columns = columns_of(tree, [example.lineage for example in examples])
        weights = np.array([example.weight for example in examples])
        self.scorer_ = self._trained(untrained, strengths, columns, weights)
        if self.is_calibrated:
            self._calibrate(examples, tree.lineages)
        return self

    def _untrained(self, tree: TreeIndex, texts: Sequence[str]) -> TopicScorer:
        vocabulary = Vocabulary().grown(texts)
        documents = documents_with_term(vocabulary.counts(texts).matrix)
        return TopicScorer(
            kind=self.kind,
            tree=tree,
            vocabulary=vocabulary,
            weights=sparse.csr_matrix((len(vocabulary), len(tree)), dtype=np.float32),
            bias=np.full(len(tree), NO_EVIDENCE),
            offset=np.zeros(len(tree)),
            scale=np.log((1 + len(texts)) / (1 + documents)) + 1.0,
            common_words=commonest(vocabulary, documents),
            is_mixture=self.compare == "leaves",
            norm="euclid",
            short_length=self.short_length,
            temperature=self.temperature,
        )

    def _trained(
        self, untrained: TopicScorer, strengths: sparse.csr_matrix, columns: IntArray, w: FloatArray
    ) -> TopicScorer:
        tree = untrained.tree
        dense = np.zeros((len(untrained.vocabulary), len(tree)), dtype=np.float32)
        bias, offset = untrained.bias.copy(), untrained.offset.copy()
        for classes in self._decisions(tree, columns):
            chosen = classes >= 0
            present = np.unique(classes[chosen])
            bias[present] = 0.0
            if len(present) > 1:
                found = self._decision(strengths[chosen], classes[chosen], w[chosen])
                dense[:, present], offset[present] = found
        dense[np.abs(dense) < self.smallest_weight] = 0.0
        return replace(untrained, weights=sparse.csr_matrix(dense), bias=bias, offset=offset)

    def _decisions(self, tree: TreeIndex, columns: IntArray) -> Iterable[IntArray]:
        """Each example's class in one decision; -1 where it takes no part."""
        if self.compare == "leaves":
            yield columns
            return
        within = subtree_membership(tree)
        for parent in np.flatnonzero(~tree.is_leaf):
            class_of = np.full(len(tree), -1, dtype=np.int64)
            for child in tree.children(int(parent)):
                class_of[within[[child]].indices] = child
            yield class_of[columns]

    def _decision(
        self, strengths: sparse.csr_matrix, classes: IntArray, weights: FloatArray
    ) -> tuple[FloatArray, FloatArray]:
        """Weights (terms x classes) and offsets; two classes share one plane.

        Words that none of these examples has get no weight, so they are left out of the fit.
        """
        # Here and not above: it takes a second to import, which every command would pay.
        from sklearn.linear_model import LogisticRegression
        from sklearn.svm import LinearSVC

        if self.kind == "svm":
            model = LinearSVC(C=self.penalty)
        else:
            model = LogisticRegression(C=10.0 * self.penalty, max_iter=300, tol=1e-3)
        words = np.unique(strengths.indices)
        model.fit(strengths[:, words], classes, sample_weight=weights)
        plane, offset = np.zeros((len(model.coef_), strengths.shape[1])), model.intercept_
        plane[:, words] = model.coef_
        if len(model.classes_) == 2:
            plane, offset = np.vstack((-plane, plane)) / 2, np.hstack((-offset, offset)) / 2
        return plane.T, offset

    def _calibrate(self, examples: Sequence[TrainingExample], topics: Iterable[Lineage]) -> None:
        folds = held_out_folds(
            self._without_calibration, examples, topics, folds=CALIBRATION_FOLDS, tried=1
        )
        found = fitted_temperature(folds, otherwise=self.temperature)
        self.scorer_ = self.scorer_.with_temperature(found)

    def _without_calibration(self) -> "LinearTopics":
        return LinearTopics(**{**self.parameters(), "is_calibrated": False})

    def parameters(self) -> dict[str, Any]:
        """The constructor's arguments, for the registry of models."""
        return {name: value for name, value in vars(self).items() if not name.endswith("_")}
