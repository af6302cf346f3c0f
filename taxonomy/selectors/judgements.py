"""What the current model says about texts."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.classifier.base import relevance
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.explain import Doubt, doubts
from taxonomy.core.routing import RankedTopic, Route, best_leaves, route
from taxonomy.core.tree import split_path
from taxonomy.selectors.models import Judge

BATCH = 256
LEAVES_TOLD = 10


@dataclass(frozen=True)
class Opinion:
    """Where a text belongs, and how sure the model is."""

    leaves: tuple[RankedTopic, ...]
    route: Route
    relevance: float | None  # only when good topics were named
    doubts: tuple[Doubt, ...]


class UnknownTopicError(FocusAdminError):
    """A path that the model has no topic for."""


def lineages_named(judge: Judge, paths: Sequence[str]) -> list[Lineage]:
    """The model's topics at the paths, whatever their case."""
    known = {_key(lineage): lineage for lineage in judge.scorer.tree.lineages}
    wanted = {path: _key(split_path(path)) for path in paths}
    missing = [path for path, key in wanted.items() if key not in known]
    if missing:
        raise UnknownTopicError(f"The model knows no topic {', '.join(missing)}.")
    return [known[key] for key in wanted.values()]


def opinions(
    judge: Judge, texts: Iterable[str], *, good: Sequence[Lineage] = (), leaves: int = LEAVES_TOLD
) -> Iterator[Opinion]:
    """One opinion a text, in batches: texts may be without end."""
    waiting = iter(texts)
    while batch := list(islice(waiting, BATCH)):
        yield from _batch(judge, batch, good, leaves)


def _batch(
    judge: Judge, texts: list[str], good: Sequence[Lineage], leaves: int
) -> Iterator[Opinion]:
    scorer = judge.scorer
    judgement = scorer.judge(texts)
    relevances = relevance(judgement, scorer.tree, good) if good else [None] * len(texts)
    for row, text, share in zip(judgement.log_probabilities, texts, relevances, strict=True):
        yield Opinion(
            leaves=tuple(best_leaves(row, scorer.tree, leaves)),
            route=route(row, scorer.tree),
            relevance=None if share is None else float(share),
            doubts=doubts(scorer, text),
        )


def _key(lineage: Lineage) -> Lineage:
    return tuple(name.casefold() for name in lineage)
