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
    """score(c, d) = bias(c) + temperature * (trust(d) * offset(c) + sum over t of x(d,t) * w(t,c)).

    x(d,t) = trust(d) * scale(t) * (1 + ln n(d,t)) / norm(d), with N the sum of 1 + ln n over the
    known words of d. The norm "length" is max(N, short_length)^(1 - length_exponent): evidence
    grows like N^length_exponent and not like N, which keeps long pages off 0 and 1; below
    `short_length` it grows like N, so that one word alone proves little. The norm "euclid" is the
    vector's length, for tf-idf.

    trust(d) = known_share^doubt_exponent, and for "euclid", whose norm forgets the length, times
    sqrt(N / short_length) where N is below it. It lowers the confidence and changes nothing else.

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
        trust = self.trust(counts)
        product = self._strengths(counts, trust) @ self.weights
        return np.asarray(product.toarray() + np.outer(trust, self.offset), dtype=np.float64)

    def term_strengths(self, counts: TermCounts) -> sparse.csr_matrix:
        """x(d,t) as documents x terms."""
        return self._strengths(counts, self.trust(counts))

    def trusted_strengths(self, counts: TermCounts) -> sparse.csr_matrix:
        """x(d,t) with full trust, as examples are taken in training."""
        return self._strengths(counts, np.ones(len(counts.lengths)))

    def trust(self, counts: TermCounts) -> FloatArray:
        """How much the documents' evidence counts, from 0 to 1."""
        trust = np.maximum(counts.known_share, 1e-3) ** self.doubt_exponent
        if self.norm == "euclid":
            known_length = _row_sums(dampened(counts.matrix))
            trust *= np.sqrt(np.minimum(known_length / self.short_length, 1.0))
        return np.asarray(trust)

    def _strengths(self, counts: TermCounts, trust: FloatArray) -> sparse.csr_matrix:
        strengths = dampened(counts.matrix)
        strengths.data *= self.scale[strengths.indices].astype(np.float32)
        factors = (trust / self._norms(strengths)).astype(np.float32)
        strengths.data *= np.repeat(factors, np.diff(strengths.indptr))
        return strengths

    def _norms(self, strengths: sparse.csr_matrix) -> FloatArray:
        if self.norm == "euclid":
            return np.maximum(np.sqrt(_row_sums(strengths.multiply(strengths))), 1e-12)
        known_length = _row_sums(strengths)
        return np.maximum(known_length, self.short_length) ** (1.0 - self.length_exponent)

    def with_temperature(self, temperature: float) -> "TopicScorer":
        return replace(self, temperature=temperature)


def _row_sums(matrix: sparse.csr_matrix) -> FloatArray:
    return np.asarray(matrix.sum(axis=1), dtype=np.float64).ravel()


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
