"""The label queue: what it asks, what an answer does, and what the random sample tells."""

from datetime import timedelta

import pytest
from django.conf import settings as the_settings
from django.utils import timezone

from crawler.core.labels.choosing import Part
from crawler.core.labels.precision import drawn
from crawler.models import (
    Crawl,
    CrawlEvent,
    LabelAnswer,
    LabelQueue,
    LabelTask,
    PrecisionSample,
    Verdict,
)
from crawler.selectors.labels import (
    agreed_about,
    card_of,
    estimate_of,
    labels_since_training,
    pieces,
    progress_of,
)
from crawler.services import labels
from crawler.services.feedback import feedback_settle, verdict_give, verdict_undo
from crawler.services.labels import (
    LabelError,
    batch_make,
    label_give,
    label_undo,
    labels_tend,
    labels_train,
    queue_change,
    queue_of,
    sample_draw,
    sample_renew,
    sample_widen,
    task_next,
)
from focusadmin.accounts.models import User
from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.models import Example, Focus, Taxonomy, TrainedModel
from taxonomy.services.focuses import focus_create
from taxonomy.services.imports import taxonomy_import
from taxonomy.services.training import AUTOMATIC_EXAMPLES, model_train, models_catch_up
from tests.crawl_rows import make_crawl
from tests.harvest.recording import Fetched, record

pytestmark = pytest.mark.django_db(transaction=True)

WORDS = {
    "/Recreation/Cycling": "wheel spoke chain saddle derailleur peloton sprint climb",
    "/Arts/Opera": "aria soprano tenor overture libretto orchestra quartet choir",
}
RELEVANT, OTHERS, STEP = 16, 12, 8


@pytest.fixture
def taught(team) -> Taxonomy:
    """Two topics, and a model of them."""
    examples: list[TopicRecord | ExampleRecord] = []
    for path, words in WORDS.items():
        lineage = tuple(path.strip("/").split("/"))
        examples.append(TopicRecord(lineage, f"About {words}"))
        examples += [ExampleRecord(lineage, f"Page {n}", "", f"{words} {words}") for n in range(3)]
    tree = taxonomy_import(name="Taught", team=team, records=examples).taxonomy
    (the_settings.DATA_DIR / "models").mkdir(exist_ok=True)
    model_train(taxonomy=tree, kind="naive_bayes")
    return tree


@pytest.fixture
def focus(taught, owner) -> Focus:
    return focus_create(name="Hills", taxonomy=taught, by=owner)


def text_of(number: int, path: str) -> str:
    words = WORDS[path].split()
    return " ".join(f"{words[(number + place) % 8]} word{number}x{place}" for place in range(30))


def fetched(number: int, relevance: float, **fields) -> Fetched:
    path = "/Recreation/Cycling" if relevance >= 0.5 else "/Arts/Opera"
    return Fetched(
        f"https://h{number}.example/",
        relevance,
        links=tuple(f"https://later.example/{number}/{n}" for n in range(number % 4)),
        fields={"text": text_of(number, path), "topic": path, "title": f"Page {number}", **fields},
    )


@pytest.fixture
def crawl(focus, taught, monkeypatch) -> Crawl:
    """Finished, and small, as is its sample."""
    monkeypatch.setattr(labels, "SAMPLE_STEP", STEP)
    made = make_crawl(focus, model=taught.trained_models.get())
    pages = [fetched(n, 0.99 - n / 40) for n in range(RELEVANT)]
    pages += [fetched(RELEVANT + n, 0.01 + n / 30) for n in range(OTHERS)]
    record(made, *pages)
    Crawl.objects.filter(pk=made.pk).update(state=Crawl.State.FINISHED)
    made.refresh_from_db()
    return made


@pytest.fixture
def curator(db) -> User:
    return User.objects.create_user("cora")


def sampled(crawl: Crawl) -> PrecisionSample:
    sample = sample_draw(crawl)
    assert sample is not None
    return sample


def answer(crawl: Crawl, by: User, value: str = "useful") -> LabelAnswer:
    task = task_next(crawl=crawl, by=by)
    assert task is not None
    return label_give(crawl=crawl, task_id=task.pk, value=value, by=by)


def answer_all(crawl: Crawl, by: User, sampled_useful: str = "useful") -> None:
    """Everything that is asked: pages of the sample as told, all others not useful."""
    while (task := task_next(crawl=crawl, by=by)) is not None:
        value = sampled_useful if task.sample else "not_useful"
        label_give(crawl=crawl, task_id=task.pk, value=value, by=by)


# The mix


