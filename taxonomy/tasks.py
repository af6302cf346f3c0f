"""Celery's edge: fetch by id, call one service."""

from celery import shared_task

from taxonomy.models import Focus, TrainedModel
from taxonomy.services.reading import focus_read, focuses_to_read
from taxonomy.services.training import TrainingError, models_catch_up, training_run


@shared_task(name="taxonomy.training_run")
def run_training(model_id: int) -> None:
    model = TrainedModel.objects.select_related("taxonomy__root").filter(pk=model_id).first()
    if model is None:
        return
    try:
        training_run(model)
    except TrainingError:
        return  # kept with the model, which is where people look


@shared_task(name="taxonomy.models_catch_up")
def catch_up() -> None:
    models_catch_up()


@shared_task(name="taxonomy.focuses_tend")
def focuses_tend() -> None:
    """Whatever has pages to read gets a reader. A reader too many ends at once."""
    for focus_id in focuses_to_read():
        read_focus.apply_async((focus_id,), expires=5)


@shared_task(name="taxonomy.focus_read")
def read_focus(focus_id: int) -> None:
    focus = Focus.objects.select_related("taxonomy", "owner").filter(pk=focus_id).first()
    if focus is not None:
        focus_read(focus)
