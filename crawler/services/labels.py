"""The label queue: hands out pages, takes labels, and has the model trained after some of them.

A label is a verdict like any other (`services/feedback.py`), so it acts within seconds; the full
training after n labels comes on top. A page is held for ten minutes for the person who has it on
the screen.
"""

import random
import secrets
from datetime import timedelta

import structlog
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils import timezone

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.labels.choosing import (
    BATCH,
    DECOYS,
    SAMPLED,
    Candidate,
    Part,
    mixed,
    most_influential,
    most_uncertain,
    spread,
)
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
from crawler.selectors.label_candidates import most_diverse, pool_of, relevant_pages, seen_since
from crawler.selectors.labels import (
    answers_in_force,
    hindrance_of,
    judged_model_id,
    labels_since_training,
    sample_in_force,
)
from crawler.services.feedback import model_take, verdict_give, verdict_undo
from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from taxonomy.models import TrainedModel
from taxonomy.selectors.models import current_model
from taxonomy.services.training import AUTOMATIC_EXAMPLES, TrainingError, training_start

HELD_FOR = timedelta(minutes=10)
SAMPLE_STEP = 30  # pages of a sample to label at first, and as many more whenever somebody wants
SAMPLE_MOST = 300
PEOPLE_FOR_AGREEMENT = 2
# Said of the sample and of decoys, and true of both.
RANDOM_REASON = "Drawn by chance. Some of these pages tell how often the crawl is right."

log = structlog.get_logger("focusadmin.labels")


class LabelError(FocusAdminError):
    """A label that can't be given or undone; the text says why."""


def queue_of(crawl: Crawl) -> LabelQueue:
    queue, _ = LabelQueue.objects.select_related("training").get_or_create(crawl=crawl)
    return queue


def task_next(*, crawl: Crawl, by: User) -> LabelTask | None:
    """The page that this person is asked about now; None when there is nothing to ask."""
    queue = queue_of(crawl)
    return _handed(queue, by) or (_handed(queue, by) if batch_make(crawl) else None)


@transaction.atomic
def _handed(queue: LabelQueue, by: User) -> LabelTask | None:
    LabelQueue.objects.select_for_update().get(pk=queue.pk)
    now = timezone.now()
    open_ = _open_tasks(queue.crawl, by)
    task = open_.filter(handed_to=by, handed_until__gt=now).order_by("-handed_until").first()
    if task is None:
        if not queue.wants_agreement:
            open_ = open_.filter(
                Q(handed_until__isnull=True) | Q(handed_until__lte=now) | Q(handed_to=by)
            )
        task = open_.first()
    if task is not None:
        task.handed_to, task.handed_until = by, now + HELD_FOR
        task.save(update_fields=["handed_to", "handed_until"])
    return task


def _open_tasks(crawl: Crawl, by: User) -> QuerySet[LabelTask]:
    """What this person has not answered. Of the sample also pages judged for another reason."""
    mine = LabelAnswer.objects.filter(task=OuterRef("pk"), by=by, undone_at=None)
    said = Verdict.objects.filter(crawl=crawl, number=OuterRef("number"), by=by, undone_at=None)
    tasks = LabelTask.objects.filter(~Exists(mine), crawl=crawl, is_open=True)
    return tasks.filter(Q(sample__isnull=False) | ~Exists(said))


def batch_make(crawl: Crawl) -> int:
    """Some more pages of every kind, strewn among each other; how many."""
    dice = random.Random(secrets.randbits(32))  # noqa: S311 # no secret hangs on it
    chosen: dict[Part, list[LabelTask]] = {
        Part.UNCERTAIN: [], Part.DIVERSE: [], Part.INFLUENTIAL: [],
        Part.RANDOM: _sample_tasks(sample_draw(crawl)),
    }  # fmt: skip
    pool, taken = pool_of(crawl, dice), set[int]()

    def free(pages: list[Candidate]) -> list[Candidate]:
        return [page for page in pages if page.number not in taken]

    def take(part: Part, page: Candidate, reason: str) -> None:
        taken.add(page.number)
        chosen[part].append(_task(crawl, part, page.number, page.seq, reason))

    for page in spread(_decoys(pool.by_chance, dice), DECOYS):
        take(Part.RANDOM, page, RANDOM_REASON)
    for page in most_influential(free(pool.influential), BATCH[Part.INFLUENTIAL]):
        take(Part.INFLUENTIAL, page, _influence_words(page))
    for page in most_uncertain(free(pool.around_the_line), BATCH[Part.UNCERTAIN]):
        take(Part.UNCERTAIN, page, _doubt_words(page))
    for page, distance in most_diverse(crawl, free(pool.by_chance), BATCH[Part.DIVERSE]):
        take(Part.DIVERSE, page, _distance_words(distance))
    dice.shuffle(chosen[Part.RANDOM])
    order = mixed({part: len(tasks) for part, tasks in chosen.items()}, dice)
    tasks = [chosen[part].pop(0) for part in order]
    # Two people who ask at once make two batches of the same pages; each page is there once.
    LabelTask.objects.bulk_create(tasks, ignore_conflicts=True)
    return len(tasks)


