"""The registry of models as its screens show it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import ExpressionWrapper, F, IntegerField, Value

from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.selectors.lineages import NamedTopic, TopicNames
from taxonomy.selectors.models import models_of

MODELS_SHOWN = 50
CHANGES_SHOWN = 15
SCORES = [  # key, label, whether more is better
    ("top_accuracy", "Right at the top level", True),
    ("leaf_accuracy", "Right down to the topic", True),
    ("brier", "Brier score", False),
]


@dataclass(frozen=True)
class ModelPage:
    models: Sequence[TrainedModel]  # each with `newer_edits`, made after it
    is_newest: bool
    next_before: int | None

    @property
    def is_comparable(self) -> bool:
        """Two of them are ready; one in training can't be compared yet."""
        return sum(each.state == TrainedModel.State.READY for each in self.models) > 1


@dataclass(frozen=True)
class ScoreChange:
    label: str
    before: float | None
    after: float | None
    is_share: bool
    trend: str  # "better", "worse", or nothing

    @property
    def difference(self) -> float | None:
        if self.before is None or self.after is None:
            return None
        return self.after - self.before


@dataclass(frozen=True)
class ParameterChange:
    name: str
    before: Any
    after: Any

    @property
    def is_changed(self) -> bool:
        return bool(self.before != self.after)


@dataclass(frozen=True)
class TopicChange:
    topic: NamedTopic
    before: float
    after: float
    pages: int

    @property
    def difference(self) -> float:
        return self.after - self.before


@dataclass(frozen=True)
class Comparison:
    before: TrainedModel
    after: TrainedModel
    scores: list[ScoreChange]
    parameters: list[ParameterChange]
    better: list[TopicChange]
    worse: list[TopicChange]
    compared: int  # topics with enough held-out pages in both


def model_page(taxonomy: Taxonomy, *, before: int | None = None) -> ModelPage:
    """The newest versions first, one page of those before a version."""
    newer = ExpressionWrapper(
        Value(taxonomy.revision) - F("taxonomy_revision"), output_field=IntegerField()
    )
    models = models_of(taxonomy).annotate(newer_edits=newer).order_by("-version")
    if before is not None:
        models = models.filter(version__lt=before)
    found = list(models[: MODELS_SHOWN + 1])
    shown = found[:MODELS_SHOWN]
    has_more = len(found) > len(shown)
    return ModelPage(shown, before is None, shown[-1].version if has_more else None)


def ready_versions(taxonomy: Taxonomy) -> list[TrainedModel]:
    """Those that can be compared, without their long lists of scores."""
    ready = models_of(taxonomy).filter(state=TrainedModel.State.READY)
    return list(ready.defer("scores", "parameters").order_by("-version")[:MODELS_SHOWN])


def comparison_of(before: TrainedModel, after: TrainedModel) -> Comparison:
    changes = _topic_changes(before, after)
    by_gain = sorted(changes, key=lambda change: -change.difference)
    return Comparison(
        before=before,
        after=after,
        scores=[_score(before, after, *score) for score in SCORES],
        parameters=_parameters(before, after),
        better=[change for change in by_gain if change.difference > 0][:CHANGES_SHOWN],
        worse=[change for change in reversed(by_gain) if change.difference < 0][:CHANGES_SHOWN],
        compared=len(changes),
    )


def _score(
    before: TrainedModel, after: TrainedModel, key: str, label: str, more_is_better: bool
) -> ScoreChange:
    old, new = before.scores.get(key), after.scores.get(key)
    trend = ""
    if old is not None and new is not None and old != new:
        trend = "better" if (new > old) == more_is_better else "worse"
    return ScoreChange(label, old, new, more_is_better, trend)


def _parameters(before: TrainedModel, after: TrainedModel) -> list[ParameterChange]:
    names = sorted({*before.parameters, *after.parameters})
    return [
        ParameterChange(
            name.replace("_", " "), _told(before.parameters, name), _told(after.parameters, name)
        )
        for name in names
    ]


def _told(parameters: dict[str, Any], name: str) -> str:
    value = parameters.get(name, "not of this kind")
    return f"{value:.4g}" if isinstance(value, float) else str(value) or "automatic"


def _topic_changes(before: TrainedModel, after: TrainedModel) -> list[TopicChange]:
    old, new = _accuracies(before), _accuracies(after)
    common = [lineage for lineage in new if lineage in old]
    names = TopicNames(after.taxonomy, _changed(common, old, new))
    return [
        TopicChange(names[lineage], old[lineage][0], new[lineage][0], new[lineage][1])
        for lineage in common
    ]


def _changed(
    common: Iterable[Lineage],
    old: dict[Lineage, tuple[float, int]],
    new: dict[Lineage, tuple[float, int]],
) -> list[Lineage]:
    return [lineage for lineage in common if old[lineage][0] != new[lineage][0]]


def _accuracies(model: TrainedModel) -> dict[Lineage, tuple[float, int]]:
    scored = model.scores.get("topics", [])
    return {tuple(each["lineage"]): (each["accuracy"], each["pages"]) for each in scored}
