"""Signs of life from the worker processes."""

from django.db import models


class WorkerSighting(models.Model):
    """When a worker last did a job. The database is the truth, so no broker is asked."""

    hostname = models.CharField(max_length=200, unique=True)
    seen_at = models.DateTimeField()

    class Meta:
        ordering = ["hostname"]
        indexes = [models.Index(name="worker_sighting_seen", fields=["seen_at"])]

    def __str__(self) -> str:
        return self.hostname
