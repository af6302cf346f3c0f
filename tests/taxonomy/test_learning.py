"""Edits of examples change counts, and the counts are what a full training would give."""

import copy
import random
from collections.abc import Callable
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from taxonomy.core.classifier.naive_bayes import HierarchicalNaiveBayes
from taxonomy.core.records import ExampleRecord
from taxonomy.models import Example, Taxonomy, Topic, TrainedModel
from taxonomy.selectors.models import current_model, judge_of
from taxonomy.services import edits, learning
from taxonomy.services.learning import Learner, learner_keep, learner_take, lesson_of
from taxonomy.services.training import model_train, models_catch_up
from tests.taxonomy.test_training import WORDS, taught

__all__ = ["taught"]

QUERIES = ["peloton chain", "the soprano and the saxophone", "zzz unseen", "stage stage", ""]
VOCABULARY = [*" ".join(WORDS.values()).split(), "theremin", "zzz", "unseen"]


class Curator:
    """Adds, moves, removes and takes back, at random."""

    def __init__(self, taxonomy: Taxonomy, by, seed: int) -> None:
        self.taxonomy, self.by, self.dice = taxonomy, by, random.Random(seed)

    def topic(self) -> Topic:
        return self.dice.choice(list(Topic.objects.of(self.taxonomy)))

    def edit_once(self) -> None:
        self.dice.choice([self.add, self.move, self.remove, self.undo])()
        settled = timezone.now() - timedelta(hours=1)
        Taxonomy.objects.filter(pk=self.taxonomy.pk).update(edited_at=settled)

    def add(self) -> None:
        text = " ".join(self.dice.choices(VOCABULARY, k=self.dice.randint(1, 20)))
        edits.example_add(
            taxonomy=self.taxonomy,
            topic=self.topic(),
            record=ExampleRecord((), "New", "", text),
            by=self.by,
        )

    def some(self) -> tuple[Topic, list[int]]:
        kept = list(Example.objects.in_subtree(self.taxonomy.root).select_related("topic"))
        topic = self.dice.choice(kept).topic
        own = [example.pk for example in kept if example.topic_id == topic.pk]
        return topic, self.dice.sample(own, self.dice.randint(1, len(own)))

    def move(self) -> None:
        topic, examples = self.some()
        to = next(other for other in iter(self.topic, None) if other != topic)
        edits.examples_move(
            taxonomy=self.taxonomy, topic=topic, examples=examples, to=to, by=self.by
        )

    def remove(self) -> None:
        topic, examples = self.some()
        if Example.objects.in_subtree(self.taxonomy.root).count() > len(examples) + 4:
            edits.examples_remove(
                taxonomy=self.taxonomy, topic=topic, examples=examples, by=self.by
            )

    def undo(self) -> None:
        made = list(self.taxonomy.edits.filter(undone_by=None))
        if made:
            edits.edit_undo(edit=self.dice.choice(made), by=self.by)


def judged(taxonomy: Taxonomy) -> np.ndarray:
    return judge_of(taxonomy).scorer.judge(QUERIES).probabilities


def trained_anew(taxonomy: Taxonomy) -> np.ndarray:
    """What a full training gives at the temperature in use."""
    lesson, temperature = lesson_of(taxonomy), judge_of(taxonomy).scorer.temperature
    model = HierarchicalNaiveBayes(temperature=temperature, calibration_folds=0)
    return model.fit(lesson.examples, lesson.topics).scorer_.judge(QUERIES).probabilities


@pytest.fixture
def full_counts(monkeypatch) -> list[Taxonomy]:
    """One entry for every time that all examples were counted."""
    counted: list[Taxonomy] = []

    def counting(taxonomy: Taxonomy) -> learning.Lesson:
        counted.append(taxonomy)
        return lesson_of(taxonomy)

    monkeypatch.setattr(learning, "lesson_of", counting)
    return counted


@pytest.mark.parametrize("seed", range(3))
def test_any_edits_of_examples_equal_a_full_training(taught, owner, full_counts, seed):
    model = model_train(taxonomy=taught)
    curator = Curator(taught, owner, seed)
    for _ in range(8):
        for _ in range(curator.dice.randint(1, 3)):
            curator.edit_once()
        models_catch_up()
        np.testing.assert_allclose(judged(taught), trained_anew(taught), atol=1e-6)
    model.refresh_from_db()
    taught.refresh_from_db()
    assert model.taxonomy_revision == taught.revision > 8
    assert model.example_count == Example.objects.in_subtree(taught.root).count()
    assert len(full_counts) == 1  # a worker's first, and from then on only what was edited


@pytest.fixture
def add_theremin(taught, owner) -> Callable[[], None]:
    def add() -> None:
        curator = Curator(taught, owner, 0)
        curator.add()
        Taxonomy.objects.update(edited_at=timezone.now() - timedelta(hours=1))

    return add


def test_a_worker_that_fell_behind_another_counts_nothing_twice(taught, add_theremin):
    model = model_train(taxonomy=taught)
    add_theremin()
    models_catch_up()
    behind = learner_take(model)
    assert behind is not None
    learner_keep(model, copy.deepcopy(behind))
    add_theremin()
    models_catch_up()
    learner_keep(model, behind)
    add_theremin()
    assert models_catch_up() == ["learnt"]
    np.testing.assert_allclose(judged(taught), trained_anew(taught), atol=1e-6)


def test_an_edit_made_while_the_examples_are_read_is_not_counted_twice(taught, add_theremin):
    model_train(taxonomy=taught)
    add_theremin()
    learner = Learner.of(taught, temperature=12.0)
    before = learner.model.scorer_.judge(QUERIES).probabilities
    learner.revision -= 1  # it was read before that edit, the examples after it
    assert learner.follow(taught)
    assert np.array_equal(learner.model.scorer_.judge(QUERIES).probabilities, before)


def test_a_changed_tree_is_more_than_a_learner_can_follow(taught, owner):
    learner = Learner.of(taught, temperature=12.0)
    topic = Topic.objects.of(taught).get(name="Jazz")
    edits.topic_rename(taxonomy=taught, topic=topic, name="Swing", by=owner)
    assert not learner.follow(taught)


def test_learners_of_few_models_are_kept(taught):
    models = [model_train(taxonomy=taught) for _ in range(learning.KEPT + 1)]
    learner = Learner.of(taught, temperature=12.0)
    for model in models:
        learner_keep(model, learner)
    assert [learner_take(model) for model in models] == [None] + [learner] * learning.KEPT


def test_the_registry_knows_how_far_a_model_has_learnt(taught, add_theremin):
    model_train(taxonomy=taught)
    add_theremin()
    models_catch_up()
    model = current_model(taught)
    assert isinstance(model, TrainedModel)
    assert (model.version, model.taxonomy_revision, model.example_count) == (1, 1, 17)
