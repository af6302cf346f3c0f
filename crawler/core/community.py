"""How the pages and sites of a topic hang together (1999 paper, sections 3.2 and 4.5)."""

from dataclasses import dataclass

import numpy as np

from crawler.core.intervals import wilson_interval
from crawler.core.topicmap import Ints

UNREACHED = -1
POPULAR_SITES = 5  # a resource is popular once so many other sites cite it

LEAST_SITES = 3
LEAST_LINKS = 20  # to other sites; with fewer nothing is said
COOPERATIVE_FROM = 0.4  # of the links to other sites stay inside
COMPETITIVE_BELOW = 0.2


def distances(size: int, sources: Ints, targets: Ints, starts: Ints) -> Ints:
    """Links from the nearest start page, by page; UNREACHED where no way is known.

    >>> links = np.array([0, 1, 3]), np.array([1, 2, 2])
    >>> distances(4, *links, np.array([0])).tolist()
    [0, 1, 2, -1]
    """
    order = np.argsort(sources, kind="stable")
    ends = targets[order]
    begins = np.searchsorted(sources[order], np.arange(size + 1))
    found = np.full(size, UNREACHED, dtype=np.int64)
    ring, steps = np.unique(starts), 0
    while len(ring):
        found[ring] = steps
        steps += 1
        reached = np.concatenate([ends[begins[page] : begins[page + 1]] for page in ring.tolist()])
        ring = np.unique(reached[found[reached] == UNREACHED])
    return found


@dataclass(frozen=True)
class Rise:
    """How an authority became popular; pages are counted by `seq`, as the crawl met them."""

    seen: int  # the first page that links to it, or the page itself
    popular: int | None  # the page with which POPULAR_SITES other sites cite it
    sites: int  # that cite it by now

    @property
    def pages(self) -> int | None:
        return None if self.popular is None else self.popular - self.seen


def rise(page: int, *, sources: Ints, targets: Ints, sites: Ints, seqs: Ints) -> Rise:
    """When a page was first seen, and when enough sites cited it."""
    citing = sources[targets == page]
    others = citing[sites[citing] != sites[page]]
    firsts: dict[int, int] = {}
    for site, seq in zip(sites[others].tolist(), seqs[others].tolist(), strict=True):
        firsts[site] = min(seq, firsts.get(site, seq))
    seen = min([int(seqs[page]), *seqs[citing].tolist()])
    order = sorted(firsts.values())
    popular = order[POPULAR_SITES - 1] if len(order) >= POPULAR_SITES else None
    return Rise(seen, popular, len(order))


@dataclass(frozen=True)
class Community:
    """The links that the pages of a topic have to other sites, in figures."""

    pages: int
    sites: int
    links: int  # from its pages to fetched pages of other sites
    inside: int  # of those, to pages of the topic
    site_pairs: int  # (from, to): different sites of the topic, joined by such a link
    returned: int  # of those, with a link the other way, too
    linked_sites: int  # that cite, or are cited by, another site of the topic

    @property
    def inside_share(self) -> float:
        return self.inside / self.links if self.links else 0.0

    @property
    def inside_interval(self) -> tuple[float, float]:
        return wilson_interval(self.inside, self.links)

    @property
    def reciprocity(self) -> float:
        return self.returned / self.site_pairs if self.site_pairs else 0.0

    @property
    def linked_share(self) -> float:
        return self.linked_sites / self.sites if self.sites else 0.0

    @property
    def verdict(self) -> str:
        """Sites that cooperate send readers to each other; those that compete do not."""
        low, high = self.inside_interval
        if self.links < LEAST_LINKS or self.sites < LEAST_SITES:
            return "too few links"
        if low >= COOPERATIVE_FROM and self.linked_share >= 0.5:
            return "cooperative"
        if high < COMPETITIVE_BELOW:
            return "competitive"
        return "mixed"


def community(is_member: np.ndarray, *, sources: Ints, targets: Ints, sites: Ints) -> Community:
    """Of the pages that are members; links inside one site do not count."""
    leaving = is_member[sources] & (sites[sources] != sites[targets])
    inside = leaving & is_member[targets]
    size = int(sites.max()) + 1 if len(sites) else 1
    froms, tos = sites[sources[inside]], sites[targets[inside]]
    pairs = np.unique(froms * size + tos)
    back = (pairs % size) * size + pairs // size
    return Community(
        pages=int(is_member.sum()),
        sites=len(np.unique(sites[is_member])),
        links=int(leaving.sum()),
        inside=int(inside.sum()),
        site_pairs=len(pairs),
        returned=int(np.isin(back, pairs).sum()),
        linked_sites=len(np.union1d(froms, tos)),
    )
