"""Every model behind the same interface; the jury."""

import numpy as np
import pytest

from taxonomy.core.classifier.base import TrainingExample
from taxonomy.core.classifier.calibration import (
    NEVER_HELD_OUT,
    fitted_temperature,
    fold_numbers,
    held_out_folds,
)
from taxonomy.core.classifier.jury import Jury
from taxonomy.core.classifier.linear import LinearTopics
from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.routing import routes
from tests.core.classifier.conftest import WORDS

MODELS = {
    "naive_bayes": HierarchicalNaiveBayes(),
    "pooled naive_bayes": HierarchicalNaiveBayes(compare="siblings"),
    "svm": LinearTopics(),
    "svm per topic": LinearTopics(compare="siblings"),
    "logistic": LinearTopics(kind="logistic", compare="siblings"),
    "logistic at once": LinearTopics(kind="logistic"),
}


@pytest.fixture(params=list(MODELS.values()), ids=list(MODELS))
def model(request, examples):
    return request.param.fit(examples, WORDS)


def test_a_model_routes_clear_texts(model):
    texts = [words + " the and of" for words in WORDS.values()]
    scorer = model.scorer_
    found = [route.lineage for route in routes(scorer.judge(texts), scorer.tree)]
    assert found == list(WORDS)


def test_children_sum_to_their_parent(model):
    scorer = model.scorer_
    found = scorer.judge(["quark oar", "", "the"]).probabilities
    for parent in np.flatnonzero(~scorer.tree.is_leaf):
        children = scorer.tree.children(int(parent))
        assert np.allclose(found[:, children].sum(axis=1), found[:, parent])


def test_batch_and_single_agree(model):
    texts = ["quark oar boat", "serve the match", ""]
    batch = model.scorer_.judge(texts).probabilities
    single = [model.scorer_.judge([text]).probabilities[0] for text in texts]
    assert np.allclose(batch, single, atol=1e-6)


def test_unseen_words_lower_the_confidence_and_change_no_order(model):
    plain, diluted = model.scorer_.judge(
        ["quark photon boat the", "quark photon boat the zzz yyy xxx"]
    ).probabilities[:, model.scorer_.tree.is_leaf]
    assert (np.argsort(plain, kind="stable") == np.argsort(diluted, kind="stable")).all()
    assert diluted.max() < plain.max()


@pytest.mark.parametrize("text", ["", "zzz yyy " * 40, "собака " * 40])
def test_without_a_known_word_all_topics_are_equal(model, text):
    found = model.scorer_.judge([text]).probabilities[0]
    assert np.allclose(found[model.scorer_.tree.is_leaf], 0.25, atol=0.01)


def test_a_few_words_known_by_chance_prove_nothing(model):
    """As in a text of another language."""
    foreign = "set crew " + " ".join(f"wort{letter * 3}" for letter in "abcdefghijklmnopqrst")
    found = model.scorer_.judge([foreign]).probabilities[0]
    assert found[model.scorer_.tree.is_leaf].max() < 0.4


def test_one_word_alone_does_not_convince(model):
    words = " ".join(WORDS["Science", "Physics"].split() * 4)
    one, many = model.scorer_.judge(["quark", words]).probabilities
    column = model.scorer_.tree.columns["Science", "Physics"]
    assert one[column] < (1 + many[column]) / 2
    assert one[column] < many[column]


def test_one_lonely_topic_is_certain(model):
    lonely = type(model)(**model.parameters()).fit([TrainingExample(("A",), "red")], [("A",)])
    assert np.allclose(lonely.scorer_.judge(["red", ""]).probabilities, 1.0)


def test_each_fold_holds_out_pages_of_each_topic_whatever_the_order(examples):
    described = [*examples, TrainingExample(("Sports",), "contests", is_page=False)]
    numbers = fold_numbers(described, 4)
    assert numbers[-1] == NEVER_HELD_OUT
    assert sorted(numbers[:4].tolist()) == [0, 1, 2, 3]
    assert fold_numbers(described[::-1], 4).tolist() == numbers[::-1].tolist()


def test_a_few_pages_leave_the_temperature_as_it_was(examples):
    folds = held_out_folds(lambda: LinearTopics(is_calibrated=False), examples, WORDS, folds=4)
    assert fitted_temperature(list(folds)[:1], otherwise=3.5) == 3.5


def test_the_jury_decides_by_two_of_three(examples):
    jury = Jury(epochs=60).fit(examples, [("Science",)])
    texts = [*WORDS.values()]
    assert jury.votes(texts).shape == (4, 3)
    assert jury.is_relevant(texts).tolist() == [True, True, False, False]


def test_a_jury_needs_both_kinds(examples):
    with pytest.raises(ValueError, match="inside and outside"):
        Jury().fit(examples, [()])
