"""The laws of point 11: sums, order, batches, unseen words, empty text, increments."""

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from taxonomy.core.artefact import load_model, save_model
from taxonomy.core.classifier.base import TrainingExample, outermost, relevance
from taxonomy.core.classifier.naive_bayes import Comparison, HierarchicalNaiveBayes
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.features import FloatArray
from tests.core.classifier.conftest import WORDS

WORD = st.sampled_from([*" ".join(WORDS.values()).split(), "the", "unseen", "words"])
TEXT = st.lists(WORD, max_size=40).map(" ".join)
LINEAGE = st.sampled_from([*WORDS, ("Science",), ("Games",)])
EXAMPLE = st.builds(TrainingExample, LINEAGE, TEXT, weight=st.sampled_from([1.0, 2.5]))
EXAMPLES = st.lists(EXAMPLE, min_size=1, max_size=12)
COMPARE = st.sampled_from(["leaves", "siblings"])
TOPICS = [*WORDS, ("Games",)]
QUERIES = ["quark boat", "serve the court", "unseen", "", "gene gene gene oar"]


def fitted(
    examples: Sequence[TrainingExample], compare: Comparison = "leaves", **settings_: Any
) -> HierarchicalNaiveBayes:
    model = HierarchicalNaiveBayes(compare=compare, calibration_folds=0, **settings_)
    return model.fit(examples, TOPICS)


def probabilities(model: HierarchicalNaiveBayes, texts: Sequence[str] = QUERIES) -> FloatArray:
    return model.scorer_.judge(texts).probabilities


@given(EXAMPLES, COMPARE)
@settings(max_examples=50, deadline=None)
def test_probabilities_follow_the_tree(examples, compare):
    model = fitted(examples, compare)
    found = probabilities(model)
    assert np.isfinite(found).all()
    assert (found >= 0).all()
    assert (found <= 1 + 1e-9).all()
    assert (found[:, 0] == 1).all()
    for parent in np.flatnonzero(~model.tree_.is_leaf):
        children = found[:, model.tree_.children(int(parent))]
        assert np.allclose(children.sum(axis=1), found[:, parent])