def _decoys(pages: list[Candidate], dice: random.Random) -> list[Candidate]:
    """Every other one is a page that the crawl calls relevant, as those of the sample are."""
    if dice.random() < 0.5:
        return sorted(pages, key=lambda page: page.relevance < RELEVANT_FROM)
    return pages


def _doubt_words(page: Candidate) -> str:
    side = "relevant" if page.relevance >= RELEVANT_FROM else "not relevant"
    return (
        f"The classifier is unsure: relevance {page.relevance:.2f} is {page.margin:.2f} from the "
        f"line, on the side of {side}."
    )


def _distance_words(distance: float | None) -> str:
    if distance is None:
        return "A typical page, as nothing was labelled yet."
    alike = f"{1 - distance:.0%}".replace("%", " %")
    return f"Unlike the pages labelled or asked about so far: {alike} alike to the nearest of them."


def _influence_words(page: Candidate) -> str:
    plural = "" if page.waiting == 1 else "es"
    return f"Much hangs on it: it leads to {page.waiting} address{plural} that wait in the queue."


def _task(
    crawl: Crawl,
    part: Part,
    number: int,
    seq: int,
    reason: str,
    sample: PrecisionSample | None = None,
) -> LabelTask:
    return LabelTask(
        crawl=crawl, number=number, page_seq=seq, part=part, reason=reason, sample=sample
    )


def _sample_tasks(sample: PrecisionSample | None) -> list[LabelTask]:
    """The next few pages of the sample, in its order."""
    if sample is None:
        return []
    begun = set(sample.tasks.values_list("number", flat=True))
    fresh = [page for page in sample.pages[: sample.asked] if page[0] not in begun]
    return [
        _task(sample.crawl, Part.RANDOM, number, seq, RANDOM_REASON, sample)
        for number, seq in fresh[:SAMPLED]
    ]


def sample_draw(crawl: Crawl, *, anew: bool = False) -> PrecisionSample | None:
    """The sample for the model that judges now, drawn if it is not there; None: not yet.

    A crawl that runs is waited for until it has called enough pages relevant.
    """
    before = sample_in_force(crawl)
    model_id = judged_model_id(crawl)
    if (before is not None and not anew) or model_id is None:
        return before
    population = relevant_pages(crawl)
    if not population or (crawl.is_active and len(population) < SAMPLE_STEP):
        return before
    seed = secrets.randbits(31)
    pages = drawn(population, SAMPLE_MOST, seed)
    gone = seen_since(crawl, pages)
    with transaction.atomic():
        LabelQueue.objects.select_for_update().get(pk=queue_of(crawl).pk)
        same = PrecisionSample.objects.filter(crawl=crawl, model=model_id)
        draws = same.aggregate(last=Max("draw"))["last"] or 0
        if before is None and sample_in_force(crawl) is not None:  # another was quicker
            return sample_in_force(crawl)
        LabelTask.objects.filter(crawl=crawl, sample__isnull=False).update(is_open=False)
        return PrecisionSample.objects.create(
            crawl=crawl,
            model_id=model_id,
            draw=draws + 1,
            good=crawl.good,
            seed=seed,
            seq=crawl.seq,
            population=len(population),
            pages=[page for page in pages if page[0] not in gone],
            asked=SAMPLE_STEP,
        )


def sample_widen(*, crawl: Crawl) -> PrecisionSample:
    """More pages of the same sample: the interval becomes narrower."""
    sample = sample_in_force(crawl)
    if sample is None:
        raise LabelError("There is no sample yet for the model that judges now.")
    if sample.asked >= len(sample.pages):
        raise LabelError("The whole sample is in the queue already.")
    sample.asked = min(sample.asked + SAMPLE_STEP, len(sample.pages))
    sample.save(update_fields=["asked"])
    return sample


def sample_renew(*, crawl: Crawl) -> PrecisionSample:
    """Drawn again among all pages of now; what the sample before told stays in the table."""
    before = sample_in_force(crawl)
    sample = sample_draw(crawl, anew=True)
    if sample is None or sample == before:
        raise LabelError("A sample can't be drawn now: too few pages are called relevant.")
    return sample


