import numpy as np
import pytest

from benchmarks.classifier_corpora import WIKISPEEDIA, accepted_branches, wikispeedia
from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.evaluation import (
    Evaluation,
    calibration,
    confusions,
    cross_validate,
    evaluate,
    thin_topics,
)
from taxonomy.core.routing import RankedTopic, Route, routes
from tests.core.classifier.conftest import WORDS


def _route(*names: str, probability: float = 0.9) -> Route:
    steps = [RankedTopic(names[:depth], probability) for depth in range(1, len(names) + 1)]
    return Route(tuple(steps), None)


def test_levels_and_confusions_count_where_the_ways_part():
    judged = [
        (("A", "x"), _route("A", "x")),
        (("A", "x"), _route("A", "y")),
        (("A", "x"), _route("B", "z")),
        (("B", "z"), _route("A", "y")),
    ]
    found = evaluate(judged)
    assert [(level.depth, level.accuracy) for level in found.levels] == [(1, 0.5), (2, 0.25)]
    turns = {(c.truth, c.taken_for): c.pages for c in confusions(judged)}
    assert turns == {
        (("A", "x"), ("A", "y")): 1,
        (("A",), ("B",)): 1,
        (("B",), ("A",)): 1,
    }


def test_topics_are_scored_once_they_have_ten_pages():
    judged = [(("A", "x"), _route("A", "x"))] * 9 + [(("A", "y"), _route("B", "z"))]
    assert [(t.lineage, t.accuracy) for t in evaluate(judged).topics] == [(("A",), 0.9)]


def test_a_calibrated_forecast_has_no_error():
    confidence = np.array([0.75] * 4 + [1.0] * 2)
    right = np.array([True, True, True, False, True, True])
    found = calibration(confidence, right)
    assert found.error == pytest.approx(0)
    assert found.brier == pytest.approx((3 * 0.25**2 + 0.75**2) / 6)
    assert [(b.lower, b.pages) for b in found.bins] == [(0.7, 4), (0.9, 2)]


def test_nothing_to_evaluate_is_no_error():
    assert evaluate([]).pages == 0


def test_thin_topics_are_leaves_with_few_pages(examples):
    extra = TrainingExample(("Games",), "words only", is_page=False)
    assert thin_topics([*examples, extra], [*WORDS, ("Games",), ("Sports",)]) == (("Games",),)


def test_cross_validation_judges_every_page_once(examples):
    found = cross_validate(lambda: HierarchicalNaiveBayes(calibration_folds=0), examples, WORDS)
    assert found.pages == len(examples)
    assert found.levels[0].accuracy > 0.9


def test_the_shipped_topics_tell_themselves_apart(shipped):
    examples, topics = shipped
    model = lambda: HierarchicalNaiveBayes(calibration_folds=0, temperature=13.0)  # noqa: E731
    found = cross_validate(model, examples, topics)
    assert found.levels[0].accuracy > 0.93
    assert evaluate_leaves(found) > 0.88
    assert found.thin_topics == ()
    assert found.top_calibration.error < 0.05


def evaluate_leaves(found: Evaluation) -> float:
    bins = found.leaf_calibration.bins
    return sum(b.accuracy * b.pages for b in bins) / found.pages


@pytest.mark.skipif(not WIKISPEEDIA.exists(), reason="the shared corpora are not here")
def test_the_shipped_model_finds_the_top_topic_of_real_pages(shipped_model):
    pages = wikispeedia(every=4)
    scorer = shipped_model.scorer_
    judgement = scorer.judge([page.full_text for page in pages])
    found = routes(judgement, scorer.tree)
    tops = [{branch[0] for branch in accepted_branches(page.labels)} for page in pages]
    right = np.array([r.lineage[0] in accepted for r, accepted in zip(found, tops, strict=True)])
    assert right.mean() > 0.83
    confidence = np.array([r.steps[0].probability for r in found])
    measured = calibration(confidence, right)
    assert measured.error < 0.1  # low for pages that may stand in several places
    assert (confidence > 0.999).mean() < 0.4
