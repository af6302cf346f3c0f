"""Celery's edge: fetch by id, call one service."""

from celery import shared_task

from taxonomy.models import TrainedModel
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
