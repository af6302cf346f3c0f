"""The commonest words of the examples: what a text in their language cannot do without."""

from collections.abc import Iterable

import numpy as np

from taxonomy.core.classifier.counts import TopicCounts
from taxonomy.core.features import Vocabulary

COMMON_WORDS = 60


def common_words(vocabulary: Vocabulary, rows: Iterable[TopicCounts]) -> frozenset[str]:
    """The words that occur in most examples: "the", "of", "and" for English ones."""
    documents = np.zeros(len(vocabulary), dtype=np.int64)
    for row in rows:
        documents[row.terms] += row.documents
    return commonest(vocabulary, documents)


def commonest(vocabulary: Vocabulary, documents: np.ndarray) -> frozenset[str]:
    ranked = sorted(range(len(vocabulary)), key=lambda i: (-documents[i], vocabulary.words[i]))
    return frozenset(vocabulary.words[i] for i in ranked[:COMMON_WORDS])
