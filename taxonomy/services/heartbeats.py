"""Signs of life of a training, which a killed worker no longer gives."""

import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from django.db import DatabaseError, connection
from django.utils import timezone

from taxonomy.models import TrainedModel

SECONDS = 2.0
QUIET_SECONDS = 10.0  # one step of a large training may take minutes


class Heartbeat:
    """Tells the row how far the training is, at most every two seconds, and beats in between."""

    def __init__(self, model: TrainedModel, on_progress: Callable[[str, float], None]) -> None:
        self.model, self.on_progress, self.told_at = model, on_progress, 0.0
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._done.set()
        self._thread.join()

    def __call__(self, what: str, share: float, *, at_once: bool = False) -> None:
        self.on_progress(what, share)
        now = time.monotonic()
        if at_once or now - self.told_at >= SECONDS:
            self.told_at = now
            self._tell(progress=what, progress_share=share)

    def _beat(self) -> None:
        try:
            while not self._done.wait(QUIET_SECONDS):
                self._tell()
        except DatabaseError:
            return  # the training itself will meet it
        finally:
            connection.close()

    def _tell(self, **values: Any) -> None:
        TrainedModel.objects.filter(pk=self.model.pk).update(**values, heartbeat_at=timezone.now())
