"""One engine for one crawl, whatever the queue, the machine and the processes do."""

import re
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest
from django.db import connection

from crawler import tasks
from crawler.models import CrawlEvent
from crawler.runners.watch import CRASHED, run_engine
from crawler.selectors.crawls import crawls_unheld
from focusadmin.celery import app
from tests.crawl.engines import PATIENCE_SECONDS, wait_for_pages, wait_for_state
from tests.crawl.ledger_checks import assert_consistent, committed_urls
from tests.crawl.small_web import SmallWeb
from tests.crawl_rows import expire
from tests.product import ROOT, is_running, processes, wait_for

pytestmark = pytest.mark.process


@pytest.fixture
def at_once() -> Iterator[None]:
    """Celery runs what is sent to it in this process."""
    eager = ("task_always_eager", "task_eager_propagates")
    before = {name: getattr(app.conf, name) for name in eager}
    app.conf.update(dict.fromkeys(eager, True))
    yield
    app.conf.update(before)


def test_a_holder_that_slept_past_its_lease_writes_nothing_any_more(engines, new_crawl, web):
    small_web = SmallWeb.built(web, pages=250, seconds=0.05)
    crawl = new_crawl(small_web.urls[0], concurrency=4)
    sleeper = engines.start(crawl)
    wait_for_pages(crawl, 10)
    sleeper.send_signal(signal.SIGSTOP)
    expire(crawl)
    second = engines.start(crawl)
    crawl.refresh_from_db()
    wait_for_pages(crawl, crawl.fetched + 10)
    assert crawl.fence == 2
    sleeper.send_signal(signal.SIGCONT)
    assert sleeper.wait(PATIENCE_SECONDS) == 0
    assert "lost" in engines.said()
    assert second.wait(PATIENCE_SECONDS) == 0
    wait_for_state(crawl, "finished")
    assert_consistent(crawl)
    assert committed_urls(crawl) == set(small_web.urls)


def test_of_four_engines_started_at_once_one_works(engines, new_crawl, small_web):
    crawl = new_crawl(small_web.urls[0])
    started = [engines.start(crawl) for _ in range(4)]
    assert [engine.wait(PATIENCE_SECONDS) for engine in started] == [0] * 4
    wait_for_state(crawl, "finished")
    assert crawl.fence == 1
    assert engines.said().count(": lost ") == 3
    assert small_web.asked_twice() == []
    assert committed_urls(crawl) == set(small_web.urls)


def test_what_should_run_is_taken_up_and_a_doubled_message_does_no_harm(
    engines, new_crawl, small_web, at_once
):
    crawl = new_crawl(small_web.urls[0])

    def second_worker() -> None:
        try:
            tasks.crawl_slice(crawl.pk)
        finally:
            connection.close()

    double = threading.Thread(target=second_worker)
    double.start()
    tasks.crawls_tend()
    double.join(PATIENCE_SECONDS)
    wait_for_state(crawl, "finished")
    assert (crawl.fence, crawl.lease_until) == (1, None)
    assert small_web.asked_twice() == []
    tasks.crawl_slice(crawl.pk)  # a message that comes late
    crawl.refresh_from_db()
    assert crawl.fence == 1


def test_an_engine_ends_when_its_parent_is_killed_and_another_worker_goes_on(
    engines, new_crawl, web, at_once
):
    small_web = SmallWeb.built(web, pages=150, seconds=0.05)
    crawl = new_crawl(small_web.urls[0], concurrency=4)
    work = f"from crawler.runners.watch import run_engine; run_engine({crawl.pk})"
    manage = [sys.executable, str(ROOT / "manage.py"), "shell", "--no-imports", "-c", work]
    worker = subprocess.Popen(manage, env=engines.environment, cwd=ROOT)
    engines.started.append(worker)
    wait_for_pages(crawl, 10)
    engine = next(pid for pid, parent, _ in processes() if parent == worker.pid)
    worker.kill()
    worker.wait()
    wait_for(lambda: not is_running(engine), seconds=PATIENCE_SECONDS, what="the engine's end")
    crawl.refresh_from_db()
    assert (crawl.state, crawl.lease_owner, crawl.crashes) == ("running", "", 0)
    assert committed_urls(crawl) == set(small_web.asked())  # it brought home what was in flight

    tasks.crawls_tend()
    crawl.refresh_from_db()
    assert (crawl.state, crawl.fence) == ("finished", 2)
    assert small_web.asked_twice() == []
    assert_consistent(crawl)


def test_three_crashes_without_a_page_are_enough(engines, new_crawl, small_web, monkeypatch):
    crawl = new_crawl(small_web.urls[0])
    monkeypatch.setenv("FOCUSADMIN_FAILPOINT", "before_commit")
    for crashes in (1, 2, 3):
        run_engine(crawl.pk)
        crawl.refresh_from_db()
        assert crawl.crashes == crashes
        assert crawl.lease_until is None  # its parent knows that it is dead: nobody waits
    assert (crawl.state, crawl.reason) == ("failed", CRASHED)
    assert CrawlEvent.objects.filter(crawl=crawl, kind="failed").count() == 1
    assert crawls_unheld() == []


def test_on_sigterm_what_is_in_flight_comes_home(engines, new_crawl, web):
    small_web = SmallWeb.built(web, pages=200, seconds=0.2)
    crawl = new_crawl(small_web.urls[0], concurrency=6)
    engine = engines.start(crawl)
    wait_for_pages(crawl, 5)
    engine.terminate()
    assert engine.wait(PATIENCE_SECONDS) == 0
    crawl.refresh_from_db()
    assert (crawl.state, crawl.lease_owner, crawl.lease_until) == ("running", "", None)
    assert committed_urls(crawl) == set(small_web.asked())
    assert_consistent(crawl)
    assert re.search(r"slice_over asked to", engines.said())
