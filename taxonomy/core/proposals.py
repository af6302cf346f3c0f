"""Which topics to mark good: the most common classes where the examples fit best.

After section 2.1.1 of the 1999 paper: examples are routed, every topic on their ways counts them,
and the topics that gather most of them are proposed. A proposal holds the examples behind it.
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from taxonomy.core.classifier.tree_index import Lineage

NARROW_SHARE = 0.8  # of a topic's examples in one sub-topic: then the sub-topic says it better
BROAD_DEPTH = 2  # topics above this gather too much to be proposed
FEW = 10  # examples; with more of them, one alone is no common class
MIXED_SHARE = 0.3  # of the pages under the parent that are not under the good topic
MIXED_PAGES = 3

_LETTERS = re.compile(r"[^\W\d_]{2,}")
_EVERYWHERE = frozenset({"www", "com", "org", "net", "html", "htm", "php", "asp", "aspx", "index"})


@dataclass(frozen=True)
class Placed:
    """A routed example: where it went, and the probability of each topic that is not negligible."""

    lineage: Lineage
    probabilities: Mapping[Lineage, float]

    def probability(self, topic: Lineage) -> float:
        return self.probabilities.get(topic, 0.0)

    def is_under(self, topic: Lineage) -> bool:
        return self.lineage[: len(topic)] == topic


@dataclass(frozen=True)
class Proposal:
    """A topic to mark good; `members` are places in the list of examples, best first."""

    lineage: Lineage
    members: tuple[int, ...]
    confidence: float  # mean of Pr[topic|d] over the members

    @property
    def support(self) -> float:
        """How many examples the model expects to belong here."""
        return self.confidence * len(self.members)


def proposals(placed: Sequence[Placed]) -> list[Proposal]:
    """The topics that gather the examples, those with the most support first."""
    below = _gathered(placed)
    children: dict[Lineage, list[Lineage]] = {}
    for topic in below:
        if topic:
            children.setdefault(topic[:-1], []).append(topic)
    least = 1 if len(placed) < FEW else 2
    made = [_proposal(topic, below[topic], placed) for topic in _chosen((), below, children, least)]
    return sorted(made, key=lambda each: (-each.support, each.lineage))


def gathered_counts(placed: Sequence[Placed]) -> dict[Lineage, int]:
    """How many examples went through each topic, in the order of the tree."""
    below = _gathered(placed)
    return {topic: len(below[topic]) for topic in sorted(below) if topic}


def outside(placed: Sequence[Placed], good: Collection[Lineage]) -> list[int]:
    """Places of the examples that went under no good topic."""
    return [n for n, each in enumerate(placed) if not any(map(each.is_under, good))]


def mixed_parents(placed: Sequence[Placed], good: Collection[Lineage]) -> list[tuple[Lineage, int]]:
    """Parents whose pages commingle with those of a good topic, and how many are not its own.

    Section 2.2 of the paper: pages on mutual funds are surrounded by pages on investing, so
    the parent should count for priority though it is not good.
    """
    found = []
    for topic in sorted(good):
        parent = topic[:-1]
        near = [each for each in placed if each.is_under(parent)] if parent else []
        strangers = [each for each in near if not any(map(each.is_under, good))]
        is_mixed = len(strangers) >= max(MIXED_PAGES, MIXED_SHARE * len(near))
        if is_mixed and (parent, len(strangers)) not in found:
            found.append((parent, len(strangers)))
    return found


def relevance_of(placed: Placed, good: Collection[Lineage]) -> float:
    """R(d) = sum over good topics c of Pr[c|d] (section 2.1.2)."""
    return min(1.0, sum(placed.probability(topic) for topic in good))


def address_words(url: str) -> str:
    """The words in an address: all there is to judge, when a page can't be fetched.

    >>> address_words("https://www.bike-tours.example.org/Alps/steep_passes.html?id=7")
    'bike tours example Alps steep passes'
    """
    try:
        parts = urlsplit(unquote(url, errors="ignore"))
        host = parts.hostname or ""
    except ValueError:
        return ""
    found = _LETTERS.findall(f"{host.rpartition('.')[0]} {parts.path}".replace("_", " "))
    return " ".join(word for word in found if word.lower() not in _EVERYWHERE)


def _gathered(placed: Sequence[Placed]) -> dict[Lineage, list[int]]:
    below: dict[Lineage, list[int]] = {}
    for number, each in enumerate(placed):
        for depth in range(len(each.lineage) + 1):
            below.setdefault(each.lineage[:depth], []).append(number)
    return below


def _chosen(
    topic: Lineage,
    below: Mapping[Lineage, Sequence[int]],
    children: Mapping[Lineage, Sequence[Lineage]],
    least: int,
) -> Iterator[Lineage]:
    """Down the tree, until a topic gathers what its sub-topics would split."""
    count = len(below.get(topic, ()))
    if count < least:
        return
    deeper = children.get(topic, ())
    is_narrow = any(len(below[t]) >= NARROW_SHARE * count for t in deeper)
    if topic and (not deeper or (len(topic) >= BROAD_DEPTH and not is_narrow)):
        yield topic
        return
    for each in deeper:
        yield from _chosen(each, below, children, least)


def _proposal(topic: Lineage, members: Sequence[int], placed: Sequence[Placed]) -> Proposal:
    shares = {number: placed[number].probability(topic) for number in members}
    best = sorted(members, key=lambda number: -shares[number])
    return Proposal(topic, tuple(best), sum(shares.values()) / len(members))
