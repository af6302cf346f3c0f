"""Celery's edge: fetch by id, call one service."""

import socket
import threading
from typing import Any

from celery import shared_task
from celery.signals import worker_shutting_down

from crawler.runners.watch import run_engine
from crawler.selectors.crawls import crawls_unheld
from crawler.services.alarms import alarms_evaluate
from crawler.services.digests import digests_send
from crawler.services.distillation import crawls_distil_due
from crawler.services.enough import crawls_stop_enough
from crawler.services.exports import export_run, exports_to_run
from crawler.services.feedback import feedback_settle
from crawler.services.labels import labels_tend
from crawler.services.news import news_gather
from crawler.services.notices import notices_send
from crawler.services.questions import copies_wanted, copy_run
from crawler.services.revisits import revisits_tend
from crawler.services.sitecounts import sites_count_due
from crawler.services.workers import worker_seen

_stopping = threading.Event()


@worker_shutting_down.connect
def hand_over(**_: Any) -> None:
    """Engines bring home what is in flight and give up their leases, instead of being killed."""
    _stopping.set()


@shared_task(name="crawler.worker_heartbeat")
def worker_heartbeat() -> None:
    worker_seen(hostname=socket.gethostname())


@shared_task(name="crawler.crawls_tend")
def crawls_tend() -> None:
    """Whatever should be at work and is not gets a slice. A slice too many ends at once."""
    for crawl in crawls_unheld():
        crawl_slice.apply_async((crawl.pk,), expires=30)


@shared_task(name="crawler.crawl_slice")
def crawl_slice(crawl_id: int) -> None:
    if any(crawl.pk == crawl_id for crawl in crawls_unheld()):
        run_engine(crawl_id, stopping=_stopping)


@shared_task(name="crawler.alarms_watch")
def alarms_watch() -> None:
    alarms_evaluate()


@shared_task(name="crawler.alarm_notices")
def alarm_notices() -> None:
    notices_send()


@shared_task(name="crawler.crawls_enough")
def crawls_enough() -> None:
    crawls_stop_enough()


@shared_task(name="crawler.exports_tend")
def exports_tend() -> None:
    """Whatever waits, or has lost its writer, gets one. One too many ends at once."""
    for export_id in exports_to_run():
        export_write.apply_async((export_id,), expires=30)


@shared_task(name="crawler.questions_tend")
def questions_tend() -> None:
    """Start the copies that somebody waits for."""
    for crawl_id in copies_wanted():
        questions_copy.apply_async((crawl_id,), expires=30)


@shared_task(name="crawler.questions_copy")
def questions_copy(crawl_id: int) -> None:
    copy_run(crawl_id)


@shared_task(name="crawler.export_write")
def export_write(export_id: int) -> None:
    export_run(export_id)


@shared_task(name="crawler.crawls_distil")
def crawls_distil() -> None:
    crawls_distil_due()


@shared_task(name="crawler.feedback_settle")
def settle_feedback() -> None:
    feedback_settle()
    labels_tend()


@shared_task(name="crawler.sites_count")
def count_sites() -> None:
    sites_count_due()


@shared_task(name="crawler.crawls_revisit")
def crawls_revisit() -> None:
    revisits_tend()


@shared_task(name="crawler.news_gather")
def gather_news() -> None:
    news_gather()


@shared_task(name="crawler.news_digests")
def news_digests() -> None:
    digests_send()
