"""Training in the background: the old model serves until the new one is ready, no edit is lost."""

import os
import time
from datetime import timedelta

import numpy as np
import pytest
from django.utils import timezone

from taxonomy.core.artefact import ArtefactError
from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.core.training import train
from taxonomy.models import Example, Taxonomy, TrainedModel
from taxonomy.selectors.judgements import opinions
from taxonomy.selectors.models import NoModelError, current_model, judge_of, model_file
from taxonomy.services import edits, heartbeats
from taxonomy.services.imports import taxonomy_import
from taxonomy.services.training import (
    OPENED_WITHIN,
    TrainingError,
    model_train,
    model_use,
    models_catch_up,
    silent_trainings_give_up,
    training_run,
    training_start,
)

WORDS = {
    "/Cycling/Racing": "peloton sprint stage yellow jersey breakaway team time trial",
    "/Cycling/Repair": "chain wrench spoke derailleur grease cassette brake cable",
    "/Music/Jazz": "saxophone swing improvisation blue note bebop quartet",
    "/Music/Opera": "aria soprano libretto tenor overture stage orchestra",
}


@pytest.fixture
def taught(team) -> Taxonomy:
    records: list[TopicRecord | ExampleRecord] = []
    for path, words in WORDS.items():
        lineage = tuple(path.strip("/").split("/"))
        records.append(TopicRecord(lineage, f"About {words}"))
        records += [
            ExampleRecord(lineage, f"Page {n}", "", f"{words} {' '.join(words.split()[n:])}")
            for n in range(4)
        ]
    return taxonomy_import(name="Taught", team=team, records=records).taxonomy


def best(taxonomy: Taxonomy, text: str) -> str:
    opinion = next(opinions(judge_of(taxonomy), [text]))
    return "/" + "/".join(opinion.leaves[0].lineage)


def settle(taxonomy: Taxonomy) -> None:
    """As if the last edit was a while ago."""
    Taxonomy.objects.filter(pk=taxonomy.pk).update(edited_at=timezone.now() - timedelta(hours=1))


def add(taxonomy: Taxonomy, path: str, text: str, by) -> None:
    from taxonomy.selectors.trees import topic_by_path

    topic = topic_by_path(taxonomy=taxonomy, path=path)
    record = ExampleRecord((), "New", "", text)
    edits.example_add(taxonomy=taxonomy, topic=topic, record=record, by=by)
    settle(taxonomy)


def test_a_trained_model_judges_and_is_kept_with_its_facts(taught, owner):
    model = model_train(taxonomy=taught, by=owner)
    assert (model.version, model.kind, model.state) == (1, "naive_bayes", "ready")
    assert (model.example_count, model.topic_count) == (16, 6)
    assert model.is_current
    assert model.trained_by == owner
    assert {"top_accuracy", "leaf_accuracy", "brier", "top_calibration"} <= set(model.scores)
    assert best(taught, "a tenor sang the aria") == "/Music/Opera"


@pytest.mark.parametrize("kind", ["naive_bayes", "logistic", "svm"])
def test_every_kind_can_be_trained(taught, kind):
    assert model_train(taxonomy=taught, kind=kind).kind == kind
    assert best(taught, "spoke and derailleur and chain") == "/Cycling/Repair"


def test_before_the_first_training_it_says_what_to_do(taught):
    with pytest.raises(NoModelError, match=r"manage\.py train --taxonomy taught"):
        judge_of(taught)


def test_nothing_to_learn_from_is_a_clear_failure(team):
    empty = taxonomy_import(name="Empty", team=team, records=[TopicRecord(("A",))]).taxonomy
    with pytest.raises(TrainingError, match="no examples"):
        model_train(taxonomy=empty)
    model = TrainedModel.objects.get()
    assert (model.state, model.is_current) == ("failed", False)
    assert "no examples" in model.failure


def test_one_training_of_a_tree_at_a_time(taught):
    training_start(taxonomy=taught)
    with pytest.raises(TrainingError, match="being trained already"):
        training_start(taxonomy=taught)


def test_a_training_whose_worker_was_killed_makes_room(taught):
    started = training_start(taxonomy=taught)
    long_ago = timezone.now() - timedelta(minutes=5)
    TrainedModel.objects.filter(pk=started.pk).update(heartbeat_at=long_ago, progress="Learning")
    model = model_train(taxonomy=taught)
    started.refresh_from_db()
    assert (started.state, model.state) == ("failed", "ready")


def test_a_training_that_was_given_up_does_not_come_into_use(taught):
    first = model_train(taxonomy=taught)
    started = training_start(taxonomy=taught)
    TrainedModel.objects.filter(pk=started.pk).update(state="failed")
    with pytest.raises(TrainingError, match="given up"):
        training_run(started)
    assert current_model(taught) == first


