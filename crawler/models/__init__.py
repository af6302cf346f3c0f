"""The crawler's tables, one file per subject."""

from crawler.models.worker import WorkerSighting

__all__ = ["WorkerSighting"]
