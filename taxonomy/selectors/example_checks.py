"""Examples that repeat or contradict each other, for the quality screen."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache

from django.db.models.functions import Substr

from taxonomy.core.example_checks import CheckedExample, TwinPair, twin_pairs
from taxonomy.core.tree import split_path
from taxonomy.models import Example, Taxonomy, Topic
from taxonomy.selectors.lineages import NamedTopic
from taxonomy.selectors.trees import ROW_FIELDS, paths_of

EXAMPLES_COMPARED = 3_000  # about a second; the rest is told to be left out
TEXT_COMPARED = 12_000
PAIRS_SHOWN = 25
TITLE_SHOWN = 120


@dataclass(frozen=True)
class Twin:
    title: str
    topic: NamedTopic


@dataclass(frozen=True)
class ShownPair:
    first: Twin
    second: Twin
    similarity: float
    has_same_address: bool


@dataclass(frozen=True)
class ExampleChecks:
    compared: int
    total: int
    contradictions: list[ShownPair]
    contradiction_count: int
    repeats: list[ShownPair]
    repeat_count: int


def example_checks(taxonomy: Taxonomy) -> ExampleChecks:
    """Computed once for a revision of the tree and process."""
    return _checks(taxonomy.pk, taxonomy.revision, taxonomy.created_at)


@lru_cache(maxsize=8)
def _checks(taxonomy_id: int, revision: int, created_at: datetime) -> ExampleChecks:
    """Revision and time of making are there to tell trees and their states apart."""
    taxonomy = Taxonomy.objects.select_related("root").get(pk=taxonomy_id)
    examples = _examples(taxonomy)
    pairs = twin_pairs(examples)
    contradictions = [pair for pair in pairs if pair.is_contradictory]
    repeats = [pair for pair in pairs if not pair.is_contradictory]
    show = _Shower([*contradictions[:PAIRS_SHOWN], *repeats[:PAIRS_SHOWN]])
    return ExampleChecks(
        compared=len(examples),
        total=taxonomy.root.example_count,
        contradictions=[show(pair) for pair in contradictions[:PAIRS_SHOWN]],
        contradiction_count=len(contradictions),
        repeats=[show(pair) for pair in repeats[:PAIRS_SHOWN]],
        repeat_count=len(repeats),
    )


def _examples(taxonomy: Taxonomy) -> list[CheckedExample]:
    rows = (
        Example.objects.in_subtree(taxonomy.root)
        .annotate(beginning=Substr("text", 1, TEXT_COMPARED))
        .order_by("pk")
        .values_list("pk", "topic_id", "beginning", "title", "url")[:EXAMPLES_COMPARED]
    )
    return [CheckedExample(pk, topic, text or title, url) for pk, topic, text, title, url in rows]


class _Shower:
    """Gives pairs the titles and topics of their examples, read together."""

    def __init__(self, pairs: Sequence[TwinPair]) -> None:
        both = [each for pair in pairs for each in (pair.first, pair.second)]
        rows = Example.objects.filter(pk__in=[each.id for each in both])
        self.titles = {
            pk: (title or url or text)[:TITLE_SHOWN]
            for pk, title, url, text in rows.annotate(
                beginning=Substr("text", 1, TITLE_SHOWN)
            ).values_list("pk", "title", "url", "beginning")
        }
        topics = Topic.objects.filter(pk__in={each.topic for each in both}).only(*ROW_FIELDS)
        self.topics = {
            pk: NamedTopic(split_path(path), pk) for pk, path in paths_of(list(topics)).items()
        }

    def __call__(self, pair: TwinPair) -> ShownPair:
        twins = [
            Twin(self.titles[each.id], self.topics[each.topic])  # type: ignore[index]
            for each in (pair.first, pair.second)
        ]
        return ShownPair(twins[0], twins[1], pair.similarity, pair.has_same_address)
