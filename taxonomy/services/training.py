"""Trains models in the background. The old one serves until the new one is ready.

A training is a row: one at a time for a taxonomy, with a heartbeat, so that a killed one is seen
and given up. What it learnt from is a revision of the tree; edits made meanwhile make the model
stale, and the next round of `models_catch_up` learns them: none is lost.

Screens only write the row. The scheduler's next round takes it up (`waiting_training_run`); two
workers never take up the same, as the row changes hands by an UPDATE with a WHERE on "waiting".
"""

import time
from collections.abc import Callable
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, F, Max, OuterRef, QuerySet, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import load_model, save_model
from taxonomy.core.classifier.base import TopicScorer
from taxonomy.core.training import (
    DEFAULT_HOLDOUT,
    Trained,
    scores_of,
    suited_kind,
    train,
)
from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.selectors.models import model_file
from taxonomy.services.heartbeats import Heartbeat
from taxonomy.services.learning import (
    Learner,
    Lesson,
    changes_after,
    concern_examples_only,
    learner_keep,
    learner_take,
    lesson_of,
)
from taxonomy.services.shipped import SHIPPED_SLUG

SILENT_AFTER = timedelta(seconds=90)
WAITS_AT_MOST = timedelta(minutes=10)  # for a worker
WAITING, STARTING = "Waiting for a worker", "Starting"
SETTLED_AFTER = timedelta(seconds=3)  # people edit in bursts
AUTOMATIC_EXAMPLES = 20_000  # above this, people decide when to train
AUTOMATIC_TRIES = 2  # at one state of the tree; then it takes an edit, or a person
OPENED_WITHIN = timedelta(minutes=15)  # a slice of a crawl opens its model's file until it ends

State = TrainedModel.State
log = structlog.get_logger("focusadmin.training")


class TrainingError(FocusAdminError):
    """A training that can't be done; the text says why."""


def shipped_model_ensure() -> None:
    """Train the shipped tree at first start, so that everything that judges works at once."""
    taxonomy = Taxonomy.objects.ready().filter(slug=SHIPPED_SLUG).first()
    if taxonomy is not None and not taxonomy.trained_models.exists():
        model_train(taxonomy=taxonomy)


def model_train(
    *,
    taxonomy: Taxonomy,
    kind: str = "",
    by: User | None = None,
    holdout: float = DEFAULT_HOLDOUT,
    on_progress: Callable[[str, float], None] = lambda what, share: None,
) -> TrainedModel:
    """Train now, in this process; returns the model, which is the current one from then on."""
    return _work(_row(taxonomy, kind, by, holdout, progress=STARTING), on_progress)


def training_start(
    *, taxonomy: Taxonomy, kind: str = "", by: User | None = None, holdout: float = DEFAULT_HOLDOUT
) -> TrainedModel:
    """A row that says: this is to be trained. Without a kind, the one suited to the examples."""
    return _row(taxonomy, kind, by, holdout, progress=WAITING)


def _row(
    taxonomy: Taxonomy, kind: str, by: User | None, holdout: float, *, progress: str
) -> TrainedModel:
    silent_trainings_give_up()
    newest = taxonomy.trained_models.aggregate(version=Max("version"))["version"] or 0
    try:
        with transaction.atomic():
            return TrainedModel.objects.create(
                taxonomy=taxonomy,
                version=newest + 1,
                kind=kind or TrainedModel.Kind.NAIVE_BAYES,
                taxonomy_revision=taxonomy.revision,
                parameters={"kind_asked": kind, "holdout": holdout},
                progress=progress,
                trained_by=by,
                heartbeat_at=timezone.now(),
            )
    except IntegrityError:
        raise TrainingError(
            f"{taxonomy} is being trained already. Wait until that is done."
        ) from None


def training_run(
    model: TrainedModel, on_progress: Callable[[str, float], None] = lambda what, share: None
) -> TrainedModel:
    """Do the work of a training that waits; whoever comes second is told so."""
    if model.state != State.TRAINING:  # a repeated message
        return model
    waiting = TrainedModel.objects.filter(pk=model.pk, state=State.TRAINING, progress=WAITING)
    if not waiting.update(progress=STARTING, heartbeat_at=timezone.now()):
        raise TrainingError("This training was given up, or another worker does it.")
    return _work(model, on_progress)


