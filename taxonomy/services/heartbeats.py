"""Signs of life of a training, which a killed worker no longer gives."""

import time
from collections.abc import Callable

from django.utils import timezone

from taxonomy.models import TrainedModel

SECONDS = 2.0


class Heartbeat:
    """Tells the row how far the training is, at most every two seconds."""

    def __init__(self, model: TrainedModel, on_progress: Callable[[str, float], None]) -> None:
        self.model, self.on_progress, self.told_at = model, on_progress, 0.0

    def __call__(self, what: str, share: float, *, at_once: bool = False) -> None:
        self.on_progress(what, share)
        now = time.monotonic()
        if at_once or now - self.told_at >= SECONDS:
            self.told_at = now
            TrainedModel.objects.filter(pk=self.model.pk).update(
                progress=what, progress_share=share, heartbeat_at=timezone.now()
            )
