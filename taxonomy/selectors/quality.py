"""How well the model in use judges, and which examples hold it back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.evaluation import BINS, FEWEST_PAGES_SCORED, FEWEST_PAGES_TAUGHT
from taxonomy.models import TrainedModel
from taxonomy.selectors.lineages import NamedTopic, TopicNames

TOPICS_SHOWN = 20
CONFUSIONS_SHOWN = 15
THIN_SHOWN = 40
FAIR_GAP = 0.05  # between what is told and what is true; beyond it a figure misleads
SHOWN_BIN = 10  # pages; below this the share of right ones is a matter of chance


@dataclass(frozen=True)
class Level:
    depth: int
    pages: int
    accuracy: float


@dataclass(frozen=True)
class TopicQuality:
    topic: NamedTopic
    pages: int
    accuracy: float


@dataclass(frozen=True)
class Mixup:
    """Pages of one topic that went to its sibling."""

    truth: NamedTopic
    taken_for: NamedTopic
    pages: int


@dataclass(frozen=True)
class ReliabilityRow:
    """Pages that were told a probability between two tenths, and how many were right."""

    lower: float
    upper: float
    top: dict[str, Any] | None
    leaf: dict[str, Any] | None


@dataclass(frozen=True)
class Quality:
    model: TrainedModel
    pages: int
    levels: list[Level]
    topics: list[TopicQuality]  # the worst first
    topics_scored: int
    mixups: list[Mixup]
    thin: list[NamedTopic]
    thin_count: int
    reliability: list[ReliabilityRow]
    summary: str

    @property
    def newer_edits(self) -> int:
        return self.model.taxonomy.revision - self.model.taxonomy_revision

    @property
    def chart(self) -> dict[str, list[list[float]]]:
        """Points of the reliability curve: told, true, pages."""
        return {
            "top": _points(row.top for row in self.reliability),
            "leaf": _points(row.leaf for row in self.reliability),
        }


def quality_of(model: TrainedModel) -> Quality:
    """What was measured when the model was trained, with links into the tree as it is now."""
    scores = model.scores
    scored = sorted(scores["topics"], key=lambda each: (each["accuracy"], -each["pages"]))
    confusions = scores["confusions"][:CONFUSIONS_SHOWN]
    thin = [tuple(lineage) for lineage in scores["thin_topics"][:THIN_SHOWN]]
    names = TopicNames(model.taxonomy, [*_lineages(scored[:TOPICS_SHOWN], confusions), *thin])
    return Quality(
        model=model,
        pages=scores["pages"],
        levels=[Level(**level) for level in scores["levels"]],
        topics=[
            TopicQuality(names[each["lineage"]], each["pages"], each["accuracy"])
            for each in scored[:TOPICS_SHOWN]
        ],
        topics_scored=len(scored),
        mixups=[
            Mixup(names[each["truth"]], names[each["taken_for"]], each["pages"])
            for each in confusions
        ],
        thin=[names[lineage] for lineage in thin],
        thin_count=len(scores["thin_topics"]),
        reliability=_reliability(scores),
        summary=_summary(scores["top_calibration"]),
    )


def limits() -> dict[str, int]:
    """Figures that the explanations on the page mention."""
    return {"fewest_scored": FEWEST_PAGES_SCORED, "fewest_taught": FEWEST_PAGES_TAUGHT}


def _lineages(scored: Sequence[Any], confusions: Sequence[Any]) -> list[Lineage]:
    pairs = [each[key] for each in confusions for key in ("truth", "taken_for")]
    return [tuple(names) for names in [*(each["lineage"] for each in scored), *pairs]]


def _reliability(scores: dict[str, Any]) -> list[ReliabilityRow]:
    top = {each["lower"]: each for each in scores["top_calibration"]["bins"]}
    leaf = {each["lower"]: each for each in scores["leaf_calibration"]["bins"]}
    return [
        ReliabilityRow(lower, lower + 1 / BINS, top.get(lower), leaf.get(lower))
        for lower in sorted({*top, *leaf})
    ]


def _points(bins: Iterable[dict[str, Any] | None]) -> list[list[float]]:
    return [[b["confidence"], b["accuracy"], b["pages"]] for b in bins if b is not None]


def _summary(calibration: dict[str, Any]) -> str:
    """The curve in a sentence or two."""
    gap, bins = calibration["error"], calibration["bins"]
    verdict = "can be taken at face value" if gap <= FAIR_GAP else "should be taken with care"
    told = (
        f"At the top level the told probability and the share of right pages differ by "
        f"{gap:.2f} on average: the figures {verdict}."
    )
    weighty = [each for each in bins if each["pages"] >= SHOWN_BIN]
    if not weighty:
        return told
    worst = max(weighty, key=lambda each: abs(each["confidence"] - each["accuracy"]))
    direction = "too sure" if worst["confidence"] > worst["accuracy"] else "too modest"
    return (
        f"{told} The widest gap is around {worst['confidence']:.2f}, where {worst['accuracy']:.0%} "
        f"of {worst['pages']} pages were right: it is {direction} there."
    )
