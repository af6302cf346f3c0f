"""Examples that say the same twice, and those that say the opposite.

Two texts are near-duplicates when the Jaccard similarity of their three-word shingles,
|A and B| / |A or B|, is at least 0.7. Comparing every pair would cost n^2, so MinHash bands propose
the pairs (see `focusadmin/lib/duplicates.py`; at 0.7 a pair is missed once in 80) and the exact
similarity decides. The same address counts too, as bookmarks often have no text yet. A pair under
two topics is a contradiction: the model is told that the same page belongs here and there.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from focusadmin.lib.duplicates import SHINGLE, bands, signature
from taxonomy.core.features import tokens

NEARLY_SAME = 0.7
FEWEST_WORDS = 6  # below this two texts are equal by chance
WORDS_READ = 2_000
CROWD = 40  # in one bucket; beyond it, the first stands for all

Shingles = frozenset[tuple[str, ...]]


@dataclass(frozen=True)
class CheckedExample:
    id: int
    topic: Hashable
    text: str
    address: str = ""


@dataclass(frozen=True)
class TwinPair:
    """Two examples that are nearly the same; `similarity` is 1 for the same words."""

    first: CheckedExample
    second: CheckedExample
    similarity: float
    has_same_address: bool

    @property
    def is_contradictory(self) -> bool:
        return self.first.topic != self.second.topic


def twin_pairs(examples: Sequence[CheckedExample]) -> list[TwinPair]:
    """Contradictions first, then by similarity; each pair once, in the order of the examples."""
    words = [tokens(example.text)[:WORDS_READ] for example in examples]
    shingles = [shingles_of(each) for each in words]
    places = {*_proposed(words), *_same_addresses(examples)}
    pairs = [_pair(examples[i], examples[j], shingles[i], shingles[j]) for i, j in sorted(places)]
    found = [pair for pair in pairs if pair.has_same_address or pair.similarity >= NEARLY_SAME]
    return sorted(found, key=lambda pair: (not pair.is_contradictory, -pair.similarity))


def shingles_of(words: Sequence[str]) -> Shingles:
    """Every run of three words; nothing for a text too short to be compared."""
    if len(words) < FEWEST_WORDS:
        return frozenset()
    return frozenset(zip(*(words[start:] for start in range(SHINGLE)), strict=False))


def jaccard(one: Shingles, other: Shingles) -> float:
    return len(one & other) / len(one | other) if one and other else 0.0


def _pair(
    first: CheckedExample, second: CheckedExample, one: Shingles, other: Shingles
) -> TwinPair:
    same_address = bool(first.address) and first.address == second.address
    return TwinPair(first, second, jaccard(one, other), same_address)


def _proposed(words: Sequence[Sequence[str]]) -> Iterator[tuple[int, int]]:
    """Pairs of places that share a band of their MinHash signatures."""
    long_enough = ((i, each) for i, each in enumerate(words) if len(each) >= FEWEST_WORDS)
    return _sharing(
        (key, place) for place, each in long_enough for key in bands(signature(" ".join(each)))
    )


def _same_addresses(examples: Sequence[CheckedExample]) -> Iterator[tuple[int, int]]:
    return _sharing((each.address, i) for i, each in enumerate(examples) if each.address)


def _sharing(keyed: Iterable[tuple[Hashable, int]]) -> Iterator[tuple[int, int]]:
    buckets: dict[Hashable, list[int]] = defaultdict(list)
    for key, place in keyed:
        buckets[key].append(place)
    for places in buckets.values():
        if len(places) <= CROWD:
            yield from combinations(places, 2)
        else:
            yield from ((places[0], place) for place in places[1:])
