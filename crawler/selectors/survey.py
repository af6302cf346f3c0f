"""Reads what a survey is made of, and the survey itself as screens tell it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

import numpy as np

from crawler.core.community import POPULAR_SITES, UNREACHED, Community, Rise
from crawler.core.ports import OK
from crawler.core.topicmap import Citation, Ints, TopicLinks, citations, numbered, rolled_up
from crawler.models import Crawl, CrawlSurvey, Page
from crawler.selectors.linkgraph import CrawlGraph

ROWS_AT_ONCE = 5_000
PAGES_AT_ONCE = 500
RISEN_SHOWN = 10


@dataclass(frozen=True)
class SurveyedPages:
    """What a survey asks of the pages of a graph, in their order."""

    leaves: list[str]  # the topics that were met
    leaf_of: Ints  # number of the topic, by page
    firsts: Ints  # `seq` of the first visit
    starts: Ints  # places of the start pages


def surveyed_pages(crawl: Crawl, found: CrawlGraph) -> SurveyedPages:
    """The pages of the graph; what a page is about is what its latest visit says."""
    place = {int(number): page for page, number in enumerate(found.numbers)}
    topics = [""] * len(place)
    firsts = np.zeros(len(place), dtype=np.int64)
    starts = set()
    rows = Page.objects.filter(crawl=crawl, outcome=OK).order_by("seq")
    columns = rows.values_list("number", "seq", "topic", "depth")
    for number, seq, topic, depth in columns.iterator(ROWS_AT_ONCE):
        page = place.get(number)
        if page is None:
            continue  # it came after the graph was read
        topics[page] = topic
        firsts[page] = firsts[page] or seq
        if depth == 0:
            starts.add(page)
    return SurveyedPages(*numbered(topics), firsts, np.array(sorted(starts), dtype=np.int64))


@dataclass(frozen=True)
class TopicMap:
    """How the topics cite each other at one depth of the tree."""

    depth: int
    counted: TopicLinks
    citations: list[Citation]  # the clearest first

    @property
    def more(self) -> list[Citation]:
        return [each for each in self.citations if each.is_more]

    def of_good(self, good: Sequence[str]) -> Citation | None:
        """What a good topic, or its ancestor at this depth, cites most clearly above chance."""
        sources = {rolled_up(topic, self.depth) for topic in good}
        return next((each for each in self.more if each.source in sources), None)


def good_topics(crawl: Crawl) -> list[str]:
    return ["/" + "/".join(lineage) for lineage in crawl.good]


def survey_of(crawl: Crawl) -> CrawlSurvey | None:
    return CrawlSurvey.objects.filter(crawl=crawl).first()


def depths_of(survey: CrawlSurvey) -> list[int]:
    return [part["depth"] for part in survey.figures["depths"]]


def _part(survey: CrawlSurvey, depth: int) -> dict[str, Any]:
    return next(part for part in survey.figures["depths"] if part["depth"] == depth)


def topic_map(survey: CrawlSurvey, depth: int) -> TopicMap:
    part = _part(survey, depth)
    size = len(part["topics"])
    links, sites = (np.zeros((size, size), dtype=np.int64) for _ in range(2))
    for source, target, count, from_sites in part["cells"]:
        links[source, target], sites[source, target] = count, from_sites
    counted = TopicLinks(tuple(part["topics"]), tuple(part["pages"]), links, sites)
    return TopicMap(depth, counted, citations(counted))


@dataclass(frozen=True)
class ToldCommunity:
    topic: str
    is_good: bool
    figures: Community

    @property
    def inside_percent(self) -> str:
        return f"{self.figures.inside_share:.0%}".removesuffix("%")

    @property
    def returned_percent(self) -> str:
        return f"{self.figures.reciprocity:.0%}".removesuffix("%")

    @property
    def inside_range(self) -> str:
        low, high = self.figures.inside_interval
        return f"{low * 100:.0f}-{high * 100:.0f}"


def communities(survey: CrawlSurvey, depth: int) -> list[ToldCommunity]:
    """The good topics first, then those with the most links."""
    told = []
    for row in _part(survey, depth)["communities"]:
        figures = {key: row[key] for key in Community.__dataclass_fields__}
        told.append(ToldCommunity(row["topic"], row["is_good"], Community(**figures)))
    return told


@dataclass(frozen=True)
class Distance:
    """Authorities that are so many links from the start set."""

    links: int | None  # None: no way is known
    authorities: int
    sites: int


@dataclass(frozen=True)
class Risen:
    """A top authority and how it became popular."""

    rank: int
    page: Page
    distance: int | None
    rise: Rise
    seconds: float | None  # between the two pages

    @property
    def span(self) -> str:
        return "" if self.seconds is None else span_words(self.seconds)


@dataclass(frozen=True)
class Authorities:
    """The top authorities, seen from the start set and in the order of the crawl."""

    risen: list[Risen]
    distances: list[Distance] = field(default_factory=list)

    @property
    def popular(self) -> list[Risen]:
        return [each for each in self.risen if each.rise.popular is not None]

    @property
    def median_pages(self) -> int | None:
        spans = [each.rise.pages for each in self.popular if each.rise.pages is not None]
        return round(median(spans)) if spans else None

    @property
    def median_span(self) -> str:
        spans = [each.seconds for each in self.popular if each.seconds is not None]
        return span_words(median(spans)) if spans else ""

    @property
    def top(self) -> list[Risen]:
        return self.risen[:RISEN_SHOWN]

    @property
    def median_distance(self) -> int | None:
        known = [each.distance for each in self.risen if each.distance is not None]
        return round(median(known)) if known else None

    @property
    def furthest(self) -> int | None:
        return max(
            (each.distance for each in self.risen if each.distance is not None), default=None
        )

    @property
    def popular_from(self) -> int:
        return POPULAR_SITES


def authorities(survey: CrawlSurvey) -> Authorities:
    rows = survey.figures["authorities"]
    wanted = {seq for row in rows for seq in (row["seq"], row["seen"], row["popular"]) if seq}
    pages = _pages(survey.crawl_id, sorted(wanted))
    risen = [_risen(rank, row, pages) for rank, row in enumerate(rows, 1) if row["seq"] in pages]
    return Authorities(risen, _distances(risen))


def _risen(rank: int, row: dict[str, Any], pages: dict[int, Page]) -> Risen:
    how = Rise(row["seen"], row["popular"], row["sites"])
    seen, popular = pages.get(how.seen), pages.get(how.popular or 0)
    return Risen(
        rank=rank,
        page=pages[row["seq"]],
        distance=None if row["distance"] == UNREACHED else row["distance"],
        rise=how,
        seconds=popular.fetched_at - seen.fetched_at if seen and popular else None,
    )


def _distances(risen: Sequence[Risen]) -> list[Distance]:
    """Every distance up to the greatest, also those where nothing is."""
    counts = Counter(each.distance for each in risen)
    known = [links for links in counts if links is not None]
    steps: list[int | None] = [*range(max(known) + 1)] if known else []
    if counts[None]:
        steps.append(None)
    return [
        Distance(links, counts[links], len({e.page.site for e in risen if e.distance == links}))
        for links in steps
    ]


def _pages(crawl_id: int, seqs: Sequence[int]) -> dict[int, Page]:
    found: dict[int, Page] = {}
    for start in range(0, len(seqs), PAGES_AT_ONCE):
        part = seqs[start : start + PAGES_AT_ONCE]
        found |= {p.seq: p for p in Page.objects.filter(crawl_id=crawl_id, seq__in=part)}
    return found


def span_words(seconds: float) -> str:
    """
    >>> span_words(40.2), span_words(600), span_words(90_000)
    ('40 seconds', '10 minutes', '25 hours')
    """
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds >= 2 * size:
            return f"{seconds / size:.0f} {unit}s"
    return f"{max(seconds, 0.0):.0f} seconds"
