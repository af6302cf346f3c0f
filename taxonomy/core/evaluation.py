"""How good a model is on pages it has not seen: accuracy, confusion, calibration, thin topics."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from taxonomy.core.classifier.base import TopicModel, TrainingExample
from taxonomy.core.classifier.calibration import HeldOutFold, held_out_folds
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.features import FloatArray
from taxonomy.core.routing import Route, routes

BoolArray = npt.NDArray[np.bool_]

FEWEST_PAGES_SCORED = 10  # a topic's own accuracy means little below this
FEWEST_PAGES_TAUGHT = 3  # with fewer a topic is thin
BINS = 10


@dataclass(frozen=True)
class LevelScore:
    depth: int
    pages: int
    accuracy: float


@dataclass(frozen=True)
class TopicScore:
    lineage: Lineage
    pages: int
    accuracy: float


@dataclass(frozen=True)
class Confusion:
    """Pages of `truth` that went to its sibling `taken_for`."""

    truth: Lineage
    taken_for: Lineage
    pages: int


@dataclass(frozen=True)
class ReliabilityBin:
    """Pages whose confidence lay between `lower` and `upper`, and how often it was right."""

    lower: float
    upper: float
    pages: int
    confidence: float
    accuracy: float


@dataclass(frozen=True)
class Calibration:
    brier: float
    error: float  # mean gap between confidence and accuracy, weighted by pages
    bins: tuple[ReliabilityBin, ...]


@dataclass(frozen=True)
class Evaluation:
    pages: int
    levels: tuple[LevelScore, ...]
    topics: tuple[TopicScore, ...]
    confusions: tuple[Confusion, ...]
    top_calibration: Calibration
    leaf_calibration: Calibration
    thin_topics: tuple[Lineage, ...]


def cross_validate(
    make_model: Callable[[], TopicModel],
    examples: Sequence[TrainingExample],
    topics: Iterable[Lineage],
    *,
    folds: int = 4,
) -> Evaluation:
    """Judge every page by a model that was trained without it."""
    lineages = list(topics)
    parts = held_out_folds(make_model, examples, lineages, folds=folds)
    judged = [pair for fold in parts for pair in judged_pages(fold)]
    return evaluate(judged, thin_topics(examples, lineages))


def judged_pages(fold: HeldOutFold) -> list[tuple[Lineage, Route]]:
    """True topic and route of each held-out page."""
    judgement = fold.scorer.judge([page.full_text for page in fold.pages])
    truths = [page.lineage for page in fold.pages]
    return list(zip(truths, routes(judgement, fold.scorer.tree), strict=True))


def evaluate(judged: Sequence[tuple[Lineage, Route]], thin: Iterable[Lineage] = ()) -> Evaluation:
    deepest = max((len(truth) for truth, _ in judged), default=0)
    return Evaluation(
        pages=len(judged),
        levels=tuple(_level_score(judged, depth) for depth in range(1, deepest + 1)),
        topics=topic_scores(judged),
        confusions=confusions(judged),
        top_calibration=_route_calibration([(truth[:1], _cut(r, 1)) for truth, r in judged]),
        leaf_calibration=_route_calibration([(truth, _cut(r, len(truth))) for truth, r in judged]),
        thin_topics=tuple(thin),
    )


def _level_score(judged: Sequence[tuple[Lineage, Route]], depth: int) -> LevelScore:
    """Share of the pages at least this deep whose route agrees down to `depth`."""
    hits = [r.lineage[:depth] == truth[:depth] for truth, r in judged if len(truth) >= depth]
    return LevelScore(depth, len(hits), float(np.mean(hits)))


def topic_scores(judged: Sequence[tuple[Lineage, Route]]) -> tuple[TopicScore, ...]:
    """Accuracy of each topic (inner ones over their subtree) with enough held-out pages."""
    pages: Counter[Lineage] = Counter()
    right: Counter[Lineage] = Counter()
    for truth, found in judged:
        for depth in range(1, len(truth) + 1):
            pages[truth[:depth]] += 1
            right[truth[:depth]] += found.lineage[:depth] == truth[:depth]
    enough = sorted(topic for topic, count in pages.items() if count >= FEWEST_PAGES_SCORED)
    return tuple(TopicScore(topic, pages[topic], right[topic] / pages[topic]) for topic in enough)


def confusions(judged: Sequence[tuple[Lineage, Route]]) -> tuple[Confusion, ...]:
    """Wrong turns, each counted where truth and route part, the commonest first."""
    turns: Counter[tuple[Lineage, Lineage]] = Counter()
    for truth, found in judged:
        for depth in range(1, min(len(truth), len(found.lineage)) + 1):
            if truth[:depth] != found.lineage[:depth]:
                turns[truth[:depth], found.lineage[:depth]] += 1
                break
    ranked = sorted(turns.items(), key=lambda item: (-item[1], item[0]))
    return tuple(Confusion(truth, taken, pages) for (truth, taken), pages in ranked)


def thin_topics(
    examples: Iterable[TrainingExample], topics: Iterable[Lineage]
) -> tuple[Lineage, ...]:
    """Leaves with too few example pages to be trusted."""
    lineages = set(topics)
    inner = {lineage[:depth] for lineage in lineages for depth in range(len(lineage))}
    pages = Counter(example.lineage for example in examples if example.is_page)
    return tuple(sorted(t for t in lineages - inner if pages[t] < FEWEST_PAGES_TAUGHT))


def calibration(confidence: FloatArray, is_right: BoolArray) -> Calibration:
    """Brier score, mean of (confidence - right)^2, and the reliability curve in ten bins."""
    places = np.clip((confidence * BINS).astype(int), 0, BINS - 1)
    bins = tuple(
        _bin(place, confidence[places == place], is_right[places == place])
        for place in np.unique(places)
    )
    gaps = sum(b.pages * abs(b.confidence - b.accuracy) for b in bins)
    brier = float(np.mean((confidence - is_right) ** 2)) if len(confidence) else 0.0
    return Calibration(brier, gaps / max(len(confidence), 1), bins)


def _bin(place: int, confidence: FloatArray, is_right: BoolArray) -> ReliabilityBin:
    mean, share = float(confidence.mean()), float(is_right.mean())
    return ReliabilityBin(place / BINS, (place + 1) / BINS, len(confidence), mean, share)


def _cut(found: Route, depth: int) -> tuple[Lineage, float]:
    """The route down to `depth` and its probability there."""
    steps = found.steps[:depth]
    return (steps[-1].lineage, steps[-1].probability) if steps else ((), 1.0)


def _route_calibration(pairs: Sequence[tuple[Lineage, tuple[Lineage, float]]]) -> Calibration:
    confidence = np.array([probability for _, (_, probability) in pairs], dtype=np.float64)
    is_right = np.array([truth == found for truth, (found, _) in pairs], dtype=bool)
    return calibration(confidence, is_right)
