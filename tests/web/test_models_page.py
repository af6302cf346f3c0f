"""The registry of models: who sees, who trains, what is compared, and the way back."""

import pytest
from django.urls import reverse

from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.selectors.models import current_model
from taxonomy.services.edits import topic_rename
from taxonomy.services.training import model_train, models_catch_up, training_start
from tests.taxonomy.test_training import taught
from tests.web.pages import Page

__all__ = ["taught"]

PART = {"HTTP_HX_REQUEST": "true"}
MODELS = reverse("taxonomy:models", args=["taught"])
TRAIN = reverse("taxonomy:model-train", args=["taught"])
COMPARE = reverse("taxonomy:models-compare", args=["taught"])


def use(version: int) -> str:
    return reverse("taxonomy:model-use", args=["taught", version])


@pytest.fixture
def twice(taught: Taxonomy, owner) -> Taxonomy:
    model_train(taxonomy=taught, by=owner)
    model_train(taxonomy=taught, kind="svm")
    return taught


class TestRegistry:
    def test_lists_every_version_with_its_figures(self, as_teammate, twice):
        words = Page(as_teammate.get(MODELS)).words
        assert "2 In use Support vector machine 16 6" in words
        assert "1 Naive Bayes 16 6" in words
        assert "by olga" in words
        assert "by itself" in words

    def test_is_empty_before_the_first_training(self, as_owner, taught):
        page = Page(as_owner.get(MODELS))
        assert "No model yet" in page.words
        assert page.has_form(TRAIN)

    def test_a_viewer_is_told_who_trains(self, as_teammate, twice):
        page = Page(as_teammate.get(MODELS))
        assert not page.has_form(TRAIN)
        assert not page.has_form(use(1))
        assert "Curators of your team train models" in page.words

    def test_says_how_many_edits_are_newer(self, as_teammate, twice, owner, at_music):
        topic_rename(taxonomy=twice, topic=at_music, name="Sound", by=owner)
        assert Page(as_teammate.get(MODELS)).words.count("1 edit newer") == 2

    def test_a_failed_training_says_why(self, as_teammate, taught):
        model = training_start(taxonomy=taught)
        TrainedModel.objects.filter(pk=model.pk).update(state="failed", failure="<b>No disk</b>")
        page = Page(as_teammate.get(MODELS))
        assert "1 Failed <b>No disk</b>" in page.words

    def test_older_versions_are_on_further_pages(self, as_teammate, taught):
        TrainedModel.objects.bulk_create(
            TrainedModel(
                taxonomy=taught, version=n, kind="svm", state="failed", taxonomy_revision=0
            )
            for n in range(1, 61)
        )
        first = Page(as_teammate.get(MODELS))
        assert f"{MODELS}?before=11" in first.links
        second = Page(as_teammate.get(MODELS, {"before": "11"}))
        assert "version-10" in second.ids
        assert "version-11" not in second.ids
        assert as_teammate.get(MODELS, {"before": "nonsense"}).status_code == 200

    def test_the_number_of_queries_does_not_grow(
        self, as_teammate, twice, django_assert_max_num_queries
    ):
        for _ in range(3):
            model_train(taxonomy=twice)
        with django_assert_max_num_queries(12):
            as_teammate.get(MODELS)


@pytest.fixture
def at_music(taught):
    from taxonomy.selectors.trees import topic_by_path

    return topic_by_path(taxonomy=taught, path="/Music")


class TestTraining:
    @pytest.mark.parametrize("kind", ["", "naive_bayes", "logistic", "svm"])
    def test_a_curator_starts_one_and_a_worker_does_it(self, as_curator, taught, kind):
        assert as_curator.post(TRAIN, {"kind": kind})["Location"] == MODELS
        page = Page(as_curator.get(MODELS))
        assert "Version 1 is being trained" in page.words
        assert "Waiting for a worker" in page.words
        assert not page.has_form(TRAIN)
        assert models_catch_up() == ["trained"]
        model = current_model(taught)
        assert model is not None
        assert model.kind == (kind or "naive_bayes")
        assert model.trained_by is not None

    def test_a_second_one_waits_for_the_first(self, as_curator, taught):
        as_curator.post(TRAIN)
        as_curator.post(TRAIN)
        assert "is being trained already" in Page(as_curator.get(MODELS)).words
        assert TrainedModel.objects.count() == 1

    def test_an_unknown_kind_is_refused(self, as_curator, taught):
        as_curator.post(TRAIN, {"kind": "oracle"})
        assert "no such kind of model" in Page(as_curator.get(MODELS)).words
        assert not TrainedModel.objects.exists()

    def test_a_waiting_script_gets_the_progress_and_then_the_registry(self, as_teammate, taught):
        model = training_start(taxonomy=taught)
        TrainedModel.objects.filter(pk=model.pk).update(progress="Learning", progress_share=0.4)
        part = as_teammate.get(MODELS, **PART)
        assert part["HX-Retarget"] == "#training"
        assert "Learning" in Page(part).words
        assert "40 %" in Page(part).words
        TrainedModel.objects.filter(pk=model.pk).update(state="failed", failure="Oh")
        part = as_teammate.get(MODELS, **PART)
        assert part["HX-Retarget"] == "#models"
        assert "The training has ended." in Page(part).words


