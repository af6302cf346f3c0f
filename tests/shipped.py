"""The shipped tree with its model. Training takes seconds, so it is done once in a test run."""

from pathlib import Path
from typing import Any

from django.conf import settings

from focusadmin.accounts.models import Team
from taxonomy.models import Taxonomy, TrainedModel
from taxonomy.services.shipped import SHIPPED_SLUG, shipped_taxonomy_ensure
from taxonomy.services.training import shipped_model_ensure

_OF_ONE_TEST = {"id", "taxonomy", "trained_by"}
_kept: dict[str, Any] = {}  # the model's row; its file stays in the data folder of the run


def shipped_with_model(team: Team) -> Taxonomy:
    """The team's own, trained by the product itself the first time and the same row after that."""
    shipped_taxonomy_ensure(team=team)
    taxonomy: Taxonomy = Taxonomy.objects.get(slug=SHIPPED_SLUG)
    folder = Path(settings.DATA_DIR) / "models"
    if _kept and (folder / _kept["file"]).exists():
        TrainedModel.objects.create(taxonomy=taxonomy, **_kept)
        return taxonomy
    shipped_model_ensure()
    model = taxonomy.trained_models.get()
    fields = (field.name for field in TrainedModel._meta.concrete_fields)
    _kept.update({name: getattr(model, name) for name in fields if name not in _OF_ONE_TEST})
    return taxonomy
