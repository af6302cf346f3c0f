"""Reads for the guided path: what its steps show of a focus."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.marks import Mark, derive_mark
from taxonomy.core.proposals import (
    Placed,
    gathered_counts,
    mixed_parents,
    outside,
    proposals,
    relevance_of,
)
from taxonomy.core.tree import split_path
from taxonomy.models import Focus, FocusDraft, FocusPage, Topic
from taxonomy.selectors.focuses import good_topics_of
from taxonomy.selectors.lineages import NamedTopic, TopicNames
from taxonomy.selectors.models import current_model
from taxonomy.selectors.placing import placed_pages
from taxonomy.selectors.trees import ROW_FIELDS, paths_of

FOLDERS_SHOWN = 1_000
PAGES_SHOWN = 200
PROPOSALS_SHOWN = 8
MEMBERS_SHOWN = 12
SOURCE_SHOWN = 100

State = FocusPage.State


@dataclass
class Folder:
    """A folder of a bookmark file, for a tree of checkboxes."""

    number: int
    name: str
    own: int  # bookmarks right in it
    is_chosen: bool
    children: list["Folder"] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.own + sum(child.total for child in self.children)


@dataclass(frozen=True)
class Reading:
    """How far the fetching of a focus's examples is."""

    counts: dict[str, int]
    pages: list[FocusPage]
    problems: list[FocusPage]

    @property
    def total(self) -> int:
        return sum(self.counts.values())

    @property
    def waiting(self) -> int:
        return self.counts.get(State.WAITING, 0)

    @property
    def done(self) -> int:
        return self.total - self.waiting

    @property
    def read(self) -> int:
        return self.counts.get(State.READ, 0)

    @property
    def by_words(self) -> int:
        return sum(self.counts.get(state, 0) for state in FocusPage.BY_WORDS)

    @property
    def hidden(self) -> int:
        return max(0, self.total - len(self.pages))


@dataclass(frozen=True)
class Member:
    """An example behind a proposal."""

    page: FocusPage
    probability: float


@dataclass(frozen=True)
class ShownProposal:
    topic: NamedTopic
    count: int
    confidence: float
    members: list[Member]
    mark: str


@dataclass
class WayTopic:
    """A topic on the way of the examples."""

    topic: NamedTopic
    count: int
    mark: str
    children: list["WayTopic"] = field(default_factory=list)


@dataclass(frozen=True)
class MixedParent:
    topic: NamedTopic
    strangers: int


@dataclass(frozen=True)
class Routing:
    """The step in which topics are marked."""

    total: int
    unrouted: int
    pages: list[FocusPage]
    proposals: list[ShownProposal]
    ways: list[WayTopic]
    outside: list[FocusPage]
    mixed: list[MixedParent]
    good: list[NamedTopic]
    pass_through: list[NamedTopic]


def browsed_count(focus: Focus) -> int:
    """Pages that were marked for a focus while browsing."""
    return focus.pages.filter(source=FocusPage.Source.CLASSIFIED).count()


def draft_get(focus: Focus) -> FocusDraft:
    """What was kept of a focus, or an empty draft for one that was made elsewhere."""
    return FocusDraft.objects.filter(focus=focus).first() or FocusDraft(focus=focus)


def folder_tree(
    folders: Sequence[Sequence[str]], bookmarks: Iterable[Sequence[object]], chosen: Iterable[int]
) -> list[Folder]:
    """Folders under folders; what is not in any folder comes last."""
    own = Counter(number for _, _, number in bookmarks)
    picked = set(chosen)
    made: dict[tuple[str, ...], Folder] = {}
    top: list[Folder] = []
    for number, names in enumerate(folders[:FOLDERS_SHOWN]):
        name = names[-1] if names else "Not in a folder"
        folder = Folder(number, name, own[number], number in picked)
        made[tuple(names)] = folder
        parent = made.get(tuple(names[:-1])) if len(names) > 1 else None
        (parent.children if parent else top).append(folder)
    top.sort(key=lambda folder: folder.number == 0)
    return [folder for folder in top if folder.total]


def reading_of(focus: Focus) -> Reading:
    examples = focus.pages.examples()
    shown = examples.defer("text", "links", "probabilities")
    return Reading(
        Counter(examples.values_list("state", flat=True)),
        list(shown[:PAGES_SHOWN]),
        list(shown.filter(state__in=FocusPage.BY_WORDS)[:PAGES_SHOWN]),
    )


