"""Which topics cite which more than chance: the 1999 paper's "bicycling cites first aid".

Only links between different sites count, and what is asked is where a link goes that leaves its
topic. Most links stay, and a focused crawl is mostly about one topic: measured against all links,
every topic would seem to cite itself and nothing else (on the demo web, cycling would cite first
aid 1.1 times as often as chance; among the links that leave, it is 3.4 times). So chance is
quasi-independence,

    E[a,b] = out(a) in(b)  for a != b,   E[a,a] = 0,

with the factors chosen so that E has the row and column sums that were observed (iterative
proportional fitting, Deming and Stephan 1940), and lift[a,b] = links[a,b] / E[a,b]. A topic that is
cited by all alike, as portals are, has a large in(b) and therefore no lift.

A cell counts as more than chance when it has LEAST_LINKS links from LEAST_SITES sites, and when the
lower end of the 95 % interval of its number of links is still above E.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from crawler.core.intervals import poisson_interval

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

LEAST_LINKS = 5
LEAST_SITES = 2
MOST_TOPICS = 60  # at one depth; the others are counted as one, so that the sums stay right
OTHERS = ""
_ROUNDS = 200
_TOLERANCE = 1e-9


def rolled_up(topic: str, depth: int) -> str:
    """The topic itself, or its ancestor at this depth.

    >>> rolled_up("/Recreation/Cycling/Bicycle_Repair", 2), rolled_up("/Health", 2)
    ('/Recreation/Cycling', '/Health')
    """
    return "/".join(topic.split("/")[: depth + 1])


def depth_of(topic: str) -> int:
    return topic.count("/")


def is_at_or_below(topic: str, above: str) -> bool:
    return topic == above or topic.startswith(f"{above}/")


@dataclass(frozen=True)
class TopicLinks:
    """Links between different sites, counted by the topics that they join."""

    topics: tuple[str, ...]
    pages: tuple[int, ...]  # by topic
    links: Ints  # from row to column
    sites: Ints  # how many different sites those links come from


@dataclass(frozen=True)
class Citation:
    """How one topic cites another."""

    source: str
    target: str
    links: int
    sites: int
    expected: float

    @property
    def lift(self) -> float:
        return self.links / self.expected if self.expected else 0.0

    @property
    def at_least(self) -> float:
        """The lower end of the 95 % interval of the lift."""
        return poisson_interval(self.links)[0] / self.expected if self.expected else 0.0

    @property
    def at_most(self) -> float:
        return poisson_interval(self.links)[1] / self.expected if self.expected else 0.0

    @property
    def is_more(self) -> bool:
        is_enough = self.links >= LEAST_LINKS and self.sites >= LEAST_SITES
        return is_enough and self.at_least > 1.0

    @property
    def is_less(self) -> bool:
        return self.expected >= LEAST_LINKS and self.at_most < 1.0


def topic_links(
    *, leaves: Sequence[str], leaf_of: Ints, sites: Ints, sources: Ints, targets: Ints, depth: int
) -> TopicLinks:
    """Counted at a depth of the tree.

    `leaf_of` and `sites` are by page, numbers of `leaves` and of sites; the leaf of a page without
    topic is "".
    """
    names, rolled = numbered([rolled_up(leaf, depth) for leaf in leaves])
    index = rolled[leaf_of]
    has_topic = np.array([bool(leaf) for leaf in leaves], dtype=bool)[leaf_of]
    is_counted = (sites[sources] != sites[targets]) & has_topic[sources] & has_topic[targets]
    sources, targets = sources[is_counted], targets[is_counted]
    ends = np.concatenate([index[sources], index[targets]])
    volume = np.bincount(ends, minlength=len(names))
    shown = np.argsort(-volume, kind="stable")[:MOST_TOPICS]
    shown = shown[volume[shown] > 0]
    place = np.full(len(names), len(shown), dtype=np.int64)
    place[shown] = np.arange(len(shown))
    size = len(shown) + 1
    cells = place[index[sources]] * size + place[index[targets]]
    all_sites = int(sites.max()) + 1 if len(sites) else 1
    cells_by_site = np.unique(cells * all_sites + sites[sources]) // all_sites
    return TopicLinks(
        topics=(*(names[topic] for topic in shown), OTHERS),
        pages=tuple(np.bincount(place[index[has_topic]], minlength=size).tolist()),
        links=np.bincount(cells, minlength=size * size).reshape(size, size),
        sites=np.bincount(cells_by_site, minlength=size * size).reshape(size, size),
    )


def numbered(names: Sequence[str]) -> tuple[list[str], Ints]:
    """Each name once, and for each place the number of its name."""
    known: dict[str, int] = {}
    numbers = [known.setdefault(name, len(known)) for name in names]
    return list(known), np.array(numbers, dtype=np.int64)


def expected_links(links: Ints) -> Floats:
    """What the cells off the diagonal would hold if where a link goes did not depend on its topic.

    Cells of topics that no link leaves, or reaches, stay 0.
    """
    observed = links.astype(float)
    np.fill_diagonal(observed, 0.0)
    rows, columns = observed.sum(axis=1), observed.sum(axis=0)
    fitted = np.outer(rows > 0, columns > 0).astype(float)
    np.fill_diagonal(fitted, 0.0)
    for _ in range(_ROUNDS):
        fitted *= _ratio(rows, fitted.sum(axis=1))[:, None]
        fitted *= _ratio(columns, fitted.sum(axis=0))
        if np.abs(fitted.sum(axis=1) - rows).max(initial=0.0) <= _TOLERANCE * max(rows.sum(), 1.0):
            break
    return fitted


def _ratio(wanted: Floats, have: Floats) -> Floats:
    return np.divide(wanted, have, out=np.zeros_like(wanted), where=have > 0)


def citations(counted: TopicLinks) -> list[Citation]:
    """All pairs of different topics with links, or where links were expected.

    The clearest first: by the lower end of the interval, so that a lucky few links do not lead.
    """
    expected = expected_links(counted.links)
    found = [
        Citation(
            source=counted.topics[a],
            target=counted.topics[b],
            links=int(counted.links[a, b]),
            sites=int(counted.sites[a, b]),
            expected=float(expected[a, b]),
        )
        for a, b in zip(*np.nonzero((counted.links > 0) | (expected > 0)), strict=True)
        if a != b and OTHERS not in (counted.topics[a], counted.topics[b])
    ]
    return sorted(found, key=lambda each: (-each.is_more, -each.at_least, -each.links, each.source))
