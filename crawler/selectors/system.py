"""Can work be done here? What the strip on the home page tells."""

import shutil
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from django.conf import settings
from django.utils import timezone

from crawler.models import WorkerSighting

WORKER_SILENT_AFTER = timedelta(seconds=30)
LOW_DISK_BYTES = 1024**3


class Health(StrEnum):
    OK = "ok"
    WARN = "warn"
    BAD = "bad"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class SystemStatus:
    """The strip on the home page: can work be done here?"""

    workers_alive: int
    last_seen_at: datetime | None
    worker_health: Health
    worker_words: str
    disk_free_bytes: int
    disk_health: Health
    mode: str
    database: str


def system_status() -> SystemStatus:
    now = timezone.now()
    seen = list(WorkerSighting.objects.values_list("seen_at", flat=True))
    alive = sum(seen_at > now - WORKER_SILENT_AFTER for seen_at in seen)
    disk_free = shutil.disk_usage(settings.DATA_DIR).free
    health, words = _worker_health(alive, seen)
    return SystemStatus(
        workers_alive=alive,
        last_seen_at=max(seen, default=None),
        worker_health=health,
        worker_words=words,
        disk_free_bytes=disk_free,
        disk_health=Health.OK if disk_free > LOW_DISK_BYTES else Health.BAD,
        mode=settings.MODE,
        database="PostgreSQL" if settings.DB_URL else "SQLite",
    )


def _worker_health(alive: int, seen: list[datetime]) -> tuple[Health, str]:
    if alive:
        return Health.OK, "Ready for work"
    if seen:
        return Health.BAD, "Silent for more than 30 s; it is restarted by itself"
    return Health.UNKNOWN, "Starting"