def routing_of(focus: Focus) -> Routing:
    """Where the examples went, and what that says about the topics to mark."""
    kinds = [FocusPage.Standing.EXAMPLE, FocusPage.Standing.BROWSED]
    everything = list(focus.pages.filter(standing__in=kinds).defer("text", "links"))
    pages = [page for page in everything if page.routed_by]
    placed = placed_pages(pages)
    good = good_lineages(focus)
    neighbours = focus.pages.filter(standing=FocusPage.Standing.NEIGHBOUR).exclude(routed_by="")
    near = placed + placed_pages(neighbours.defer("text", "links"))
    passing = passing_lineages(focus)
    counts = gathered_counts(placed)
    names = TopicNames(focus.taxonomy, [*counts, *good, *passing])
    return Routing(
        total=len(everything),
        unrouted=len(everything) - len(pages),
        pages=pages,
        proposals=_proposals(pages, placed, good, names),
        ways=_ways(counts, good, names),
        outside=[pages[n] for n in outside(placed, good)] if good else [],
        mixed=[
            MixedParent(names[parent], strangers)
            for parent, strangers in mixed_parents(near, good)
            if parent not in passing
        ],
        good=[names[topic] for topic in good],
        pass_through=[names[topic] for topic in passing],
    )


def good_lineages(focus: Focus) -> list[Lineage]:
    return _lineages(good_topics_of(focus))


def passing_lineages(focus: Focus) -> list[Lineage]:
    """Topics that count for a crawl's priorities only."""
    return _lineages(list(focus.pass_through_topics.only(*ROW_FIELDS)))


def page_relevances(pages: Sequence[FocusPage], good: Sequence[Lineage]) -> list[float]:
    """R(d) of pages that were routed, to the topics that are good now."""
    return [relevance_of(placed, good) for placed in placed_pages(pages)]


def focus_topics(focus: Focus) -> tuple[list[NamedTopic], list[NamedTopic]]:
    """Good topics and those that count for priority only, with their paths."""
    good, passing = good_lineages(focus), passing_lineages(focus)
    names = TopicNames(focus.taxonomy, [*good, *passing])
    return [names[topic] for topic in sorted(good)], [names[topic] for topic in sorted(passing)]


@dataclass(frozen=True)
class SourceOfExamples:
    label: str
    pages: list[FocusPage]
    hidden: int


def examples_by_source(focus: Focus) -> list[SourceOfExamples]:
    """The examples in the groups in which they came."""
    found = []
    for source in FocusPage.Source:
        pages = focus.pages.examples().filter(source=source)
        shown = list(pages.defer("text", "links", "probabilities")[:SOURCE_SHOWN])
        if shown:
            found.append(SourceOfExamples(source.label, shown, pages.count() - len(shown)))
    return found


def needs_training(focus: Focus) -> bool:
    return current_model(focus.taxonomy) is None


def _lineages(topics: Sequence[Topic]) -> list[Lineage]:
    return [split_path(path) for path in paths_of(topics).values()]


def _proposals(
    pages: Sequence[FocusPage], placed: Sequence[Placed], good: Sequence[Lineage], names: TopicNames
) -> list[ShownProposal]:
    return [
        ShownProposal(
            names[proposal.lineage],
            len(proposal.members),
            proposal.confidence,
            [
                Member(pages[n], placed[n].probability(proposal.lineage))
                for n in proposal.members[:MEMBERS_SHOWN]
            ],
            _mark(proposal.lineage, good),
        )
        for proposal in proposals(placed)[:PROPOSALS_SHOWN]
    ]


def _ways(counts: dict[Lineage, int], good: Sequence[Lineage], names: TopicNames) -> list[WayTopic]:
    made: dict[Lineage, WayTopic] = {}
    top: list[WayTopic] = []
    for lineage, count in counts.items():
        node = made[lineage] = WayTopic(names[lineage], count, _mark(lineage, good))
        (made[lineage[:-1]].children if len(lineage) > 1 else top).append(node)
    for node in made.values():
        node.children.sort(key=lambda child: -child.count)
    return sorted(top, key=lambda node: -node.count)


def _mark(lineage: Lineage, good: Sequence[Lineage]) -> str:
    mark = derive_mark(lineage, good)
    return "" if mark is Mark.NULL else mark.value
