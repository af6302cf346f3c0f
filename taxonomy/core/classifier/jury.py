"""An independent jury for evaluation: three unlike classifiers, two of three decide.

It judges whether pages that a crawl fetched are really relevant, so it shares nothing with the
model that steered the crawl: a support vector machine, scikit-learn's complement naive Bayes and a
small neural net (Guan 2008, after Pant and Srinivasan).
"""

from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt
from scipy import sparse
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.feature_selection import SelectKBest, chi2
from sklearn.naive_bayes import ComplementNB
from sklearn.neural_network import MLPClassifier
from sklearn.svm import LinearSVC

from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.features import tokens

BoolArray = npt.NDArray[np.bool_]

VOTES_NEEDED = 2


class Jury:
    """Learns "under one of the good topics, or not" from examples of the whole tree."""

    def __init__(
        self, *, max_features: int = 5000, hidden: int = 24, epochs: int = 20, seed: int = 0
    ) -> None:
        self.max_features, self.hidden = max_features, hidden
        self.epochs, self.seed = epochs, seed

    def fit(self, examples: Sequence[TrainingExample], good: Iterable[Lineage]) -> Self:
        """Both kinds of example are needed; the rarer kind is repeated until they balance."""
        wanted = set(good)
        is_relevant = np.array([_is_under(example.lineage, wanted) for example in examples])
        if is_relevant.all() or not is_relevant.any():
            raise ValueError("a jury needs examples inside and outside the good topics")
        self.vectorizer_ = TfidfVectorizer(analyzer=tokens, sublinear_tf=True)
        strengths = self.vectorizer_.fit_transform([example.full_text for example in examples])
        most = min(self.max_features, strengths.shape[1])
        self.selection_ = SelectKBest(chi2, k=most).fit(strengths, is_relevant)
        chosen = balanced_rows(is_relevant)
        self._fit_members(self.selection_.transform(strengths)[chosen], is_relevant[chosen])
        return self

    def _fit_members(self, strengths: sparse.csr_matrix, is_relevant: BoolArray) -> None:
        self.svm_ = LinearSVC().fit(strengths, is_relevant)
        self.naive_bayes_ = ComplementNB().fit(strengths, is_relevant)
        self.net_ = MLPClassifier((self.hidden,), random_state=self.seed, learning_rate_init=0.01)
        for _ in range(self.epochs):
            self.net_.partial_fit(strengths, is_relevant, classes=[False, True])

    def votes(self, texts: Sequence[str]) -> BoolArray:
        """One row per text; columns: support vector machine, naive Bayes, neural net."""
        strengths = self.selection_.transform(self.vectorizer_.transform(texts))
        members = (self.svm_, self.naive_bayes_, self.net_)
        return np.column_stack([member.predict(strengths) for member in members])

    def is_relevant(self, texts: Sequence[str]) -> BoolArray:
        """At least two of three say so."""
        return np.asarray(self.votes(texts).sum(axis=1) >= VOTES_NEEDED)


def balanced_rows(is_relevant: BoolArray) -> npt.NDArray[np.int64]:
    """All rows, those of the rarer kind as often as it takes to reach half of the other kind."""
    inside, outside = np.flatnonzero(is_relevant), np.flatnonzero(~is_relevant)
    rare, frequent = sorted((inside, outside), key=len)
    repeats = max(1, len(frequent) // (2 * len(rare)))
    return np.concatenate((np.tile(rare, repeats), frequent))


def _is_under(lineage: Lineage, good: set[Lineage]) -> bool:
    return any(lineage[:depth] in good for depth in range(len(lineage) + 1))