class TestUse:
    def test_goes_back_with_an_undo(self, as_curator, twice):
        as_curator.post(use(1))
        assert current_model(twice).version == 1  # type: ignore[union-attr]
        page = Page(as_curator.get(MODELS))
        assert "Version 1 judges from now on." in page.words
        assert page.has_form(use(2))
        as_curator.post(page.form(use(2)).action, {"token": "use"})
        assert current_model(twice).version == 2  # type: ignore[union-attr]

    def test_a_version_gone_back_to_is_told_to_stay_as_it_is(self, as_curator, twice):
        told = "Version 1 was chosen instead of a newer one."
        assert told not in Page(as_curator.get(MODELS)).words
        as_curator.post(use(1))
        assert told in Page(as_curator.get(MODELS)).words
        as_curator.post(use(2))
        assert "was chosen instead" not in Page(as_curator.get(MODELS)).words

    def test_a_failed_version_can_not_be_used(self, as_curator, twice):
        TrainedModel.objects.filter(version=1).update(state="failed")
        as_curator.post(use(1))
        assert "can't be used" in Page(as_curator.get(MODELS)).words
        assert current_model(twice).version == 2  # type: ignore[union-attr]

    def test_a_version_that_never_was_is_not_found(self, as_curator, twice):
        assert as_curator.post(use(99)).status_code == 404


class TestCompare:
    def test_puts_two_versions_side_by_side(self, as_teammate, twice):
        words = Page(as_teammate.get(COMPARE, {"a": "1", "b": "2"})).words
        assert "Score Version 1 Version 2 Change" in words
        assert "Right at the top level" in words
        assert "fitted temperature" in words
        assert "No topic has 10 held-out pages in both versions" in words

    def test_takes_the_newest_two_without_a_choice(self, as_teammate, twice):
        assert "Score Version 1 Version 2" in Page(as_teammate.get(COMPARE)).words

    def test_names_the_topics_that_changed(self, as_teammate, twice):
        for version, accuracy in ((1, 0.5), (2, 0.8)):
            model = TrainedModel.objects.get(version=version)
            scored = [
                {"lineage": ["Music"], "pages": 20, "accuracy": accuracy},
                {"lineage": ["Cycling"], "pages": 10, "accuracy": 1 - accuracy},
            ]
            model.scores = {**model.scores, "topics": scored}
            model.save()
        words = Page(as_teammate.get(COMPARE)).words
        assert "Better topics Music 50 % → 80 % of 20 pages" in words
        assert "Worse topics Cycling 50 % → 20 % of 10 pages" in words

    def test_is_offered_once_two_versions_are_ready(self, as_teammate, taught):
        model_train(taxonomy=taught)
        training_start(taxonomy=taught)
        assert COMPARE not in Page(as_teammate.get(MODELS)).links
        models_catch_up()
        assert COMPARE in Page(as_teammate.get(MODELS)).links

    def test_says_so_when_there_is_nothing_to_compare(self, as_teammate, taught):
        assert "Nothing to compare yet" in Page(as_teammate.get(COMPARE)).words

    def test_the_same_version_twice_is_pointed_out(self, as_teammate, twice):
        words = Page(as_teammate.get(COMPARE, {"a": "2", "b": "2"})).words
        assert "the same version twice" in words

    @pytest.mark.parametrize(
        ("a", "status"), [("x", 200), ("99", 404), ("-1", 200), ("9" * 30, 200)]
    )
    def test_odd_addresses_do_no_harm(self, as_teammate, twice, a, status):
        assert as_teammate.get(COMPARE, {"a": a, "b": "2"}).status_code == status

    def test_a_training_without_scores_can_be_compared(self, as_teammate, twice):
        training_start(taxonomy=twice)
        assert as_teammate.get(COMPARE, {"a": "3", "b": "2"}).status_code == 200
