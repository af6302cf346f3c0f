"""What the addresses of the map say. What can't be read is left out."""

import re
from collections.abc import Sequence

USUAL_DEPTH = 2
_PAIR = re.compile(r"([0-9]{1,15})-([0-9]{1,15})", re.ASCII)


def depth_asked(text: str, depths: Sequence[int]) -> int:
    """One of the depths that there are."""
    if text.isascii() and text.isdigit() and len(text) < 4 and int(text) in depths:
        return int(text)
    return min(USUAL_DEPTH, depths[-1])


def pair_asked(text: str) -> tuple[int, int]:
    """
    >>> pair_asked("3-14"), pair_asked("3"), pair_asked("")
    ((3, 14), (0, 0), (0, 0))
    """
    found = _PAIR.fullmatch(text)
    return (int(found[1]), int(found[2])) if found else (0, 0)