@given(EXAMPLES, COMPARE, st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_the_order_of_examples_does_not_matter(examples, compare, seed):
    shuffled = random.Random(seed).sample(examples, len(examples))
    one, other = fitted(examples, compare), fitted(shuffled, compare)
    assert np.allclose(probabilities(one), probabilities(other), atol=1e-6)


@given(EXAMPLES, EXAMPLE, COMPARE)
@settings(max_examples=40, deadline=None)
def test_adding_an_example_equals_learning_all_anew(examples, extra, compare):
    model = fitted(examples, compare)
    model.add(extra)
    assert np.allclose(
        probabilities(model), probabilities(fitted([*examples, extra], compare)), atol=1e-6
    )


@given(EXAMPLES, EXAMPLE, COMPARE)
@settings(max_examples=40, deadline=None)
def test_removing_an_example_equals_never_having_learned_it(examples, extra, compare):
    model = fitted([*examples, extra], compare)
    model.remove(extra)
    assert np.allclose(probabilities(model), probabilities(fitted(examples, compare)), atol=1e-6)


@given(EXAMPLES, EXAMPLE, LINEAGE, COMPARE)
@settings(max_examples=40, deadline=None)
def test_moving_an_example_equals_learning_it_elsewhere(examples, extra, target, compare):
    model = fitted([*examples, extra], compare)
    model.move(extra, target)
    moved = TrainingExample(target, extra.text, extra.title, extra.weight)
    assert np.allclose(
        probabilities(model), probabilities(fitted([*examples, moved], compare)), atol=1e-6
    )


def test_moving_changes_the_counts_of_two_topics_only(examples):
    model = fitted(examples)
    before = {lineage: counts.mass.sum() for lineage, counts in model.counts_.items()}
    model.move(examples[0], ("Sports", "Tennis"))
    changed = {t for t, counts in model.counts_.items() if counts.mass.sum() != before[t]}
    assert changed == {("Science", "Physics"), ("Sports", "Tennis")}


def test_an_example_that_was_never_learned_cannot_be_removed(examples):
    with pytest.raises(ValueError, match="never added"):
        fitted(examples).remove(TrainingExample(("Sports", "Tennis"), "quark quark electron"))


def test_an_example_of_an_unknown_topic_changes_nothing(examples):
    model = fitted(examples)
    before = probabilities(model)
    with pytest.raises(KeyError):
        model.move(examples[0], ("Nowhere",))
    with pytest.raises(KeyError):
        model.add(TrainingExample(("Nowhere",), "quark novelty"))
    assert np.array_equal(probabilities(model), before)


@given(st.lists(TEXT, min_size=1, max_size=6), COMPARE)
@settings(max_examples=40, deadline=None)
def test_a_batch_equals_its_documents_one_by_one(texts, compare):
    from tests.core.classifier.conftest import small_examples

    model = fitted(small_examples(), compare)
    single = np.vstack([probabilities(model, [text]) for text in texts])
    assert np.allclose(probabilities(model, texts), single, atol=1e-6)


@given(EXAMPLES, TEXT, st.lists(st.sampled_from(["zzz", "yyy", "собака"]), min_size=1, max_size=9))
@settings(max_examples=40, deadline=None)
def test_unseen_words_lower_the_confidence_and_change_nothing_else(examples, text, unseen):
    """All evidence shrinks by one factor: every order and every proportion stays."""
    model = fitted(examples)
    counts = model.vocabulary_.counts([text, f"{text} {' '.join(unseen)}"])
    plain, diluted = model.scorer_.evidence(counts)
    before, after = model.scorer_.trust(counts)
    assert after <= before
    assert after < before or before <= 0.001**1.5
    assert np.allclose(diluted, plain * after / before, atol=1e-6)


@given(EXAMPLES, st.sampled_from(["uniform", "examples"]))
@settings(max_examples=40, deadline=None)
def test_an_empty_text_gets_the_prior(examples, prior):
    """Equal shares of all topics with words to go by, or shares by their examples plus one."""
    model = fitted(examples, prior=prior)
    found = probabilities(model, ["", "zzz 123 !"])
    taught = {t: own.examples + 1.0 for t, own in model.counts_.items() if len(own.terms)}
    if not taught:
        return  # nothing was learnt, nothing is claimed
    weights = {t: 1.0 if prior == "uniform" else weight for t, weight in taught.items()}
    for topic, column in model.tree_.columns.items():
        inside = sum(w for t, w in weights.items() if t[: len(topic)] == topic)
        if inside and not is_shared_out(model, topic, weights):
            assert np.allclose(found[:, column], inside / sum(weights.values()))


def is_shared_out(
    model: HierarchicalNaiveBayes, topic: Lineage, weights: dict[Lineage, float]
) -> bool:
    """An inner topic's own examples speak for it and not for one of its children."""
    return any(topic[:depth] in weights for depth in range(len(topic)))


@given(EXAMPLES, COMPARE, st.integers(0, 2**31))
@settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_save_and_load_give_identical_probabilities(tmp_path, examples, compare, number):
    model = fitted(examples, compare, temperature=1 + number % 97)
    save_model(tmp_path / "model.npz", model.scorer_)
    loaded, _ = load_model(tmp_path / "model.npz")
    assert np.array_equal(loaded.judge(QUERIES).probabilities, probabilities(model))


@given(EXAMPLES, st.lists(EXAMPLE, max_size=5), st.data(), COMPARE)
@settings(max_examples=40, deadline=None)
def test_many_changes_at_once_equal_learning_all_anew(examples, extra, data, compare):
    model = fitted(examples, compare)
    gone = data.draw(st.lists(st.sampled_from(range(len(examples))), unique=True))
    model.change(added=extra, removed=[examples[place] for place in gone])
    left = [example for place, example in enumerate(examples) if place not in gone]
    assert np.allclose(
        probabilities(model), probabilities(fitted([*left, *extra], compare)), atol=1e-6
    )


def test_the_order_of_examples_does_not_matter_to_the_calibration(examples):
    many = [replace(e, text=f"{e.text} {word}") for e in examples for word in ("red", "green")]
    models = [
        HierarchicalNaiveBayes().fit(order, TOPICS)
        for order in (many, random.Random(1).sample(many, len(many)))
    ]
    one, other = (model.scorer_.temperature for model in models)
    assert one == pytest.approx(other, rel=1e-6)
    assert one != HierarchicalNaiveBayes().temperature


def test_a_topic_without_examples_has_no_probability(examples):
    model = fitted(examples)
    assert (probabilities(model)[:, model.tree_.columns["Games",]] == 0).all()


def test_examples_of_an_inner_topic_count_for_it_and_not_among_its_children(examples):
    plain = fitted(examples)
    extra = TrainingExample(("Science",), "laboratory laboratory hypothesis")
    taught = fitted([*examples, extra])
    text = ["laboratory hypothesis oar"]
    science, physics = plain.tree_.columns["Science",], plain.tree_.columns["Science", "Physics"]
    assert probabilities(taught, text)[0, science] > probabilities(plain, text)[0, science]
    inside = probabilities(taught, text)[0]
    assert inside[physics] / inside[science] == pytest.approx(0.5)


def test_a_heavier_example_counts_more(examples):
    extra = TrainingExample(("Sports", "Rowing"), "quark quark photon", weight=0.1)
    heavy = TrainingExample(("Sports", "Rowing"), "quark quark photon", weight=10.0)
    column = fitted(examples).tree_.columns["Sports", "Rowing"]
    light, strong = (
        probabilities(fitted([*examples, e]), ["quark"])[0, column] for e in (extra, heavy)
    )
    assert strong > light


def test_the_relevance_is_the_sum_over_the_outermost_good_topics(examples):
    model = fitted(examples)
    judgement = model.scorer_.judge(QUERIES)
    good = [("Science",), ("Science", "Physics"), ("Sports", "Rowing")]
    assert outermost(good) == [("Science",), ("Sports", "Rowing")]
    found = relevance(judgement, model.tree_, good)
    columns = [model.tree_.columns[t] for t in outermost(good)]
    assert np.allclose(found, judgement.probabilities[:, columns].sum(axis=1))
    assert np.allclose(relevance(judgement, model.tree_, [()]), 1.0)
    assert np.allclose(relevance(judgement, model.tree_, [("Science",), ("Sports",)]), 1.0)


def test_feature_selection_keeps_the_words_that_tell_children_apart(examples):
    model = fitted(examples, "siblings", max_features=16)
    words, tree = model.vocabulary_, model.tree_
    science = model.scorer_.weights[:, tree.columns["Science", "Physics"]].toarray().ravel()
    assert science[words.column("quark")] > 0
    assert science[words.column("the")] == 0


def test_the_parameters_rebuild_the_model():
    model = HierarchicalNaiveBayes(smoothing=0.7, prior="examples")
    assert HierarchicalNaiveBayes(**model.parameters()).parameters() == model.parameters()
