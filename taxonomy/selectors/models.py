"""Which model judges for a taxonomy, and what is known about it."""

import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from django.conf import settings
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404

from focusadmin.lib.errors import FocusAdminError
from taxonomy.core.artefact import load_model
from taxonomy.core.classifier.base import TopicScorer
from taxonomy.models import Taxonomy, TrainedModel

MODELS_IN_MEMORY = 4
_loading = threading.Lock()


class NoModelError(FocusAdminError):
    """Nothing was trained yet; the text says what to do."""


@dataclass(frozen=True)
class Judge:
    """A model that is ready to judge pages."""

    model: TrainedModel
    scorer: TopicScorer


def models_of(taxonomy: Taxonomy) -> QuerySet[TrainedModel]:
    return taxonomy.trained_models.select_related("trained_by")


def model_get(*, taxonomy: Taxonomy, version: int) -> TrainedModel:
    return get_object_or_404(models_of(taxonomy), version=version)


def current_model(taxonomy: Taxonomy) -> TrainedModel | None:
    return taxonomy.trained_models.filter(is_current=True).first()


def is_held(model: TrainedModel) -> bool:
    """People went back to it from a newer one: it stays as it is and learns no edits."""
    newer = TrainedModel.objects.filter(taxonomy=model.taxonomy_id, version__gt=model.version)
    return newer.filter(state=TrainedModel.State.READY).exists()


def training_of(taxonomy: Taxonomy) -> TrainedModel | None:
    return taxonomy.trained_models.filter(state=TrainedModel.State.TRAINING).first()


def judge_of(taxonomy: Taxonomy) -> Judge:
    """The current model of a taxonomy, loaded once a process and file."""
    model = current_model(taxonomy)
    if model is None:
        raise NoModelError(
            f"{taxonomy} has no trained model yet. Train one: manage.py train --taxonomy "
            f"{taxonomy.slug}"
        )
    with _loading:  # two requests at once need not read the same file twice
        return Judge(model, _scorer(model_file(model), model.checksum))


def judge_with(model: TrainedModel) -> Judge | None:
    """One certain model, if its file is there and whole."""
    try:
        with _loading:
            return Judge(model, _scorer(model_file(model), model.checksum))
    except (OSError, FocusAdminError):
        return None


def model_file(model: TrainedModel) -> Path:
    return Path(settings.DATA_DIR) / "models" / model.file


@lru_cache(maxsize=MODELS_IN_MEMORY)
def _scorer(path: Path, checksum: str) -> TopicScorer:
    """By checksum too: a file that was written again is another model."""
    return load_model(path, checksum)[0]