def waiting_training_run() -> TrainedModel | None:
    """Take up the training that has waited longest, if there is one."""
    waiting = TrainedModel.objects.filter(state=State.TRAINING, progress=WAITING)
    model = waiting.select_related("taxonomy__root").order_by("started_at").first()
    if model is None:
        return None
    try:
        return training_run(model)
    except TrainingError:
        return None  # kept with the model, which is where people look


def _work(model: TrainedModel, on_progress: Callable[[str, float], None]) -> TrainedModel:
    """A failure is kept with the reason, and the old model stays."""
    try:
        with Heartbeat(model, on_progress) as heartbeat:
            heartbeat("Reading the examples", 0.0, at_once=True)
            lesson = _lesson(model.taxonomy)
            kind = model.parameters["kind_asked"] or suited_kind(lesson.examples)
            trained = train(
                lesson.examples,
                lesson.topics,
                kind=kind,
                holdout=model.parameters["holdout"],
                on_progress=heartbeat,
            )
        return _finish(model, kind, lesson, trained)
    except Exception as error:
        log.exception("training failed", model=model.pk)
        reason = str(error) if isinstance(error, FocusAdminError) else "an unexpected error"
        _fail(model, reason)
        if isinstance(error, FocusAdminError):
            raise
        raise TrainingError(f"The training failed: {reason}. See the worker's log.") from error


def model_use(*, model: TrainedModel) -> None:
    """Make a kept model the current one: a roll back, or forward again."""
    if model.state != State.READY or not model_file(model).exists():
        raise TrainingError(f"Version {model.version} has no file any more and can't be used.")
    load_model(model_file(model), model.checksum)  # a damaged one is refused before it judges
    with transaction.atomic():
        model.taxonomy.trained_models.filter(is_current=True).update(is_current=False)
        TrainedModel.objects.filter(pk=model.pk).update(is_current=True)


def models_catch_up() -> list[str]:
    """Bring models up to the edits of their trees; what the scheduler calls every few seconds."""
    silent_trainings_give_up()
    taken_up = waiting_training_run()
    done = ["trained"] if taken_up else []
    return done + [_caught_up(model) for model in _behind()]


def _behind() -> QuerySet[TrainedModel]:
    """Models in use that miss edits, and that nobody chose to keep as they are.

    One that people went back to stays: learning what came since would undo their choice.
    """
    same_tree = TrainedModel.objects.filter(taxonomy=OuterRef("taxonomy"))
    newer = same_tree.filter(state=State.READY, version__gt=OuterRef("version"))
    failed = same_tree.filter(
        state=State.FAILED, taxonomy_revision=OuterRef("taxonomy__revision")
    ).values("taxonomy")
    return (
        TrainedModel.objects.filter(
            ~Exists(newer),
            is_current=True,
            taxonomy_revision__lt=F("taxonomy__revision"),
            taxonomy__edited_at__lt=timezone.now() - SETTLED_AFTER,
            example_count__lte=AUTOMATIC_EXAMPLES,
        )
        .alias(failures=Coalesce(Subquery(failed.annotate(count=Count("pk")).values("count")), 0))
        .filter(failures__lt=AUTOMATIC_TRIES)
        .select_related("taxonomy__root")
    )


def _caught_up(model: TrainedModel) -> str:
    try:
        return catch_up(model)
    except Exception:
        # One tree's trouble must not keep the others waiting.
        log.exception("catching up failed", model=model.pk)
        return "failed"


def catch_up(model: TrainedModel) -> str:
    """Learn edits of examples at once; train anew when the tree itself has changed."""
    if model.kind == TrainedModel.Kind.NAIVE_BAYES and _learn(model):
        return "learnt"
    try:
        model_train(taxonomy=model.taxonomy, kind=model.parameters.get("kind_asked", ""))
    except TrainingError:
        return "busy or failed"
    return "trained"


