"""The order of the frontier: tries ascending, priority descending, discovery first."""

import math

import numpy as np
import numpy.typing as npt

from crawler.core.types import Merge

UNRANKED = -1.0  # behind everything that the strategy asks for
BOOST = 1e300  # above every priority that a strategy can give; what is there was wished for


def best_ranked(
    tries: npt.NDArray[np.uint8], priorities: npt.NDArray[np.float64], limit: int
) -> npt.NDArray[np.int64]:
    """Places of the `limit` best, in order. Linear in the number of URLs, but for the sorting.

    Ties keep the order in which they stand, which is that of discovery.
    """
    chosen: list[npt.NDArray[np.int64]] = []
    missing = limit
    for count in np.flatnonzero(np.bincount(tries, minlength=1)) if len(tries) else ():
        group = np.flatnonzero(tries == count)
        best = group[_largest(priorities[group], missing)]
        chosen.append(best)
        missing -= len(best)
        if missing <= 0:
            break
    return np.concatenate(chosen) if chosen else np.zeros(0, dtype=np.int64)


def _largest(values: npt.NDArray[np.float64], limit: int) -> npt.NDArray[np.int64]:
    """Places of the largest values, descending; of equal ones the first."""
    if len(values) > limit:
        edge = np.partition(values, len(values) - limit)[len(values) - limit]
        above = np.flatnonzero(values > edge)
        at_edge = np.flatnonzero(values == edge)[: limit - len(above)]
        places = np.sort(np.concatenate([above, at_edge]))
    else:
        places = np.arange(len(values))
    return np.asarray(places[np.argsort(-values[places], kind="stable")], dtype=np.int64)


def merged(old: float, given: float, how: Merge) -> float:
    """The priority of a URL that is found again; NaN while it has none."""
    if math.isnan(old) or how is Merge.REPLACE:
        return given
    return max(old, given) if how is Merge.MAX else old + given