def test_a_batch_has_every_kind_and_says_why(crawl):
    batch_make(crawl)
    tasks = list(LabelTask.objects.filter(crawl=crawl))
    parts = [task.part for task in tasks]
    assert [parts.count(part) for part in Part] == [3, 3, 2, 4]
    said = {task.part: task.reason for task in tasks}
    assert said["uncertain"].startswith("The classifier is unsure: relevance ")
    assert said["diverse"].startswith("Unlike the pages labelled or asked about so far: ")
    assert said["influential"].startswith("Much hangs on it: it leads to ")
    assert len({task.number for task in tasks}) == 12


def test_pages_of_the_sample_look_like_others_that_were_drawn_by_chance(crawl):
    for _ in range(3):
        batch_make(crawl)
    chance = LabelTask.objects.filter(crawl=crawl, part=Part.RANDOM)
    assert chance.filter(sample__isnull=True).count() == 3
    assert len(set(chance.values_list("reason", flat=True))) == 1
    order = list(LabelTask.objects.filter(crawl=crawl).values_list("part", flat=True))
    assert order != sorted(order)


def test_what_was_judged_elsewhere_is_not_asked_again(crawl, owner):
    near = [page.seq for page in crawl.pages.filter(relevance__range=(0.3, 0.499))]
    for seq in near:
        verdict_give(crawl=crawl, value="useful", by=owner, page_seq=seq)
    batch_make(crawl)
    asked = LabelTask.objects.filter(crawl=crawl, sample__isnull=True)
    assert not asked.filter(page_seq__in=near).exists()


def test_a_crawl_comes_to_its_end(crawl, owner):
    answer_all(crawl, owner)
    assert task_next(crawl=crawl, by=owner) is None
    asked = LabelTask.objects.filter(crawl=crawl).values_list("number", flat=True)
    assert sorted(asked) == sorted(crawl.pages.values_list("number", flat=True))


# Several people


def test_two_people_never_hold_the_same_page(crawl, owner, curator):
    hers = task_next(crawl=crawl, by=owner)
    his = task_next(crawl=crawl, by=curator)
    assert hers != his
    assert task_next(crawl=crawl, by=owner) == hers  # a reload shows it again
    LabelTask.objects.update(handed_until=timezone.now() - timedelta(seconds=1))
    assert hers in {task_next(crawl=crawl, by=curator), task_next(crawl=crawl, by=curator)}


def test_with_agreement_wanted_two_people_get_each_page(crawl, owner, curator):
    queue_change(crawl=crawl, train_after=20, wants_agreement=True)
    first = answer(crawl, owner, "useful")
    task = task_next(crawl=crawl, by=curator)
    assert task == first.task
    label_give(crawl=crawl, task_id=task.pk, value="not_useful", by=curator)
    task.refresh_from_db()
    assert not task.is_open
    found = agreed_about(crawl)
    assert (found.agreement.same, found.agreement.pairs) == (0, 1)
    assert [one.opinion.words for one in found.disagreements] == ["1 of 2 say useful"]


# Answers


def test_a_label_is_a_verdict_like_any_other(crawl, owner):
    given = answer(crawl, owner, "not_useful")
    verdict = Verdict.objects.get()
    assert given.verdict == verdict
    assert (verdict.value, verdict.by) == ("not_useful", owner)
    taught_ = Example.objects.filter(url=crawl.pages.get(seq=verdict.page_seq).url)
    assert [example.topic.name for example in taught_] == ["Opera"]


def test_a_skipped_page_is_left_for_others(crawl, owner, curator):
    skipped = answer(crawl, owner, "skipped").task
    assert not Verdict.objects.exists()
    assert task_next(crawl=crawl, by=owner) != skipped
    assert task_next(crawl=crawl, by=curator) == skipped


def test_undo_takes_the_verdict_back_and_shows_the_page_again(crawl, owner):
    given = answer(crawl, owner)
    task_next(crawl=crawl, by=owner)
    label_undo(crawl=crawl, answer=given, by=owner)
    assert Verdict.objects.get().undone_at is not None
    assert task_next(crawl=crawl, by=owner) == given.task
    assert labels_since_training(queue_of(crawl)) == 0
    with pytest.raises(LabelError, match="undone already"):
        label_undo(crawl=crawl, answer=given, by=owner)
    again = answer(crawl, owner, "not_useful")
    assert again.task == given.task


def test_said_twice_it_counts_once(crawl, owner):
    given = answer(crawl, owner)
    asked = {"crawl": crawl, "task_id": given.task.pk, "by": owner}
    assert label_give(**asked, value="useful") == given
    with pytest.raises(LabelError, match="labelled this page already"):
        label_give(**asked, value="not_useful")
    assert Verdict.objects.count() == 1


