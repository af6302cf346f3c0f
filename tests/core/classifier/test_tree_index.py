import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from taxonomy.core.classifier.tree_index import NO_EVIDENCE, TreeIndex, columns_of

lineages = st.lists(st.text("abc", min_size=1, max_size=1), min_size=1, max_size=4).map(tuple)
trees = st.sets(lineages, min_size=1, max_size=25).map(TreeIndex.of)
scores_of = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def _children_sum_to_their_parent(tree: TreeIndex, log_probabilities: np.ndarray) -> bool:
    probabilities = np.exp(log_probabilities)
    return all(
        np.allclose(
            probabilities[:, tree.children(int(parent))].sum(axis=1), probabilities[:, parent]
        )
        for parent in np.flatnonzero(~tree.is_leaf)
    )


def test_ancestors_are_added_and_siblings_stand_together():
    tree = TreeIndex.of([("b", "x"), ("a",), ("b", "y", "z")])
    assert tree.lineages == ((), ("a",), ("b",), ("b", "x"), ("b", "y"), ("b", "y", "z"))
    assert tree.children(2).tolist() == [3, 4]
    assert tree.subtree(2).tolist() == [2, 3, 4, 5]
    assert tree.ancestry(5) == [2, 4, 5]
    assert np.flatnonzero(tree.is_leaf).tolist() == [1, 3, 5]


@given(trees, scores_of)
def test_children_sum_to_their_parent_and_the_root_is_certain(tree, chance):
    scores = chance.normal(scale=30, size=(3, len(tree)))
    scores[:, chance.random(len(tree)) < 0.3] = NO_EVIDENCE
    for compared in (scores, tree.mixture_scores(scores)):
        log_probabilities = tree.log_probabilities(compared)
        assert (log_probabilities[:, 0] == 0).all()
        assert (log_probabilities <= 1e-9).all()
        assert _children_sum_to_their_parent(tree, log_probabilities)


@given(trees, scores_of)
def test_a_mixture_of_leaves_is_the_softmax_over_all_leaves(tree, chance):
    scores = np.full((2, len(tree)), NO_EVIDENCE)
    scores[:, tree.is_leaf] = chance.normal(scale=5, size=(2, int(tree.is_leaf.sum())))
    found = np.exp(tree.log_probabilities(tree.mixture_scores(scores)))[:, tree.is_leaf]
    weights = np.exp(scores[:, tree.is_leaf])
    assert np.allclose(found, weights / weights.sum(axis=1, keepdims=True))


def test_topics_without_evidence_get_nothing_beside_others_and_share_evenly_alone():
    tree = TreeIndex.of([("a",), ("b",), ("b", "x"), ("b", "y")])
    scores = np.array([[0.0, 1.0, NO_EVIDENCE, NO_EVIDENCE, NO_EVIDENCE]])
    found = np.exp(tree.log_probabilities(scores))[0]
    assert np.allclose(found, [1, 1, 0, 0, 0])
    inside = tree.log_probabilities(np.full((1, 5), NO_EVIDENCE))
    assert np.allclose(np.exp(inside[0]), [1, 0.5, 0.5, 0.25, 0.25])


def test_an_unknown_topic_is_named():
    with pytest.raises(KeyError, match="c"):
        columns_of(TreeIndex.of([("a",)]), [("c",)])
