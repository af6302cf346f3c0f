"""One training from examples to a judged model, free of the database."""

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from taxonomy.core.classifier.base import TopicModel, TopicScorer, TrainingExample
from taxonomy.core.classifier.calibration import held_out_folds
from taxonomy.core.classifier.linear import CALIBRATION_FOLDS, LinearTopics
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.evaluation import Evaluation, evaluate, judged_pages, thin_topics

KINDS = ("naive_bayes", "logistic", "svm")
DEFAULT_HOLDOUT = 0.3
# Measured (docs/classifier.md): with few examples a topic naive Bayes leads and learns at once;
# with many, the support vector machine is the more accurate.
MANY_EXAMPLES_A_TOPIC = 15
LARGE = 20_000  # examples; beyond this one held-out part is judged instead of all

OnProgress = Callable[[str, float], None]


@dataclass(frozen=True)
class Trained:
    scorer: TopicScorer
    evaluation: Evaluation
    parameters: dict[str, Any]
    examples: int
    seconds: float


def suited_kind(examples: Sequence[TrainingExample]) -> str:
    """The kind that does best with as many examples as there are."""
    pages = [example.lineage for example in examples if example.is_page]
    is_rich = bool(pages) and len(pages) / len(set(pages)) >= MANY_EXAMPLES_A_TOPIC
    return "svm" if is_rich else "naive_bayes"


def train(
    examples: Sequence[TrainingExample],
    topics: Sequence[Lineage],
    *,
    kind: str,
    holdout: float = DEFAULT_HOLDOUT,
    on_progress: OnProgress = lambda what, share: None,
) -> Trained:
    """Judge the kind on held-out pages, then train it on all of them."""
    began = time.monotonic()
    on_progress("Learning", 0.1)
    model = _model(kind).fit(examples, topics)
    temperature = model.scorer_.temperature
    folds = max(2, round(1 / holdout))
    tried = 1 if len(examples) > LARGE else folds
    judged = []
    parts = held_out_folds(
        lambda: _model(kind, temperature), examples, topics, folds=folds, tried=tried
    )
    for number, fold in enumerate(parts, start=1):
        judged += judged_pages(fold)
        on_progress("Judging on held-out pages", 0.5 + 0.5 * number / tried)
    return Trained(
        scorer=model.scorer_,
        evaluation=evaluate(judged, thin_topics(examples, topics)),
        parameters={**_parameters(model), "holdout": holdout},
        examples=sum(example.is_page for example in examples),
        seconds=time.monotonic() - began,
    )


def scores_of(evaluation: Evaluation) -> dict[str, Any]:
    """The figures that are kept with a model, as JSON."""
    levels = evaluation.levels
    return {
        **asdict(evaluation),
        "top_accuracy": levels[0].accuracy if levels else None,
        "leaf_accuracy": _leaf_accuracy(evaluation),
        "brier": evaluation.top_calibration.brier,
        "confusions": [asdict(each) for each in evaluation.confusions[:50]],
    }


def _leaf_accuracy(evaluation: Evaluation) -> float | None:
    """Share of the pages whose whole lineage was found."""
    bins = evaluation.leaf_calibration.bins
    pages = sum(each.pages for each in bins)
    return sum(each.accuracy * each.pages for each in bins) / pages if pages else None


def _model(kind: str, temperature: float | None = None) -> TopicModel:
    """A model to be fitted; with a temperature, one that is not calibrated again."""
    known: dict[str, Any] = {} if temperature is None else {"temperature": temperature}
    if kind == "naive_bayes":
        return HierarchicalNaiveBayes(calibration_folds=0 if known else CALIBRATION_FOLDS, **known)
    is_calibrated = temperature is None
    if kind == "svm":
        return LinearTopics(kind="svm", compare="leaves", is_calibrated=is_calibrated, **known)
    return LinearTopics(kind="logistic", compare="siblings", is_calibrated=is_calibrated, **known)


def _parameters(model: TopicModel) -> dict[str, Any]:
    return {name: value for name, value in vars(model).items() if not name.endswith("_")}
