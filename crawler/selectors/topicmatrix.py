"""The topic map as rows of cells, and as a list."""

from dataclasses import dataclass
from urllib.parse import urlencode

from crawler.core.mapdrawing import level_of
from crawler.core.topicmap import OTHERS, Citation
from crawler.selectors.survey import TopicMap

TOPICS_SHOWN = 14


@dataclass(frozen=True)
class Cell:
    """One topic toward another; without a citation it is the topic toward itself."""

    links: int
    sites: int
    citation: Citation | None
    own_share: float  # of the topic's links, for the cell toward itself
    query: str  # of the pairs behind it

    @property
    def shade(self) -> str:
        if self.citation is None:
            return "own"
        if self.citation.is_more:
            return f"more-{level_of(self.citation.lift)}"
        return "less" if self.citation.is_less else "even"


@dataclass(frozen=True)
class Row:
    number: int
    topic: str
    pages: int
    cells: list[Cell]


def matrix_of(made: TopicMap) -> list[Row]:
    """The topics with the most links, in the order of the tree."""
    counted = made.counted
    first = [name for name in counted.topics[:TOPICS_SHOWN] if name != OTHERS]
    shown = sorted((name, counted.topics.index(name)) for name in first)
    by_pair = {(each.source, each.target): each for each in made.citations}
    rows = []
    for number, (source, a) in enumerate(shown, 1):
        total = int(counted.links[a].sum())
        cells = [
            Cell(
                links=int(counted.links[a, b]),
                sites=int(counted.sites[a, b]),
                citation=by_pair.get((source, target), _none(source, target)) if a != b else None,
                own_share=int(counted.links[a, a]) / total if total else 0.0,
                query=urlencode({"from": source, "to": target}),
            )
            for target, b in shown
        ]
        rows.append(Row(number, source, counted.pages[a], cells))
    return rows


def _none(source: str, target: str) -> Citation:
    return Citation(source, target, 0, 0, 0.0)


@dataclass(frozen=True)
class ToldCitation:
    citation: Citation
    query: str


def citations_told(made: TopicMap, topic: str = "") -> list[ToldCitation]:
    """What is cited more than chance; of one topic, all that it cites and is cited by."""
    if topic:
        chosen = [e for e in made.citations if topic in (e.source, e.target) and e.links]
    else:
        chosen = made.more
    return [
        ToldCitation(each, urlencode({"from": each.source, "to": each.target})) for each in chosen
    ]
