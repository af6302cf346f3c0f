"""Which pages are worth a person's time: uncertain, diverse and influential ones, mixed.

Uncertain: relevance nearest to the line between relevant and not (uncertainty sampling, Lewis and
Gale 1994). Diverse: farthest-first traversal, which is within a factor of two of the best k-center
cover (Gonzalez 1985), begun at what is labelled already. Influential: many waiting URLs hang on it.

Distance of two texts is 1 - cosine of their word vectors, x(t) = (1 + ln n(t)) ln(1 + N / df(t)).
"""

import random
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from scipy import sparse

from crawler.core.harvest import RELEVANT_FROM
from taxonomy.core.features import Vocabulary, dampened, documents_with_term

Floats = npt.NDArray[np.float64]
Key = TypeVar("Key", bound=Hashable)

SITE_PAGES = 2  # of one site in one batch


class Part(StrEnum):
    """Why a page is in the queue."""

    UNCERTAIN = "uncertain"
    DIVERSE = "diverse"
    INFLUENTIAL = "influential"
    RANDOM = "random"  # the sample for the precision, and decoys that hide which pages those are


# What a batch consists of. A decoy looks like a page of the sample, so nobody knows which counts.
BATCH = {Part.UNCERTAIN: 3, Part.DIVERSE: 3, Part.INFLUENTIAL: 2}
SAMPLED, DECOYS = 3, 1


@dataclass(frozen=True)
class Candidate:
    """A page that might be asked about."""

    number: int
    seq: int
    site: str
    text_key: int | None  # equal for equal texts
    relevance: float
    waiting: int = 0  # URLs of the frontier that hang on it

    @property
    def margin(self) -> float:
        return abs(self.relevance - RELEVANT_FROM)


def most_uncertain(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    ranked = sorted(candidates, key=lambda page: (page.margin, page.seq))
    return list(spread(ranked, limit))


def most_influential(candidates: Iterable[Candidate], limit: int) -> list[Candidate]:
    """Those with the most waiting URLs; a page on which nothing hangs has no influence."""
    ranked = sorted(candidates, key=lambda page: (-page.waiting, page.seq))
    return list(spread((page for page in ranked if page.waiting), limit))


def spread(ranked: Iterable[Candidate], limit: int) -> Iterator[Candidate]:
    """The first of them, but no text twice and few of one site."""
    sites: dict[str, int] = {}
    texts: set[int] = set()
    taken = 0
    for page in ranked:
        if taken == limit:
            return
        if sites.get(page.site, 0) >= SITE_PAGES or page.text_key in texts:
            continue
        sites[page.site] = sites.get(page.site, 0) + 1
        if page.text_key is not None:
            texts.add(page.text_key)
        taken += 1
        yield page


def word_vectors(texts: Sequence[str]) -> sparse.csr_matrix:
    """One row of unit length for each text, or of zeros for one without words."""
    counts = Vocabulary().grown(texts).counts(texts).matrix
    if not counts.shape[1]:
        return sparse.csr_matrix((len(texts), 1), dtype=np.float64)
    vectors = dampened(counts).astype(np.float64)
    rarity = np.log1p(len(texts) / np.maximum(documents_with_term(counts), 1))
    vectors.data *= rarity[vectors.indices]
    lengths = np.sqrt(np.asarray(vectors.multiply(vectors).sum(axis=1)).ravel())
    vectors.data /= np.repeat(np.maximum(lengths, 1e-12), np.diff(vectors.indptr))
    return vectors


def farthest_first(
    vectors: sparse.csr_matrix, known: Collection[int], limit: int
) -> list[tuple[int, float]]:
    """Rows that lie far from the `known` ones and from each other, each with its distance then.

    Without any known row the first one is the most ordinary: the nearest to the mean. Rows without
    words are left out.
    """
    size = vectors.shape[0]
    nearest = np.zeros(size)  # similarity to the nearest row that is known or chosen
    for row in known:
        nearest = np.maximum(nearest, _similarities(vectors, row))
    is_open = np.diff(vectors.indptr) > 0
    is_open[list(known)] = False
    chosen: list[tuple[int, float]] = []
    while len(chosen) < limit and is_open.any():
        if known or chosen:
            row = int(np.argmin(np.where(is_open, nearest, np.inf)))
        else:
            mean = np.asarray(vectors.mean(axis=0)).ravel()
            row = int(np.argmax(np.where(is_open, vectors @ mean, -np.inf)))
        chosen.append((row, float(1.0 - nearest[row])))
        nearest = np.maximum(nearest, _similarities(vectors, row))
        is_open[row] = False
    return chosen


def _similarities(vectors: sparse.csr_matrix, row: int) -> Floats:
    alike = (vectors @ vectors[[row]].T).toarray().ravel()
    return np.asarray(np.minimum(alike, 1.0), dtype=np.float64)


def mixed(parts: Mapping[Key, int], dice: random.Random) -> list[Key]:
    """An order in which the parts are strewn evenly, by chance."""
    order = [part for part, size in parts.items() for _ in range(size)]
    dice.shuffle(order)
    return order