@transaction.atomic
def label_give(*, crawl: Crawl, task_id: int, value: str, by: User) -> LabelAnswer:
    """Useful, not useful, or skipped. Said twice, it counts once."""
    if value not in LabelAnswer.Value.values:
        raise LabelError("Say useful, not useful, or skip.")
    queue = LabelQueue.objects.select_for_update().get(pk=queue_of(crawl).pk)
    task = LabelTask.objects.filter(crawl=crawl, pk=task_id).first()
    if task is None:
        raise LabelError("There is no such page in this queue. Go on with the one shown now.")
    before = task.answers.filter(by=by, undone_at=None).first()
    if before is not None and before.value == value:
        return before
    if before is not None:
        raise LabelError("You have labelled this page already. Undo that first.")
    verdict = None if value == LabelAnswer.Value.SKIPPED else _verdict(task, value, by)
    answer = LabelAnswer.objects.create(task=task, by=by, value=value, verdict=verdict)
    _tally(queue, task)
    if not queue.is_due and labels_since_training(queue) >= queue.train_after:
        LabelQueue.objects.filter(pk=queue.pk).update(is_due=True)
    return answer


def _verdict(task: LabelTask, value: str, by: User) -> Verdict | None:
    """None if the person has said the same of this page before."""
    said = Verdict.objects.filter(
        crawl=task.crawl, number=task.number, by=by, value=value, undone_at=None
    )
    if said.exists():
        return None
    return verdict_give(crawl=task.crawl, value=value, by=by, page_seq=task.page_seq)


def _tally(queue: LabelQueue, task: LabelTask) -> None:
    """Enough people have said something, or nobody needs to any more."""
    labels = answers_in_force(queue.crawl).filter(task=task).count()
    wanted = PEOPLE_FOR_AGREEMENT if queue.wants_agreement else 1
    is_in_force = task.sample is None or task.sample == sample_in_force(queue.crawl)
    task.is_open = labels < wanted and is_in_force
    task.handed_until = None
    task.save(update_fields=["is_open", "handed_until"])


@transaction.atomic
def label_undo(*, crawl: Crawl, answer: LabelAnswer, by: User) -> None:
    """As if it had not been said; the page is shown to this person again."""
    open_ = LabelAnswer.objects.filter(pk=answer.pk, task__crawl=crawl, by=by, undone_at=None)
    if not open_.update(undone_at=timezone.now()):
        raise LabelError("This was undone already.")
    if answer.verdict is not None and answer.verdict.undone_at is None:
        verdict_undo(verdict=answer.verdict, by=by)
    task = answer.task
    _tally(queue_of(crawl), task)
    task.handed_to, task.handed_until = by, timezone.now() + HELD_FOR
    task.save(update_fields=["handed_to", "handed_until"])


@transaction.atomic
def queue_change(*, crawl: Crawl, train_after: int, wants_agreement: bool) -> LabelQueue:
    queue = LabelQueue.objects.select_for_update().get(pk=queue_of(crawl).pk)
    queue.train_after, queue.wants_agreement = train_after, wants_agreement
    given = labels_since_training(queue)
    queue.is_due = bool(given) and given >= train_after
    queue.save(update_fields=["train_after", "wants_agreement", "is_due"])
    return queue


def labels_train(*, crawl: Crawl, by: User | None = None) -> TrainedModel:
    """Have the model trained anew in the background, and the crawl follow it."""
    queue, taxonomy = queue_of(crawl), crawl.focus.taxonomy
    current = current_model(taxonomy)
    asked = current.parameters.get("kind_asked", "") if current else ""
    newest = LabelAnswer.objects.filter(task__crawl=crawl).aggregate(last=Max("pk"))["last"]
    with transaction.atomic():
        training = training_start(taxonomy=taxonomy, kind=asked, by=by)
        LabelQueue.objects.filter(pk=queue.pk).update(
            training=training, is_followed=False, is_due=False, counted_from=newest or 0
        )
    return training


def labels_tend() -> None:
    """Trainings that are due begin, and crawls follow those that are done; called every second."""
    queues = LabelQueue.objects.filter(Q(is_due=True) | Q(is_followed=False))
    for queue in queues.select_related("crawl__focus__taxonomy", "training"):
        try:
            _tend(queue)
        except Exception:
            # One queue's trouble must not keep the others waiting.
            log.exception("labels not tended", crawl=queue.crawl_id)


def _tend(queue: LabelQueue) -> None:
    training = queue.training
    if not queue.is_followed and training is not None:
        if training.state == TrainedModel.State.TRAINING:
            return
        LabelQueue.objects.filter(pk=queue.pk).update(is_followed=True)
        if training.state == TrainedModel.State.READY and training.is_current:
            _follow(queue.crawl, training)
    if queue.is_due and not hindrance_of(queue.crawl, AUTOMATIC_EXAMPLES):
        try:
            labels_train(crawl=queue.crawl)
        except TrainingError as error:
            log.info("training waits", crawl=queue.crawl_id, reason=str(error))


def _follow(crawl: Crawl, model: TrainedModel) -> None:
    model_take(crawl=crawl, model=model)
    text = f"Labels: version {model.version} of the model is trained"
    CrawlEvent.objects.create(crawl=crawl, seq=crawl.seq, kind="labels", text=text)