@pytest.mark.parametrize(
    ("task", "value", "says"), [(0, "useful", "no such page"), (1, "splendid", "Say useful")]
)
def test_odd_answers_are_refused(crawl, owner, task, value, says):
    with pytest.raises(LabelError, match=says):
        label_give(crawl=crawl, task_id=task, value=value, by=owner)


def test_a_label_undone_on_the_page_of_hubs_counts_no_more(crawl, owner):
    answer(crawl, owner)
    verdict_undo(verdict=Verdict.objects.get(), by=owner)
    assert labels_since_training(queue_of(crawl)) == 0


# The sample


def test_the_sample_is_drawn_once_for_a_model_and_can_be_drawn_again_from_its_seed(crawl):
    sample = sampled(crawl)
    assert sampled(crawl) == sample
    assert (sample.population, len(sample.pages), sample.asked) == (RELEVANT, RELEVANT, STEP)
    population = [
        tuple(page)
        for page in crawl.pages.filter(relevance__gte=0.5)
        .order_by("number")
        .values_list("number", "seq")
    ]
    assert [tuple(page) for page in sample.pages] == drawn(population, 300, sample.seed)


def test_another_model_or_other_topics_have_another_sample(crawl, taught):
    first = sampled(crawl)
    second_model = model_train(taxonomy=taught, kind="naive_bayes")
    Crawl.objects.update(judged_with={"model": f"{second_model.pk}/abc", "good": crawl.good})
    crawl.refresh_from_db()
    second = sampled(crawl)
    assert (second.model, second.pk != first.pk) == (second_model, True)
    crawl.good = [["Arts", "Opera"]]
    assert sampled(crawl).draw == 2


def test_no_sample_while_pages_are_judged_anew(crawl):
    crawl.judged_with = {"model": "none"}
    assert sample_draw(crawl) is None


def test_a_running_crawl_is_waited_for(focus, taught):
    crawl = make_crawl(focus, model=taught.trained_models.get())
    crawl = record(crawl, *(fetched(n, 0.9) for n in range(29)))
    assert sample_draw(crawl) is None
    crawl = record(crawl, fetched(29, 0.9))
    assert sampled(crawl).population == 30


def test_a_page_that_lost_its_relevance_is_not_drawn(crawl):
    Crawl.objects.update(state=Crawl.State.RUNNING)
    record(crawl, fetched(0, 0.1))
    assert len(sampled(crawl).pages) == RELEVANT - 1


def test_only_answers_to_the_sample_count_for_the_precision(crawl, owner):
    answer_all(crawl, owner)
    estimate = estimate_of(PrecisionSample.objects.get(crawl=crawl))
    assert (estimate.precision.useful, estimate.precision.labelled) == (STEP, STEP)
    assert Verdict.objects.filter(value="not_useful").count() == RELEVANT + OTHERS - STEP
    assert estimate.precision.words == (
        "Of the pages the crawl calls relevant, between 68 % and 100 % are (8 of 8 labelled)"
    )


def test_a_page_judged_elsewhere_is_asked_about_all_the_same(crawl, owner):
    sample = sampled(crawl)
    for _, seq in sample.pages[:STEP]:
        verdict_give(crawl=crawl, value="not_useful", by=owner, page_seq=seq)
    assert estimate_of(sample).precision.labelled == 0
    answer_all(crawl, owner, "not_useful")
    assert estimate_of(sample).precision.labelled == STEP
    assert LabelAnswer.objects.filter(task__sample=sample, verdict__isnull=False).count() == 0


def test_skips_and_ties_are_told_and_left_out(crawl, owner, curator):
    queue_change(crawl=crawl, train_after=500, wants_agreement=True)
    batch_make(crawl)
    sample = PrecisionSample.objects.get(crawl=crawl)
    first, second, *_ = sample.tasks.all()
    label_give(crawl=crawl, task_id=first.pk, value="skipped", by=owner)
    label_give(crawl=crawl, task_id=second.pk, value="useful", by=owner)
    assert estimate_of(sample).precision.labelled == 1
    label_give(crawl=crawl, task_id=second.pk, value="not_useful", by=curator)
    estimate = estimate_of(sample)
    assert (estimate.precision.labelled, estimate.skipped, estimate.tied) == (0, 1, 1)


