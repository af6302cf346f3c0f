"""Signs of life from the worker processes."""

from datetime import timedelta

from django.utils import timezone

from crawler.models import WorkerSighting

FORGET_WORKERS_AFTER = timedelta(days=1)


def worker_seen(*, hostname: str) -> None:
    """Note that a worker is alive; forget those that have long gone."""
    now = timezone.now()
    WorkerSighting.objects.update_or_create(hostname=hostname, defaults={"seen_at": now})
    WorkerSighting.objects.filter(seen_at__lt=now - FORGET_WORKERS_AFTER).delete()
