"""What the classifier makes of pages and of the words around links, for one focus.

Links are judged by the softmax over the topics' own scores, R = sum over wanted of e^s / sum over
all of e^s. For a mixture model that is the hierarchical formula itself, as the sums of the inner
topics cancel; it spares the passes over the levels, which for 45 links a page cost more than
everything else. A context has about twenty words, too few for a model that doubts texts under fifty
words: they are judged as if a text of `CONTEXT_WORDS` words were a whole page.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crawler.core.types import Lineage
from crawler.core.wordbook import Numbered, WordBook
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.classifier.base import TopicScorer, outermost
from taxonomy.core.classifier.tree_index import NO_EVIDENCE, columns_of
from taxonomy.core.features import TermCounts

CONTEXT_WORDS = 10.0
DENSE_BYTES = 256 * 1024 * 1024
NEAREST_DOMAINS = 2  # k of Jamali 2006


@dataclass(frozen=True, slots=True)
class Verdict:
    """Of one page."""

    relevance: float
    priority_relevance: float
    topic: Lineage  # c*, the most probable leaf
    topic_probability: float
    is_on_topic: bool
    content_similarity: float


class PageJudge:
    """Judges for a set of good topics, and of pass-through topics that count for priority only."""

    def __init__(
        self,
        scorer: TopicScorer,
        good: Sequence[Lineage],
        pass_through: Sequence[Lineage] = (),
        domains: Sequence[Sequence[str]] = (),
    ) -> None:
        self.scorer = scorer
        self.book = WordBook(scorer.vocabulary)
        self.wanted = [*good, *pass_through]
        tree = scorer.tree
        missing = [topic for topic in self.wanted if topic not in tree.columns]
        if missing or not good:
            named = ", ".join("/" + "/".join(topic) for topic in missing) or "no good topic"
            raise FocusAdminError(f"The model does not know {named}. Train it again.")
        self._good = columns_of(tree, outermost(good))
        self._wanted = columns_of(tree, outermost(self.wanted))
        self._leaves = np.flatnonzero(tree.is_leaf)
        self._domains = self._domain_matrix(domains)
        self._contexts = _ContextJudge(scorer, self._wanted)

    def pages(self, texts: Sequence[str]) -> list[Verdict]:
        """One verdict for each text."""
        return self.verdicts(self.book.numbered(text.split() for text in texts))

    def contexts(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """How relevant the words around each link are, for priority."""
        return self.around(self.book.numbered(text.split() for text in texts))

    def verdicts(self, texts: Numbered) -> list[Verdict]:
        """R(d) = sum over good c of Pr[c|d] (1999 paper, section 2.1), the best leaf, and so on."""
        counts = self.book.counts(texts)
        probabilities = np.exp(self.scorer.log_probabilities(counts))
        relevance = np.minimum(probabilities[:, self._good].sum(axis=1), 1.0)
        priority = np.minimum(probabilities[:, self._wanted].sum(axis=1), 1.0)
        best = self._leaves[np.argmax(probabilities[:, self._leaves], axis=1)]
        similarity = self._similarity(counts)
        return [
            Verdict(
                float(relevance[row]),
                float(priority[row]),
                self.scorer.tree.lineages[column],
                float(probabilities[row, column]),
                self._is_wanted(self.scorer.tree.lineages[column]),
                float(similarity[row]),
            )
            for row, column in enumerate(best)
        ]

    def around(self, texts: Numbered) -> npt.NDArray[np.float32]:
        """The same for words that have numbers already."""
        if len(texts.ends) == 1:
            return np.zeros(0, dtype=np.float32)
        return self._contexts.relevance(self.book.counts(texts))

    def _is_wanted(self, leaf: Lineage) -> bool:
        return any(leaf[: len(topic)] == topic for topic in self.wanted)

    def _domain_matrix(self, domains: Sequence[Sequence[str]]) -> sparse.csr_matrix:
        vocabulary = self.scorer.vocabulary
        known = [
            (vocabulary.column(word), number)
            for number, words in enumerate(domains)
            for word in dict.fromkeys(words)
            if word in vocabulary
        ]
        places = (np.array([c for c, _ in known], int), np.array([n for _, n in known], int))
        shape = (len(vocabulary), max(len(domains), 1))
        return sparse.csr_matrix((np.ones(len(known)), places), shape=shape)

    def _similarity(self, counts: TermCounts) -> npt.NDArray[np.float64]:
        """Mean of the k = 2 largest |V_i and S| / |S| (Jamali 2006), S the page's known terms."""
        terms = counts.matrix.astype(bool).astype(np.float64)
        shared = np.sort((terms @ self._domains).toarray(), axis=1)[:, -NEAREST_DOMAINS:]
        size = np.maximum(np.diff(terms.indptr), 1)
        return np.asarray(shared.mean(axis=1) / size, dtype=np.float64)


class _ContextJudge:
    """The classifier for very short texts, in single precision."""

    def __init__(self, scorer: TopicScorer, wanted: npt.NDArray[np.int64]) -> None:
        self._scorer = replace(scorer, short_length=CONTEXT_WORDS)
        self._columns = wanted
        self._is_flat = scorer.is_mixture
        if not self._is_flat:
            return
        seen = np.flatnonzero(scorer.bias > NO_EVIDENCE / 2)
        inside = np.unique(np.concatenate([scorer.tree.subtree(int(c)) for c in wanted]))
        self._is_wanted = np.isin(seen, inside)
        self._bias = scorer.bias[seen].astype(np.float32)
        weights = scorer.weights[:, seen].astype(np.float32)
        is_small = weights.shape[0] * weights.shape[1] * 4 <= DENSE_BYTES
        self._weights = weights.toarray() if is_small else weights

    def relevance(self, counts: TermCounts) -> npt.NDArray[np.float32]:
        if not self._is_flat:
            logs = self._scorer.log_probabilities(counts)[:, self._columns]
            return np.asarray(np.minimum(np.exp(logs).sum(axis=1), 1.0), dtype=np.float32)
        product = self._scorer.term_strengths(counts).astype(np.float32) @ self._weights
        scores = product.toarray() if sparse.issparse(product) else product
        scores *= np.float32(self._scorer.temperature)
        scores += self._bias
        scores -= scores.max(axis=1, keepdims=True)
        np.exp(scores, out=scores)
        share = scores[:, self._is_wanted].sum(axis=1) / scores.sum(axis=1)
        return np.asarray(share, dtype=np.float32)