def test_a_failed_training_leaves_the_old_model_in_use(taught, monkeypatch):
    first = model_train(taxonomy=taught)

    def broken(*arguments, **options):
        raise MemoryError

    monkeypatch.setattr("taxonomy.services.training.train", broken)
    with pytest.raises(TrainingError, match="unexpected"):
        model_train(taxonomy=taught)
    assert current_model(taught) == first
    assert best(taught, "peloton sprint") == "/Cycling/Racing"


def test_a_repeated_message_does_not_train_again(taught):
    model = model_train(taxonomy=taught)
    assert training_run(model) == model
    assert TrainedModel.objects.count() == 1


def test_the_scheduler_takes_up_what_waits(taught, owner):
    started = training_start(taxonomy=taught, kind="svm", by=owner)
    assert models_catch_up() == ["trained"]
    assert models_catch_up() == []
    started.refresh_from_db()
    assert (started.state, started.kind, started.is_current) == ("ready", "svm", True)


def test_two_workers_never_do_the_same_training(taught):
    started = training_start(taxonomy=taught)
    late = TrainedModel.objects.get(pk=started.pk)
    training_run(started)
    with pytest.raises(TrainingError, match="another worker"):
        training_run(late)
    assert TrainedModel.objects.count() == 1


def test_a_training_that_fails_in_the_background_keeps_its_reason(team):
    empty = taxonomy_import(name="Empty", team=team, records=[TopicRecord(("A",))]).taxonomy
    started = training_start(taxonomy=empty)
    assert models_catch_up() == []
    started.refresh_from_db()
    assert started.state == "failed"
    assert "no examples" in started.failure


@pytest.mark.parametrize(("minutes", "state"), [(5, "training"), (11, "failed")])
def test_a_training_waits_for_a_busy_worker_but_not_for_ever(taught, minutes, state):
    started = training_start(taxonomy=taught)
    asked_at = timezone.now() - timedelta(minutes=minutes)
    TrainedModel.objects.filter(pk=started.pk).update(heartbeat_at=asked_at)
    silent_trainings_give_up()
    started.refresh_from_db()
    assert started.state == state


def test_rolling_back_and_forward(taught):
    first, second = model_train(taxonomy=taught), model_train(taxonomy=taught, kind="svm")
    assert current_model(taught) == second
    model_use(model=first)
    assert current_model(taught) == first
    model_file(second).unlink()
    with pytest.raises(TrainingError, match="no file"):
        model_use(model=second)
    assert current_model(taught) == first


@pytest.mark.parametrize("spoil", ["cut", "foreign"])
def test_going_back_to_a_damaged_version_is_refused_by_name(taught, spoil):
    first, second = model_train(taxonomy=taught), model_train(taxonomy=taught)
    path = model_file(first)
    whole = model_file(second) if spoil == "foreign" else path
    path.write_bytes(whole.read_bytes()[: None if spoil == "foreign" else -20])
    with pytest.raises(ArtefactError, match=path.name):
        model_use(model=first)
    assert current_model(taught) == second
    assert best(taught, "peloton sprint") == "/Cycling/Racing"


def test_an_added_example_is_learnt_and_equals_a_full_training(taught, owner):
    model_train(taxonomy=taught)
    add(taught, "/Music/Jazz", "theremin theremin theremin", owner)
    assert models_catch_up() == ["learnt"]
    assert models_catch_up() == []
    assert best(taught, "a theremin") == "/Music/Jazz"
    learnt = judge_of(taught).scorer
    model = current_model(taught)
    assert model is not None
    assert (model.version, model.taxonomy_revision, model.example_count) == (1, 1, 17)
    retrained = model_train(taxonomy=taught)
    texts = ["a theremin", "peloton stage", "soprano"]
    again = judge_of(taught).scorer.with_temperature(learnt.temperature)
    assert retrained.version == 2
    np.testing.assert_allclose(
        learnt.judge(texts).probabilities, again.judge(texts).probabilities, atol=1e-6
    )


def test_a_changed_tree_is_trained_anew(taught, owner):
    from taxonomy.selectors.trees import topic_by_path

    model_train(taxonomy=taught)
    topic = topic_by_path(taxonomy=taught, path="/Music/Jazz")
    edits.topic_rename(taxonomy=taught, topic=topic, name="Swing", by=owner)
    settle(taught)
    assert models_catch_up() == ["trained"]
    assert best(taught, "saxophone bebop") == "/Music/Swing"


