"""The words by which a model tells a topic from its siblings, whatever the text.

distinction(t, c) = scale(t) * (w(t,c) - mean over siblings s of w(t,s)), the same contrast as in
explain.py without a document. An inner topic of a mixture has the mean weight of its parts that
have evidence; one sparse product gives all words at once.
"""

import numpy as np

from taxonomy.core.classifier.base import TopicScorer
from taxonomy.core.classifier.tree_index import NO_EVIDENCE, Lineage, TreeIndex
from taxonomy.core.features import FloatArray, IntArray

WORDS_SHOWN = 24


def telling_words(scorer: TopicScorer, topic: Lineage, most: int = WORDS_SHOWN) -> list[str]:
    """The most distinctive first; nothing for a topic the model can't tell from its siblings."""
    column = scorer.tree.columns.get(topic)
    if column is None or not topic:
        return []
    shares = _shares(scorer, column)
    if shares is None:
        return []
    distinction = scorer.scale * (scorer.weights @ shares)
    order = np.argsort(-distinction, kind="stable")[:most].tolist()
    return [scorer.vocabulary.words[term] for term in order if distinction[term] > 0]


def _shares(scorer: TopicScorer, column: int) -> FloatArray | None:
    """How much each column of the weights counts: for the topic, or against it as a sibling."""
    siblings = scorer.tree.children(int(scorer.tree.parents[column]))
    parts = _parts(scorer.tree, siblings) if scorer.is_mixture else _alone(scorer.tree, siblings)
    parts[scorer.bias <= NO_EVIDENCE] = -1
    sizes = np.bincount(parts[parts >= 0], minlength=len(scorer.tree))
    others = int((sizes > 0).sum()) - 1
    if not sizes[column] or others < 1:
        return None
    shares = np.where(parts >= 0, 1.0 / np.maximum(sizes[parts], 1), 0.0)
    shares[parts != column] /= -others
    return np.asarray(shares)


def _alone(tree: TreeIndex, siblings: IntArray) -> IntArray:
    parts = np.full(len(tree), -1, dtype=np.int64)
    parts[siblings] = siblings
    return parts


def _parts(tree: TreeIndex, siblings: IntArray) -> IntArray:
    """For each column the sibling it lies under, or -1."""
    parts = _alone(tree, siblings)
    for level in tree.levels:  # parents come before their children
        columns = np.arange(level.start, level.stop)
        above = parts[tree.parents[columns]]
        parts[columns] = np.where(above >= 0, above, parts[columns])
    return parts