def silent_trainings_give_up() -> int:
    """A training whose worker was killed says so, and makes room for the next."""
    now = timezone.now()
    trainings = TrainedModel.objects.filter(state=State.TRAINING)
    at_work = trainings.exclude(progress=WAITING).filter(heartbeat_at__lt=now - SILENT_AFTER)
    forgotten = trainings.filter(progress=WAITING, heartbeat_at__lt=now - WAITS_AT_MOST)
    return at_work.update(
        state=State.FAILED,
        failure="The worker went silent. The model before it is still in use.",
        finished_at=now,
    ) + forgotten.update(
        state=State.FAILED,
        failure="No worker took this up in ten minutes. Start the workers, then train again.",
        finished_at=now,
    )


def _lesson(taxonomy: Taxonomy) -> Lesson:
    lesson = lesson_of(taxonomy)
    if not lesson.places:
        raise TrainingError(f"{taxonomy} has no examples to learn from. Add some first.")
    if len({lineage[:1] for lineage in lesson.topics}) < 2:
        raise TrainingError(f"{taxonomy} needs at least two topics to tell apart.")
    return lesson


def _finish(model: TrainedModel, kind: str, lesson: Lesson, trained: Trained) -> TrainedModel:
    name, checksum = _write(model, trained.scorer, lesson.revision)
    values = {
        "kind": kind,
        "state": State.READY,
        "taxonomy_revision": lesson.revision,
        "parameters": {**model.parameters, **trained.parameters},
        "scores": scores_of(trained.evaluation),
        "example_count": trained.examples,
        "topic_count": len(lesson.topics),
        "seconds": trained.seconds,
        "file": name,
        "checksum": checksum,
        "progress": "",
        "progress_share": 1.0,
        "finished_at": timezone.now(),
    }
    with transaction.atomic():
        running = TrainedModel.objects.filter(pk=model.pk, state=State.TRAINING)
        if not running.update(**values):
            raise TrainingError("This training was given up; its result is not used.")
        model.taxonomy.trained_models.filter(is_current=True).update(is_current=False)
        TrainedModel.objects.filter(pk=model.pk).update(is_current=True)
    model.refresh_from_db()
    return model


def _learn(model: TrainedModel) -> bool:
    """Bring the weights of the current version up to the edits of examples since.

    False if the tree itself has changed, or if no example is left to learn from.
    """
    taxonomy = model.taxonomy
    learner = learner_take(model)
    if learner is None or not learner.follow(taxonomy):
        if not concern_examples_only(changes_after(taxonomy, model.taxonomy_revision)):
            return False
        learner = Learner.of(taxonomy, temperature=_temperature(model))
    if not learner.places:
        return False
    name, checksum = _write(model, learner.model.scorer_, learner.revision)
    TrainedModel.objects.filter(pk=model.pk, taxonomy_revision=model.taxonomy_revision).update(
        taxonomy_revision=learner.revision,
        file=name,
        checksum=checksum,
        example_count=len(learner.places),
    )
    learner_keep(model, learner)
    _forget_older_files(model, name)
    return True


def _forget_older_files(model: TrainedModel, newest: str) -> None:
    """Of one version the newest state stays, and those that others may be opening yet."""
    files = (settings.DATA_DIR / "models").glob(f"{model.taxonomy.slug}-v{model.version}-r*.npz")
    opened_since = time.time() - OPENED_WITHIN.total_seconds()
    for file in files:
        if file.name not in {newest, model.file} and file.stat().st_mtime < opened_since:
            file.unlink(missing_ok=True)


def _temperature(model: TrainedModel) -> float:
    return float(model.parameters["fitted_temperature"])


def _write(model: TrainedModel, scorer: TopicScorer, revision: int) -> tuple[str, str]:
    """A new file for every state of a model, so that nobody reads one that is being written."""
    name = f"{model.taxonomy.slug}-v{model.version}-r{revision}.npz"
    folder = settings.DATA_DIR / "models"
    folder.mkdir(parents=True, exist_ok=True)
    model.parameters["fitted_temperature"] = scorer.temperature
    facts = {"taxonomy": model.taxonomy.slug, "version": model.version, "revision": revision}
    return name, save_model(folder / name, scorer, facts)


def _fail(model: TrainedModel, reason: str) -> None:
    TrainedModel.objects.filter(pk=model.pk, state=State.TRAINING).update(
        state=State.FAILED, failure=reason[:500], progress="", finished_at=timezone.now()
    )