def test_edits_made_while_training_are_learnt_afterwards(taught, owner):
    started = training_start(taxonomy=taught)

    def edit_meanwhile(what: str, share: float) -> None:
        if what == "Learning":
            add(taught, "/Music/Opera", "surtitles surtitles surtitles", owner)

    model = training_run(started, edit_meanwhile)
    assert model.taxonomy_revision == 0
    assert models_catch_up() == ["learnt"]
    assert best(taught, "surtitles") == "/Music/Opera"


def test_edits_in_a_burst_wait_until_people_pause(taught, owner):
    model_train(taxonomy=taught)
    add(taught, "/Music/Opera", "surtitles", owner)
    Taxonomy.objects.update(edited_at=timezone.now())
    assert models_catch_up() == []


def test_a_damaged_file_is_refused_by_name(taught):
    model = model_train(taxonomy=taught)
    path = model_file(model)
    path.write_bytes(path.read_bytes()[:-20])
    TrainedModel.objects.filter(pk=model.pk).update(checksum="other")
    with pytest.raises(ArtefactError, match=path.name):
        judge_of(taught)


def test_old_states_of_a_version_do_not_pile_up(taught, owner):
    model = model_train(taxonomy=taught)
    long_ago = time.time() - OPENED_WITHIN.total_seconds() - 60
    for number in range(4):
        add(taught, "/Music/Opera", f"word{number}", owner)
        models_catch_up()
        for file in model_file(model).parent.glob("taught-v1-*.npz"):
            os.utime(file, (long_ago, long_ago))
    files = list(model_file(model).parent.glob("taught-v1-*.npz"))
    assert len(files) == 2


def test_a_state_that_a_crawl_may_still_open_is_kept(taught, owner):
    opened = model_file(model_train(taxonomy=taught))
    for number in range(4):
        add(taught, "/Music/Opera", f"word{number}", owner)
        models_catch_up()
    assert opened.exists()


def test_a_version_that_people_went_back_to_stays_as_it_is(taught, owner):
    first, second = model_train(taxonomy=taught), model_train(taxonomy=taught)
    model_use(model=first)
    add(taught, "/Music/Opera", "surtitles surtitles", owner)
    assert models_catch_up() == []
    current = current_model(taught)
    assert current is not None
    assert (current.version, current.taxonomy_revision) == (1, 0)
    model_use(model=second)
    assert models_catch_up() == ["learnt"]


def test_a_tree_that_can_not_be_trained_is_tried_twice_and_again_after_an_edit(taught, owner):
    model_train(taxonomy=taught)
    everything = Example.objects.filter(topic__name__in=["Racing", "Repair", "Jazz", "Opera"])
    for topic in {example.topic for example in everything.select_related("topic")}:
        own = topic.examples.values_list("pk", flat=True)
        edits.examples_remove(taxonomy=taught, topic=topic, examples=own, by=owner)
    settle(taught)
    assert models_catch_up() == models_catch_up() == ["busy or failed"]
    assert models_catch_up() == []
    assert best(taught, "peloton sprint") == "/Cycling/Racing"
    add(taught, "/Music/Opera", "soprano", owner)
    assert models_catch_up() == ["learnt"]


def test_one_trees_trouble_does_not_keep_the_others_waiting(taught, team, owner):
    records = [
        ExampleRecord((name, "Leaf"), "", "", words)
        for name, words in (("One", "red green"), ("Two", "blue yellow"))
    ]
    other = taxonomy_import(name="Other", team=team, records=records).taxonomy
    for taxonomy in (taught, other):
        model_train(taxonomy=taxonomy)
    TrainedModel.objects.filter(taxonomy=taught).update(parameters={})  # as nobody left them
    add(taught, "/Music/Opera", "soprano", owner)
    add(other, "/One/Leaf", "purple purple", owner)
    assert sorted(models_catch_up()) == ["failed", "learnt"]
    assert best(other, "purple") == "/One/Leaf"


@pytest.mark.django_db(transaction=True)
def test_a_long_step_of_a_training_gives_signs_of_life(taught, monkeypatch):
    """Fitting a large tree takes minutes in which no progress is told."""
    monkeypatch.setattr(heartbeats, "QUIET_SECONDS", 0.02)
    long_ago = timezone.now() - timedelta(minutes=5)

    def slow(*arguments, **options):
        TrainedModel.objects.update(heartbeat_at=long_ago)
        deadline = time.monotonic() + 30
        while TrainedModel.objects.get().heartbeat_at == long_ago:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert silent_trainings_give_up() == 0
        return train(*arguments, **options)

    monkeypatch.setattr("taxonomy.services.training.train", slow)
    assert model_train(taxonomy=taught).state == "ready"
