"""The "mutual funds" case: are the good topics mixed up with their parents and siblings?

The 1999 paper (sections 2.2 and 4.1) saw a crawl for mutual funds starve among pages on investing
in general: "these topics are so intimately mixed that an attempted crawl on one while rejecting
the other was hopeless". Its remedy is to let parents or siblings count for priority only.

That strays fall beside the good topics proves little: they do so in every crawl. What tells the
case apart is who leads to the relevant pages. Where topics are mixed, pages of the neighbours
cite relevant pages of other sites about as often as relevant pages do, and far more often than
other strays do.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from crawler.core.diagnosis.record import (
    Cause,
    CrawlRecord,
    Finding,
    Gain,
    RecordedPage,
    Remedy,
    RemedyKind,
    TopicShare,
)
from crawler.core.intervals import poisson_interval, wilson_interval
from crawler.core.types import Lineage
from taxonomy.core.tree import join_path, shown_name

LEAST_PAGES = 15  # strays of a topic before anything is said of it
LEAST_SHARE = 0.1  # of all strays
LEAST_CITED = 0.2  # of the recorded ways to relevant pages
LEAST_LIFT = 2.0  # over other strays, at the low end of what the count allows
TOPICS_SHOWN = 12


@dataclass(frozen=True)
class Neighbourhood:
    """A topic near the good ones: its stray pages, and who cites relevant pages of other sites."""

    topic: Lineage
    strays: Sequence[RecordedPage]
    others: int  # strays that are about something else
    citing: int  # citations by the strays of this topic
    citing_others: int
    citing_relevant: int  # by relevant pages

    @property
    def stray_share(self) -> float:
        return len(self.strays) / max(len(self.strays) + self.others, 1)

    @property
    def cited_share(self) -> float:
        """How many of the recorded ways to relevant pages begin here."""
        return self.citing / max(self.citing + self.citing_others + self.citing_relevant, 1)

    @property
    def lift(self) -> float:
        """Citations a page against other strays, at the low end of what the count allows."""
        usual = (self.citing_others + 0.5) / (self.others + 1)
        low, _ = poisson_interval(self.citing)
        return low / max(len(self.strays), 1) / usual

    @property
    def is_mixed(self) -> bool:
        """Whether wanting one and rejecting the other is hopeless."""
        return (
            len(self.strays) >= LEAST_PAGES
            and self.stray_share >= LEAST_SHARE
            and self.cited_share >= LEAST_CITED
            and self.lift >= LEAST_LIFT
        )


def is_within(topic: Lineage, upper: Lineage) -> bool:
    return topic[: len(upper)] == upper


def kinship(topic: Lineage, good: Collection[Lineage]) -> str:
    """How a topic stands to the good ones: a parent, a sibling or what is below one, or nothing."""
    for wanted in good:
        parent = wanted[:-1]
        if parent and is_within(topic, parent) and not is_within(topic, wanted):
            return "parent" if topic == parent else "sibling"
    return ""


def citations(record: CrawlRecord) -> dict[int, int]:
    """By page: how many relevant pages of other sites it links to."""
    wanted = {page.number: page.site for page in record.pages if page.is_relevant}
    return {
        page.number: sum(wanted.get(target, page.site) != page.site for target in page.targets)
        for page in record.pages
        if page.is_ok
    }


def stray_topics(record: CrawlRecord) -> list[TopicShare]:
    """Where the fetched-but-irrelevant pages fall in the tree."""
    strays = [page for page in record.pages if page.is_stray]
    cites, citing = citations(record), Counter[Lineage]()
    for page in strays:
        citing[page.topic] += cites[page.number]
    counts = Counter(page.topic for page in strays).most_common(TOPICS_SHOWN)
    return [
        TopicShare(
            join_path(topic), count, count / len(strays), kinship(topic, record.good), citing[topic]
        )
        for topic, count in counts
    ]


def widening(record: CrawlRecord) -> Finding | None:
    """The advice to widen for priority, if the record speaks for it."""
    mixed = [place for place in _neighbourhoods(record) if place.is_mixed]
    if not mixed:
        return None
    place = max(mixed, key=lambda each: each.citing)
    name = _named(place.topic)
    return Finding(
        Cause.MIXED_TOPICS,
        f"The good topics are mixed with {name}",
        min(1.0, 0.5 + place.cited_share),
        _evidence(place),
        Remedy(RemedyKind.WIDEN, f"Widen for priority: {name}", (join_path(place.topic),)),
        _gain(record, place),
    )


def _neighbourhoods(record: CrawlRecord) -> list[Neighbourhood]:
    """The parents of the good topics; each has its siblings in it."""
    parents = {topic[:-1] for topic in record.good if len(topic) > 1}
    known = [*record.pass_through, *record.good]
    new = [parent for parent in parents if not any(is_within(parent, each) for each in known)]
    cites = citations(record)
    return [_neighbourhood(record, parent, cites) for parent in sorted(new)]


def _neighbourhood(record: CrawlRecord, topic: Lineage, cites: dict[int, int]) -> Neighbourhood:
    strays = [page for page in record.pages if page.is_stray]
    near = [page for page in strays if is_within(page.topic, topic)]
    citing = sum(cites[page.number] for page in near)
    return Neighbourhood(
        topic=topic,
        strays=near,
        others=len(strays) - len(near),
        citing=citing,
        citing_others=sum(cites[page.number] for page in strays) - citing,
        citing_relevant=sum(cites[page.number] for page in record.pages if page.is_relevant),
    )


def _evidence(place: Neighbourhood) -> tuple[str, ...]:
    near = len(place.strays)
    return (
        f"{near:,} of {near + place.others:,} irrelevant pages are about {_named(place.topic)}.",
        f"They cite relevant pages of other sites {place.citing:,} times; "
        f"relevant pages themselves do so {place.citing_relevant:,} times.",
        f"That is {place.citing / near:.2f} times a page, against "
        f"{place.citing_others / max(place.others, 1):.2f} for all other irrelevant pages.",
    )


def _gain(record: CrawlRecord, place: Neighbourhood) -> Gain | None:
    """URLs that wait and were first found on these pages, times the share relevant of such so far.

    Nothing where no such URL was fetched yet: hard focus, for one, drops the links of these pages.
    """
    near = {page.number for page in place.strays}
    waiting = sum(found_on in near for found_on in record.waiting.values())
    fetched = [page for page in record.pages if page.is_ok and page.found_on in near]
    if not waiting or not fetched:
        return None
    relevant = sum(page.is_relevant for page in fetched)
    low, high = wilson_interval(relevant, len(fetched))
    return Gain(waiting * relevant / len(fetched), waiting * low, waiting * high)


def _named(topic: Lineage) -> str:
    return " / ".join(map(shown_name, topic))
