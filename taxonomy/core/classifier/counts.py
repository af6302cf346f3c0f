"""What naive Bayes remembers of a topic's examples; adding and taking away are exact opposites."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
from scipy import sparse

from taxonomy.core.features import FloatArray, IntArray, dampened

_Columns = npt.NDArray[np.int64]


def _no_columns() -> _Columns:
    return np.zeros(0, dtype=np.int64)


def _no_mass() -> FloatArray:
    return np.zeros(0, dtype=np.float64)


@dataclass
class TopicCounts:
    """n(c,t) and in how many examples t occurs, for the terms of one topic's own examples.

    Each example has mass 1 (times its weight), shared by its terms in proportion to 1 + ln n, so
    that a long example does not drown the short ones.
    """

    terms: _Columns = field(default_factory=_no_columns)
    mass: FloatArray = field(default_factory=_no_mass)
    documents: _Columns = field(default_factory=_no_columns)
    examples: int = 0
    weight: float = 0.0

    def add(self, row: sparse.csr_matrix, weight: float) -> None:
        """Add each document of `row` (documents x terms, shares as `example_shares` gives them)."""
        self._change(row, weight, sign=1)

    def remove(self, row: sparse.csr_matrix, weight: float) -> None:
        self._change(row, weight, sign=-1)

    def _change(self, row: sparse.csr_matrix, weight: float, *, sign: int) -> None:
        terms, places = np.unique(np.concatenate((self.terms, row.indices)), return_inverse=True)
        old, new = places[: len(self.terms)], places[len(self.terms) :]
        mass, documents = np.zeros(len(terms)), np.zeros(len(terms), dtype=np.int64)
        mass[old], documents[old] = self.mass, self.documents
        np.add.at(mass, new, sign * weight * row.data)
        np.add.at(documents, new, sign)
        if (documents < 0).any():
            raise ValueError("this example was never added to the topic")
        kept = documents > 0  # whole numbers decide, so that rounding leaves no ghost terms
        self.terms, self.mass, self.documents = terms[kept], mass[kept], documents[kept]
        self.examples += sign * row.shape[0]
        self.weight = self.weight + sign * weight * row.shape[0] if self.examples else 0.0


def example_shares(counts: sparse.csr_matrix) -> sparse.csr_matrix:
    """Each document's terms with shares that add up to 1, in proportion to 1 + ln n."""
    shares = dampened(counts).astype(np.float64)
    totals = np.asarray(shares.sum(axis=1)).ravel()
    shares.data /= np.repeat(np.maximum(totals, 1e-12), np.diff(shares.indptr))
    return shares


def stacked(rows: list[TopicCounts], terms: int) -> tuple[sparse.csr_matrix, IntArray]:
    """All topics' masses as topics x terms, and the documents of each stored entry."""
    ends = np.concatenate(([0], np.cumsum([len(row.terms) for row in rows])))
    columns = np.concatenate([row.terms for row in rows])
    mass = np.concatenate([row.mass for row in rows])
    documents = np.concatenate([row.documents for row in rows])
    return sparse.csr_matrix((mass, columns, ends), shape=(len(rows), terms)), documents
