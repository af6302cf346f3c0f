"""Why a document was routed where it was: level by level, word by word, with honest doubts.

The effect of word t on the choice of child c among its siblings is the first-order share of the
log odds of c against the others: temperature * x(d,t) * (w(t,c) - mean of w(t,others)). An inner
topic of a mixture has the mean weight of its leaves, by how much each of them claims the document.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from taxonomy.core.classifier.base import TopicScorer
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.features import SHORTEST_WORD, FloatArray, IntArray, tokens
from taxonomy.core.routing import RankedTopic, Route, route, routed_columns

FEWEST_WORDS = 30
SHOWN_WORDS = 10
# Of English encyclopedia pages 99 in 100 have more than 0.24 of their words among the 60 commonest
# of the examples, and more than 0.83 in the vocabulary; of texts in eight other languages 0.09 to
# 0.55 were in the vocabulary.
SMALLEST_COMMON_SHARE = 0.12
SMALLEST_KNOWN_SHARE = 0.6


class Doubt(StrEnum):
    """Why a judgement deserves little trust."""

    TOO_SHORT = "too_short"
    NO_KNOWN_WORDS = "no_known_words"
    OTHER_LANGUAGE = "other_language"


@dataclass(frozen=True)
class WordEffect:
    word: str
    occurrences: int
    effect: float  # in units of log odds


@dataclass(frozen=True)
class Choice:
    """One step down: the children of `parent` by Pr[c|d, parent], and what moved the choice."""

    parent: Lineage
    children: tuple[RankedTopic, ...]
    chosen: Lineage
    words_for: tuple[WordEffect, ...]
    words_against: tuple[WordEffect, ...]


@dataclass(frozen=True)
class Explanation:
    route: Route
    toward: RankedTopic | None  # the topic asked for, if another than the routed one was
    choices: tuple[Choice, ...]
    length: int
    known_share: float
    unknown_words: tuple[tuple[str, int], ...]
    doubts: tuple[Doubt, ...]


def explain(scorer: TopicScorer, text: str, toward: Lineage | None = None) -> Explanation:
    """Explain the way down to the routed topic, or to `toward`."""
    counts = scorer.vocabulary.counts([text])
    evidence = scorer.evidence(counts)
    log_probabilities = scorer.tree.log_probabilities(scorer.sibling_scores(evidence))[0]
    if toward is None:
        way, asked = routed_columns(log_probabilities, scorer.tree), None
    else:
        way = scorer.tree.ancestry(scorer.tree.columns[toward])
        asked = RankedTopic(toward, float(np.exp(log_probabilities[scorer.tree.columns[toward]])))
    reader = _Reader(scorer, text, evidence[0], log_probabilities)
    return Explanation(
        route=route(log_probabilities, scorer.tree),
        toward=asked,
        choices=tuple(reader.choice(column) for column in way),
        length=int(counts.lengths[0]),
        known_share=float(counts.known_share[0]),
        unknown_words=unknown_words(scorer, text),
        doubts=doubts(scorer, text),
    )


def doubts(scorer: TopicScorer, text: str) -> tuple[Doubt, ...]:
    """Reasons for low confidence; empty for an ordinary page in the language of the examples."""
    words = [word for word in tokens(text) if len(word) >= SHORTEST_WORD]
    known = sum(word in scorer.vocabulary for word in words)
    common = sum(word in scorer.common_words for word in words)
    found = [Doubt.TOO_SHORT] if len(words) < FEWEST_WORDS else []
    if not known:
        return (*found, Doubt.NO_KNOWN_WORDS)
    is_strange = known < SMALLEST_KNOWN_SHARE * len(words)
    if is_strange and common < SMALLEST_COMMON_SHARE * len(words):
        found.append(Doubt.OTHER_LANGUAGE)
    return tuple(found)


def unknown_words(scorer: TopicScorer, text: str, most: int = 20) -> tuple[tuple[str, int], ...]:
    """The commonest words of the text that the model has never seen."""
    strange = Counter(
        word
        for word in tokens(text)
        if len(word) >= SHORTEST_WORD and word not in scorer.vocabulary
    )
    return tuple(strange.most_common(most))


class _Reader:
    """One document with its evidence, asked about one choice after the other."""

    def __init__(
        self, scorer: TopicScorer, text: str, evidence: FloatArray, log_probabilities: FloatArray
    ) -> None:
        self.scorer, self.tree = scorer, scorer.tree
        self.log_probabilities = log_probabilities
        self.own_scores = scorer.bias + scorer.temperature * evidence
        counts = scorer.vocabulary.counts([text])
        strengths = scorer.term_strengths(counts)
        self.terms, self.strengths = strengths.indices, strengths.data
        self.occurrences = counts.matrix.data.astype(np.int64)
        self.weights = scorer.weights[self.terms]

    def choice(self, chosen: int) -> Choice:
        parent = int(self.tree.parents[chosen])
        siblings = self.tree.children(parent)
        inside = np.exp(self.log_probabilities[siblings] - self.log_probabilities[parent])
        order = np.argsort(-inside, kind="stable")
        effects = self._effects(chosen, siblings, inside)
        return Choice(
            parent=self.tree.lineages[parent],
            children=tuple(
                RankedTopic(self.tree.lineages[siblings[i]], float(inside[i])) for i in order
            ),
            chosen=self.tree.lineages[chosen],
            words_for=self._strongest(effects),
            words_against=self._strongest(-effects, sign=-1),
        )

    def _effects(self, chosen: int, siblings: IntArray, inside: FloatArray) -> FloatArray:
        others, claims = siblings[siblings != chosen], inside[siblings != chosen]
        if not len(others):
            return np.zeros(len(self.terms))
        claims = (
            claims / claims.sum() if claims.sum() > 0 else np.full(len(others), 1 / len(others))
        )
        mean = sum(
            (claim * self._topic_weights(int(c)) for claim, c in zip(claims, others, strict=True)),
            start=np.zeros(len(self.terms)),
        )
        contrast = self._topic_weights(chosen) - mean
        return np.asarray(self.scorer.temperature * self.strengths * contrast)

    def _topic_weights(self, column: int) -> FloatArray:
        """w(t,c) of the document's terms; of a mixture, the mean over its parts."""
        if not self.scorer.is_mixture:
            return np.asarray(self.weights[:, [column]].toarray().ravel(), dtype=np.float64)
        parts = self.tree.subtree(column)
        scores = self.own_scores[parts]
        claims = np.exp(scores - scores.max())
        return np.asarray(self.weights[:, parts] @ (claims / claims.sum()))

    def _strongest(self, effects: FloatArray, sign: int = 1) -> tuple[WordEffect, ...]:
        order: Sequence[int] = np.argsort(-effects, kind="stable")[:SHOWN_WORDS].tolist()
        words = self.scorer.vocabulary.words
        return tuple(
            WordEffect(words[self.terms[i]], int(self.occurrences[i]), sign * float(effects[i]))
            for i in order
            if effects[i] > 0
        )
