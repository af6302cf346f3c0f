"""From 64-bit keys to slots, a whole batch at a time, in 12 to 24 bytes a key.

A Python dictionary takes about 120 bytes for the same, which three million URLs do not forgive.
Open addressing with linear probing over two arrays; never more than half full.
"""

import numpy as np
import numpy.typing as npt

Keys = npt.NDArray[np.int64]
Slots = npt.NDArray[np.int32]

UNKNOWN = -1
_MIX = np.uint64(0x9E3779B97F4A7C15)  # odd, near 2**64 / golden ratio: spreads neighbours
_SMALLEST = 1 << 12


class KeyIndex:
    """Grows as needed; keys are never removed."""

    def __init__(self) -> None:
        self._count = 0
        self._make(_SMALLEST)

    def __len__(self) -> int:
        return self._count

    def find(self, keys: Keys) -> Slots:
        """The slot of each key, or UNKNOWN."""
        found = np.full(len(keys), UNKNOWN, dtype=np.int32)
        open_, places = np.arange(len(keys)), self._home(keys)
        while len(open_):
            slots = self._slots[places]
            is_hit = (self._keys[places] == keys[open_]) & (slots != UNKNOWN)
            found[open_[is_hit]] = slots[is_hit]
            goes_on = ~is_hit & (slots != UNKNOWN)
            open_, places = open_[goes_on], (places[goes_on] + 1) & self._mask
        return found

    def add(self, keys: Keys, slots: Slots) -> None:
        """Take in keys that are all new and differ from each other."""
        self._count += len(keys)
        if 2 * self._count > len(self._keys):
            self._grow()
        self._put(keys, slots)

    def _put(self, keys: Keys, slots: Slots) -> None:
        open_, places = np.arange(len(keys)), self._home(keys)
        while len(open_):
            is_free = self._slots[places] == UNKNOWN
            # Of several keys for one free place the last to be written stays; the others go on.
            self._slots[places[is_free]] = slots[open_[is_free]]
            self._keys[places[is_free]] = keys[open_[is_free]]
            goes_on = self._slots[places] != slots[open_]
            open_, places = open_[goes_on], (places[goes_on] + 1) & self._mask

    def _home(self, keys: Keys) -> npt.NDArray[np.int64]:
        mixed = (keys.view(np.uint64) * _MIX) >> self._shift
        return mixed.astype(np.int64)

    def _make(self, size: int) -> None:
        self._keys: Keys = np.zeros(size, dtype=np.int64)
        self._slots: Slots = np.full(size, UNKNOWN, dtype=np.int32)
        self._mask = size - 1
        self._shift = np.uint64(64 - size.bit_length() + 1)

    def _grow(self) -> None:
        keys, slots = self._keys, self._slots
        size = len(keys)
        while 2 * self._count > size:
            size *= 2
        self._make(size)
        is_used = slots != UNKNOWN
        self._put(keys[is_used], slots[is_used])
