"""What every topic model promises, and the serving half that all of them share.

A fitted model is one weight matrix (terms x topics) and one bias per topic. A batch of documents
costs one sparse product and one normalisation per level of the tree, whatever the model was.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol, Self

import numpy as np
from scipy import sparse

from taxonomy.core.classifier.tree_index import Lineage, TreeIndex, columns_of
from taxonomy.core.features import FloatArray, TermCounts, Vocabulary, dampened

Norm = Literal["length", "euclid"]


@dataclass(frozen=True)
class TrainingExample:
    """A text known to belong to a topic; weight 2 counts as two such texts."""

    lineage: Lineage
    text: str
    title: str = ""
    weight: float = 1.0
    is_page: bool = True  # False: a topic's own description or word list, never held out

    @property
    def full_text(self) -> str:
        return f"{self.title}\n{self.text}"


@dataclass(frozen=True)
class Judgement:
    """What a model thinks of a batch: one row per document, one column per topic of the tree."""

    log_probabilities: FloatArray
    counts: TermCounts

    @property
    def probabilities(self) -> FloatArray:
        return np.exp(self.log_probabilities)


@dataclass(frozen=True)
class TopicScorer:
    """score(c, d) = bias(c) + temperature * (offset(c) + sum over t of x(d,t) * weights(t,c)).

    x(d,t) = scale(t) * (1 + ln n(d,t)) / norm(d). The norm "length" is N^(1 - length_exponent) over
    known_share^doubt_exponent, N being the sum of 1 + ln n, at least `short_length`: evidence grows
    like N^length_exponent and not like N, which keeps long pages off 0 and 1; below `short_length`
    it grows like N, so that one word alone proves little; and unknown words lower the confidence
    and change nothing else. The norm "euclid" is the vector's length, for tf-idf.

    With `is_mixture` a column's score is the topic's own (usually a leaf's) and an inner topic is
    the sum over its subtree; without, columns are compared among siblings only.
    """

    kind: str
    tree: TreeIndex
    vocabulary: Vocabulary
    weights: sparse.csr_matrix  # terms x topics
    bias: FloatArray  # log prior, or NO_EVIDENCE
    offset: FloatArray  # intercept of a linear model
    scale: FloatArray
    common_words: frozenset[str]  # of the examples' language, see explain.py
    is_mixture: bool = True
    norm: Norm = "length"
    temperature: float = 1.0
    length_exponent: float = 0.25
    short_length: float = 50.0
    doubt_exponent: float = 1.5

    def judge(self, texts: Sequence[str]) -> Judgement:
        counts = self.vocabulary.counts(texts)
        return Judgement(self.log_probabilities(counts), counts)

    def log_probabilities(self, counts: TermCounts) -> FloatArray:
        return self.tree.log_probabilities(self.scores(counts))

    def scores(self, counts: TermCounts) -> FloatArray:
        """Score of each topic, comparable among siblings."""
        return self.sibling_scores(self.evidence(counts))

    def sibling_scores(self, evidence: FloatArray) -> FloatArray:
        own = self.bias + self.temperature * evidence
        return self.tree.mixture_scores(own) if self.is_mixture else own

    def evidence(self, counts: TermCounts) -> FloatArray:
        """The sparse product, before temperature and bias."""
        product = self.term_strengths(counts) @ self.weights
        return np.asarray(product.toarray() + self.offset, dtype=np.float64)

    def term_strengths(self, counts: TermCounts) -> sparse.csr_matrix:
        """x(d,t) as documents x terms."""
        strengths = dampened(counts.matrix)
        strengths.data *= self.scale[strengths.indices].astype(np.float32)
        rows = np.diff(strengths.indptr)
        strengths.data /= np.repeat(self._norms(strengths, counts), rows).astype(np.float32)
        return strengths

    def _norms(self, strengths: sparse.csr_matrix, counts: TermCounts) -> FloatArray:
        if self.norm == "euclid":
            squares = strengths.multiply(strengths).sum(axis=1)
            return np.maximum(np.sqrt(np.asarray(squares, dtype=np.float64).ravel()), 1e-12)
        known_length = np.asarray(strengths.sum(axis=1), dtype=np.float64).ravel()
        length = np.maximum(known_length, self.short_length) ** (1.0 - self.length_exponent)
        return np.asarray(length / np.maximum(counts.known_share, 1e-3) ** self.doubt_exponent)

    def with_temperature(self, temperature: float) -> "TopicScorer":
        return replace(self, temperature=temperature)


class TopicModel(Protocol):
    """A trainer: the constructor remembers, `fit` learns, `scorer_` serves."""

    scorer_: TopicScorer

    def fit(self, examples: Sequence[TrainingExample], topics: Iterable[Lineage]) -> Self: ...


def outermost(good: Iterable[Lineage]) -> list[Lineage]:
    """`good` without topics that lie under another of them."""
    chosen = set(good)
    return sorted(t for t in chosen if not any(t[:depth] in chosen for depth in range(len(t))))


def relevance(judgement: Judgement, tree: TreeIndex, good: Iterable[Lineage]) -> FloatArray:
    """R(d) = sum over good topics c of Pr[c|d] (section 2.1.2 of the 1999 paper)."""
    columns = columns_of(tree, outermost(good))
    total = np.exp(judgement.log_probabilities[:, columns]).sum(axis=1)
    return np.asarray(np.minimum(total, 1.0))
