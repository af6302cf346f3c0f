"""Trains models in the background. The old one serves until the new one is ready.

A training is a row: one at a time for a taxonomy, with a heartbeat, so that a killed one is seen
and given up. What it learnt from is a revision of the tree; edits made meanwhile make the model
stale, and the next round of `models_catch_up` learns them: none is lost.

Screens only write the row. The scheduler's next round takes it up (`waiting_training_run`); two
workers never take up the same, as the row changes hands by an UPDATE with a WHERE on "waiting".
"""

from collections.abc import Callable
from datetime import timedelta

import structlog
from django.conf import settings
from django.db import IntegrityError, transaction
from django.db.models import F, Max
from django.utils import timezone

from focusadmin.accounts.models import User
from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import save_model
from taxonomy.core.changes import ExamplesMoved, from_json
from taxonomy.core.classifier.base import TopicScorer, TrainingExample
from taxonomy.core.classifier.corpus import training_examples
from taxonomy.core.classifier.tree_index import Lineage
from taxonomy.core.training import (
    DEFAULT_HOLDOUT,
    Trained,
    relearnt,
    scores_of,
    suited_kind,
    train,
)
from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.selectors.models import model_file
from taxonomy.selectors.trees import topic_records
from taxonomy.services.heartbeats import Heartbeat
from taxonomy.services.shipped import SHIPPED_SLUG

SILENT_AFTER = timedelta(seconds=90)
WAITS_AT_MOST = timedelta(minutes=10)  # for a worker
WAITING, STARTING = "Waiting for a worker", "Starting"
SETTLED_AFTER = timedelta(seconds=3)  # people edit in bursts
AUTOMATIC_EXAMPLES = 20_000  # above this, people decide when to train

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
    heartbeat = Heartbeat(model, on_progress)
    try:
        heartbeat("Reading the examples", 0.0, at_once=True)
        revision, examples, topics = _examples(model.taxonomy)
        asked = model.parameters["kind_asked"]
        kind = asked or suited_kind(examples)
        trained = train(
            examples,
            topics,
            kind=kind,
            holdout=model.parameters["holdout"],
            on_progress=heartbeat,
        )
        return _finish(model, kind, revision, len(topics), trained)
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
    with transaction.atomic():
        model.taxonomy.trained_models.filter(is_current=True).update(is_current=False)
        TrainedModel.objects.filter(pk=model.pk).update(is_current=True)


def models_catch_up() -> list[str]:
    """Bring models up to the edits of their trees; what the scheduler calls every few seconds."""
    silent_trainings_give_up()
    taken_up = waiting_training_run()
    settled = timezone.now() - SETTLED_AFTER
    stale = TrainedModel.objects.filter(
        is_current=True,
        taxonomy_revision__lt=F("taxonomy__revision"),
        taxonomy__edited_at__lt=settled,
        example_count__lte=AUTOMATIC_EXAMPLES,
    )
    done = ["trained"] if taken_up else []
    return done + [catch_up(model) for model in stale.select_related("taxonomy__root")]


def catch_up(model: TrainedModel) -> str:
    """Learn edits of examples at once; train anew when the tree itself has changed."""
    edits = model.taxonomy.edits.filter(revision__gt=model.taxonomy_revision)
    changes = [change for edit in edits for change in from_json(edit.changes)]
    only_examples = all(isinstance(change, ExamplesMoved) for change in changes)
    if model.kind == TrainedModel.Kind.NAIVE_BAYES and only_examples:
        _learn(model)
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


def _examples(taxonomy: Taxonomy) -> tuple[int, list[TrainingExample], list[Lineage]]:
    """What to learn, and the revision that is surely in it.

    The revision is read first: an edit made while the examples are read counts as not learnt yet.
    """
    revision = Taxonomy.objects.get(pk=taxonomy.pk).revision
    examples, topics = training_examples(topic_records(taxonomy))
    if not any(example.is_page for example in examples):
        raise TrainingError(f"{taxonomy} has no examples to learn from. Add some first.")
    if len({lineage[:1] for lineage in topics}) < 2:
        raise TrainingError(f"{taxonomy} needs at least two topics to tell apart.")
    return revision, examples, topics


def _finish(
    model: TrainedModel, kind: str, revision: int, topics: int, trained: Trained
) -> TrainedModel:
    name, checksum = _write(model, trained.scorer, revision)
    values = {
        "kind": kind,
        "state": State.READY,
        "taxonomy_revision": revision,
        "parameters": {**model.parameters, **trained.parameters},
        "scores": scores_of(trained.evaluation),
        "example_count": trained.examples,
        "topic_count": topics,
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


def _learn(model: TrainedModel) -> None:
    """Renew the weights of the current version from the examples as they are now."""
    revision, examples, topics = _examples(model.taxonomy)
    learnt = relearnt(examples, topics, temperature=_temperature(model))
    name, checksum = _write(model, learnt.scorer_, revision)
    TrainedModel.objects.filter(pk=model.pk, taxonomy_revision=model.taxonomy_revision).update(
        taxonomy_revision=revision,
        file=name,
        checksum=checksum,
        example_count=sum(example.is_page for example in examples),
    )
    _forget_older_files(model, name)


def _forget_older_files(model: TrainedModel, newest: str) -> None:
    """Of one version the newest state stays, and the one before, which others may be opening."""
    files = (settings.DATA_DIR / "models").glob(f"{model.taxonomy.slug}-v{model.version}-r*.npz")
    for file in files:
        if file.name not in {newest, model.file}:
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
