"""Celery's edge: fetch by id, call one service."""

import socket

from celery import shared_task

from crawler.services import worker_seen


@shared_task(name="crawler.worker_heartbeat")
def worker_heartbeat() -> None:
    worker_seen(hostname=socket.gethostname())
