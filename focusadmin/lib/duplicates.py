"""Near-duplicate signatures: MinHash over three-word shingles, and its bands.

Two pages agree in a signature position with the probability of their Jaccard similarity (Broder,
1997). Sixteen bands of four positions: pages of similarity 0.8 share a band with probability 0.999,
of 0.5 with 0.64, of 0.2 with 0.03. Bands are what the database looks up.
"""

import zlib

import numpy as np
import numpy.typing as npt

POSITIONS = 64
ROWS = 4
BANDS = POSITIONS // ROWS
SHINGLE = 3
MAX_WORDS = 5_000

Words = npt.NDArray[np.uint64]

_random = np.random.Generator(np.random.PCG64(1997))
_FACTORS: Words = _random.integers(1, 2**63, POSITIONS, dtype=np.uint64) | np.uint64(1)
_OFFSETS: Words = _random.integers(0, 2**63, POSITIONS, dtype=np.uint64)
_MIX: Words = _random.integers(1, 2**63, max(SHINGLE, ROWS), dtype=np.uint64) | np.uint64(1)


def signature(text: str) -> tuple[int, ...]:
    """64 numbers below 2**32; empty for a text without words."""
    return signature_of(word_hashes(text))


def word_hashes(text: str) -> Words:
    """A number below 2**32 for each word, upper and lower case alike."""
    words = text.lower().encode("utf-8", "replace").split(None, MAX_WORDS)[:MAX_WORDS]
    return np.fromiter(map(zlib.crc32, words), np.uint64, len(words))


def signature_of(hashes: Words) -> tuple[int, ...]:
    """The signature of a text whose words have these hashes."""
    if not len(hashes):
        return ()
    shingles = _shingled(hashes[:MAX_WORDS])
    mixed = _FACTORS[:, None] * shingles
    mixed += _OFFSETS[:, None]
    return tuple((mixed.min(axis=1) >> np.uint64(32)).tolist())


def _shingled(hashes: Words) -> Words:
    if len(hashes) < SHINGLE:
        return hashes
    last = len(hashes) - SHINGLE + 1
    mixed: Words = hashes[:last] * _MIX[0]
    for offset in range(1, SHINGLE):
        # Multiplied after each step, so that the order of the words counts.
        mixed = (mixed ^ hashes[offset : offset + last]) * _MIX[offset]
    return mixed


def bands(signature_: tuple[int, ...]) -> tuple[int, ...]:
    """16 signed 64-bit keys; pages that share one are likely near-duplicates."""
    if not signature_:
        return ()
    rows = np.array(signature_, dtype=np.uint64).reshape(BANDS, ROWS)
    keys = np.arange(BANDS, dtype=np.uint64)  # equal rows in different bands are no match
    for row in range(ROWS):
        keys = (keys * _MIX[row]) ^ rows[:, row]
    return tuple((keys * _MIX[0]).view(np.int64).tolist())


def similarity(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Estimated share of common shingles; the error is about 1/8."""
    if not one or not other:
        return 0.0
    return sum(a == b for a, b in zip(one, other, strict=True)) / POSITIONS