def test_a_sample_is_widened_in_its_own_order_or_drawn_anew(crawl):
    sample = sampled(crawl)
    batch_make(crawl)
    assert sample_widen(crawl=crawl).asked == RELEVANT
    with pytest.raises(LabelError, match="whole sample"):
        sample_widen(crawl=crawl)
    renewed = sample_renew(crawl=crawl)
    assert (renewed.draw, renewed.seed != sample.seed) == (2, True)
    assert not LabelTask.objects.filter(sample=sample, is_open=True).exists()
    batch_make(crawl)
    assert LabelTask.objects.filter(sample=renewed).count() == 3


# Training


def test_after_so_many_labels_the_model_is_trained_and_the_crawl_follows(crawl, owner, taught):
    queue_change(crawl=crawl, train_after=3, wants_agreement=False)
    for _ in range(3):
        answer(crawl, owner)
    labels_tend()
    training = TrainedModel.objects.get(state="training")
    assert LabelQueue.objects.get().training == training
    assert labels_since_training(queue_of(crawl)) == 0
    labels_tend()  # it waits
    assert models_catch_up()[0] == "trained"
    labels_tend()
    crawl.refresh_from_db()
    assert (crawl.model, crawl.model.version) == (training, 2)
    assert crawl.settings_revision == 2
    assert CrawlEvent.objects.filter(crawl=crawl, kind="labels").count() == 1
    feedback_settle()
    labels_tend()
    assert TrainedModel.objects.count() == 2


def test_a_training_that_is_under_way_already_is_waited_for(crawl, owner, taught):
    busy = TrainedModel.objects.create(
        taxonomy=taught,
        version=2,
        kind="naive_bayes",
        taxonomy_revision=0,
        heartbeat_at=timezone.now(),
    )
    queue_change(crawl=crawl, train_after=1, wants_agreement=False)
    answer(crawl, owner)
    labels_tend()
    assert queue_of(crawl).is_due
    assert labels_since_training(queue_of(crawl)) == 1
    TrainedModel.objects.filter(pk=busy.pk).update(state="failed")
    labels_tend()
    assert not queue_of(crawl).is_due


def test_a_failed_training_is_told_and_harms_nothing(crawl, owner, taught):
    answer(crawl, owner)
    training = labels_train(crawl=crawl, by=owner)
    TrainedModel.objects.filter(pk=training.pk).update(state="failed", failure="No room left")
    labels_tend()
    progress = progress_of(queue_of(crawl), AUTOMATIC_EXAMPLES)
    assert progress.has_failed
    assert progress.training == training
    crawl.refresh_from_db()
    assert crawl.model.version == 1
    assert Verdict.objects.filter(undone_at=None).count() == 1
    assert task_next(crawl=crawl, by=owner) is not None
    assert labels_train(crawl=crawl, by=owner).version == 3


def test_a_model_that_somebody_went_back_to_is_not_replaced(crawl, owner, taught):
    model_train(taxonomy=taught, kind="naive_bayes")
    TrainedModel.objects.update(is_current=False)
    TrainedModel.objects.filter(version=1).update(is_current=True)
    queue_change(crawl=crawl, train_after=1, wants_agreement=False)
    answer(crawl, owner)
    labels_tend()
    assert not TrainedModel.objects.filter(state="training").exists()
    assert "chosen by a person" in progress_of(queue_of(crawl), AUTOMATIC_EXAMPLES).hindrance


def test_one_queue_in_trouble_does_not_stop_the_others(crawl, owner, monkeypatch):
    queue_change(crawl=crawl, train_after=1, wants_agreement=False)
    answer(crawl, owner)

    def fail(**_):
        raise RuntimeError

    monkeypatch.setattr(labels, "labels_train", fail)
    labels_tend()
    assert queue_of(crawl).is_due


# The card


def test_the_card_shows_the_words_that_decided(crawl, owner):
    card = card_of(crawl, LabelTask(crawl=crawl, number=0, page_seq=1, part="random", reason="x"))
    assert card.is_explained
    marked = {piece.text for piece in card.text if piece.effect == "for"}
    assert marked & set(WORDS["/Recreation/Cycling"].split())
    assert "".join(piece.text for piece in card.text) == text_of(0, "/Recreation/Cycling")


def test_words_are_marked_whatever_their_case_and_nothing_is_lost():
    text = "A Chain, chains & <b>CHAIN</b>-saws: 7 opera_house"
    cut = list(pieces(text, {"chain": "for", "opera": "against"}))
    assert "".join(piece.text for piece in cut) == text
    assert [(piece.text, piece.effect) for piece in cut if piece.effect] == [
        ("Chain", "for"),
        ("CHAIN", "for"),
        ("opera", "against"),
    ]
