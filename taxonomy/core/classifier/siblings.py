"""The paper's own form of naive Bayes: subtrees pooled, features selected at every inner topic."""

import numpy as np
from scipy import sparse

from taxonomy.core.classifier.tree_index import TreeIndex
from taxonomy.core.features import FloatArray, IntArray


def pooled_log_ratios(
    tree: TreeIndex,
    mass: sparse.csr_matrix,
    documents: IntArray,
    examples: FloatArray,
    odds: float,
    max_features: int,
) -> tuple[sparse.csr_matrix, np.ndarray]:
    """ln(1 + odds * share(c,t) / mean share among c's siblings), on the parent's own features.

    Returns the ratios (topics x terms) and which topics have any example in their subtree.
    """
    within = subtree_membership(tree)
    pooled = sparse.csr_matrix(within @ mass)
    totals = np.asarray(pooled.sum(axis=1)).ravel()
    has_evidence = totals > 0
    shares = sparse.diags_array(1.0 / np.maximum(totals, 1e-300)) @ pooled
    occurrences = sparse.csr_matrix(within @ _like(mass, documents))
    selected = selected_features(tree, occurrences, within @ examples, max_features)
    means = sibling_means(tree, has_evidence) @ shares
    chosen = shares.multiply(selected[tree.parents]).tocsr()
    ratios = chosen.multiply(means[tree.parents].power(-1)).tocsr()
    ratios.data = np.log1p(odds * ratios.data)
    return sparse.csr_matrix(ratios), has_evidence


def selected_features(
    tree: TreeIndex, occurrences: sparse.csr_matrix, examples: FloatArray, max_features: int
) -> sparse.csr_matrix:
    """1 where a term is among the inner topic's `max_features` best by chi-square.

    chi2(t) = sum over children c of (n(c,t) - e(c,t))^2 / e(c,t), e(c,t) = N(c) n(t)/N, where n
    counts the examples that hold the term.
    """
    parents = child_sum(tree)
    squares = occurrences.multiply(occurrences)
    spread = (parents @ (sparse.diags_array(1.0 / np.maximum(examples, 1.0)) @ squares)).tocsr()
    found = (parents @ occurrences).tocsr()
    totals = np.maximum(parents @ examples, 1.0)
    inverse = found.power(-1)
    chi_square = (sparse.diags_array(totals) @ spread.multiply(inverse) - found).tocsr()
    return _best_of_each_row(chi_square, found, max_features)


def _best_of_each_row(
    chi_square: sparse.csr_matrix, found: sparse.csr_matrix, most: int
) -> sparse.csr_matrix:
    """A mask in the pattern of `found`: rows with more than `most` terms keep the best ones."""
    mask = found.copy()
    mask.data = np.ones_like(mask.data)
    for row in np.flatnonzero(np.diff(mask.indptr) > most):
        part = slice(mask.indptr[row], mask.indptr[row + 1])
        worth = chi_square[[row]].toarray().ravel()[mask.indices[part]]
        worst = np.argsort(-worth, kind="stable")[most:]
        mask.data[np.arange(part.start, part.stop)[worst]] = 0.0
    mask.eliminate_zeros()
    return mask


def subtree_membership(tree: TreeIndex) -> sparse.csr_matrix:
    """Topics x topics: 1 where the column's topic lies in the row's subtree."""
    pairs = [(above, i) for i in range(len(tree)) for above in (0, *tree.ancestry(i))]
    rows, columns = np.array(sorted(set(pairs))).T
    return sparse.csr_matrix((np.ones(len(rows)), (rows, columns)), shape=(len(tree), len(tree)))


def child_sum(tree: TreeIndex) -> sparse.csr_matrix:
    """Topics x topics: 1 where the column's topic is a child of the row's."""
    children = np.arange(1, len(tree))
    pattern = (np.ones(len(children)), (tree.parents[1:], children))
    return sparse.csr_matrix(pattern, shape=(len(tree), len(tree)))


def sibling_means(tree: TreeIndex, has_evidence: np.ndarray) -> sparse.csr_matrix:
    """Averages over the children that have examples."""
    taking = child_sum(tree) @ sparse.diags_array(has_evidence.astype(np.float64))
    counted = np.maximum(np.asarray(taking.sum(axis=1)).ravel(), 1.0)
    return sparse.csr_matrix(sparse.diags_array(1.0 / counted) @ taking)


def _like(pattern: sparse.csr_matrix, data: IntArray) -> sparse.csr_matrix:
    return sparse.csr_matrix(
        (data.astype(np.float64), pattern.indices, pattern.indptr), shape=pattern.shape
    )
