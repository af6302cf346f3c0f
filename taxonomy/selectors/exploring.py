"""The neighbourhood of a focus's examples: what its pages link to, and how it fits."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count
from django.http import Http404

from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.tree import split_path
from taxonomy.core.words import distinctive_words, words_of
from taxonomy.models import Focus, FocusPage, Topic
from taxonomy.selectors.guide import good_lineages, page_relevances
from taxonomy.selectors.topics import WebAddress, web_address, words_of_topic
from taxonomy.selectors.trees import topic_by_path

EXAMPLES_SHOWN = 60
WORDS_TOLD = 6
TEXT_READ = 4_000
GUESSED = 2

Standing = FocusPage.Standing


@dataclass(frozen=True)
class Neighbour:
    """A page one or two links away from an example."""

    page: FocusPage
    relevance: float
    shared: list[str]  # distinctive words of the topics that stand in its title
    address: WebAddress | None


@dataclass(frozen=True)
class Exploration:
    examples: list[FocusPage]
    around: FocusPage | None  # the example whose neighbours are shown; nothing: all of them
    neighbours: list[Neighbour]
    waiting: int
    words: list[str]


def exploration_of(focus: Focus, around: FocusPage | None = None) -> Exploration:
    """Neighbours in the order of how many distinctive words their titles share, then relevance."""
    words = topic_words(focus)
    found = focus.pages.filter(standing=Standing.NEIGHBOUR).defer("text", "links")
    if around is not None:
        found = found.filter(found_on__in=[around.pk, *_found_on(around)])
    pages = [page for page in found if page.state == FocusPage.State.READ and page.routed_by]
    relevances = page_relevances(pages, _wanted(focus))
    neighbours = [
        Neighbour(page, relevance, shared_words(page.title, words), web_address(page.url))
        for page, relevance in zip(pages, relevances, strict=True)
    ]
    return Exploration(
        examples=list(
            focus.pages.examples()
            .filter(state=FocusPage.State.READ)
            .defer("text", "links", "probabilities")[:EXAMPLES_SHOWN]
        ),
        around=around,
        neighbours=sorted(neighbours, key=lambda each: (-len(each.shared), -each.relevance)),
        waiting=found.filter(state=FocusPage.State.WAITING).count(),
        words=words[: 2 * WORDS_TOLD],
    )


def topic_words(focus: Focus) -> list[str]:
    """The most distinctive words of the wanted topics, and of the examples themselves."""
    wanted = _wanted(focus)
    words = [
        word
        for lineage in wanted
        for topic in _known_topic(focus, lineage)
        for word in words_of_topic(focus.taxonomy, topic, lineage).words
    ]
    return list(dict.fromkeys([*words, *_example_words(focus, wanted)]))


def _wanted(focus: Focus) -> list[Lineage]:
    """The good topics; before any is marked, those that most examples fall in."""
    if good := good_lineages(focus):
        return good
    rows = focus.pages.examples().exclude(topic="").values("topic").annotate(count=Count("pk"))
    return [split_path(row["topic"]) for row in rows.order_by("-count", "topic")[:GUESSED]]


def _known_topic(focus: Focus, lineage: Lineage) -> list[Topic]:
    """None if it was renamed or deleted since."""
    try:
        return [topic_by_path(taxonomy=focus.taxonomy, path="/" + "/".join(lineage))]
    except Http404:
        return []


def shared_words(text: str, words: Iterable[str]) -> list[str]:
    known = set(words_of(text))
    return [word for word in words if word in known][:WORDS_TOLD]


def likely_links(
    links: Sequence[tuple[str, str]], words: Sequence[str], most: int
) -> list[tuple[str, str]]:
    """Those whose anchors share most of the words, in the order of the page."""
    return sorted(links, key=lambda link: -len(shared_words(link[1], words)))[:most]


def _found_on(around: FocusPage) -> list[int]:
    return list(around.neighbours.values_list("pk", flat=True))


def _example_words(focus: Focus, wanted: Sequence[Lineage]) -> list[str]:
    """Words in many examples inside the wanted topics and in few outside."""
    paths = ["/" + "/".join(lineage) for lineage in wanted]
    inside: Counter[str] = Counter()
    around: Counter[str] = Counter()
    for title, text, topic in focus.pages.examples().values_list("title", "text", "topic"):
        is_inside = any(f"{topic}/".startswith(f"{path}/") for path in paths)
        counts = inside if is_inside else around
        counts.update(set(words_of(f"{title} {text[:TEXT_READ]}")))
    return [found.word for found in distinctive_words(inside, around)]
