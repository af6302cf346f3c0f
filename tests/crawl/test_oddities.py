"""Odd pages, odd settings, and a database or a disk that is in trouble."""

import sqlite3
import threading
import time
from pathlib import Path

import pytest
from django.conf import settings
from django.db import connection, connections

from crawler.core import engine
from crawler.core.events import End
from crawler.models import Crawl, FrontierUrl, Page, PageBody
from crawler.runners import session
from crawler.runners.watch import LEDGER_AWAY
from crawler.services import crawls as services
from crawler.store import lease_renew
from taxonomy.selectors.models import model_file
from tests.crawl.engines import wait_for_pages
from tests.crawl.ledger_checks import assert_consistent, committed_urls
from tests.crawl.small_web import GOOD_WORDS, Site, SmallWeb
from tests.product import manage

pytestmark = pytest.mark.process


def test_odd_pages_each_have_their_outcome(in_process, new_crawl, web):
    text = " ".join(GOOD_WORDS)
    paths = ("empty", "known", "away", "kept-out", "noindex", "odd", "missing", "to-missing")
    links = "".join(f"<a href=/{path}>{path}</a>" for path in paths)
    site = Site({"/": f"<title>Start</title>{text} {links}".encode()})
    site.pages["/empty"] = b""
    site.pages["/odd"] = f"<title>\0 \ud83d &#0; &#55357;\x85</title>{text}".encode(
        "utf-8", "ignore"
    )
    site.pages["/noindex"] = b"<title>Secret</title><meta name=robots content=noindex>secret"
    site.redirects["/known"] = "/"
    site.redirects["/away"] = web.url("far.localhost", "/there")
    site.redirects["/kept-out"] = web.url("no.localhost", "/page")
    site.redirects["/to-missing"] = "/missing"
    far = Site({"/there": f"<title>There</title>{text} far".encode()})
    start = web.add("odd.localhost", site)
    web.add("far.localhost", far)
    web.add("no.localhost", Site({"/page": b"never"}))
    private = "http://10.0.0.1/"
    crawl = new_crawl(
        start, private, web.url("no.localhost", "/"), exclusions=["no.localhost"], concurrency=1
    )
    in_process(crawl).run()
    assert (crawl.state, crawl.reason) == ("finished", "frontier empty")
    numbers = dict(FrontierUrl.objects.filter(crawl=crawl).values_list("number", "url"))
    pages = Page.objects.filter(crawl=crawl)
    outcomes = {numbers[page.number]: page.outcome for page in pages}
    assert outcomes == {
        start: "ok",
        private: "forbidden_address",
        web.url("no.localhost", "/"): "excluded",
        f"{start}empty": "ok",
        f"{start}noindex": "ok",
        f"{start}odd": "ok",
        f"{start}known": "redirects_to_known",
        f"{start}away": "ok",
        f"{start}kept-out": "redirect_declined",
        f"{start}missing": "status_404",
        f"{start}to-missing": "status_404",
    }
    assert web.visits_of("no.localhost") == []
    away = pages.get(url=web.url("far.localhost", "/there"))
    assert away.site == "far.localhost"
    assert pages.get(outcome="excluded").detail == "no.localhost"
    secret = pages.get(url=f"{start}noindex")
    body = PageBody.objects.get(crawl=crawl, seq=secret.seq)
    assert (secret.title, bytes(body.text)) == ("", b"")
    assert_consistent(crawl)


def test_a_crawl_whose_model_is_gone_fails_with_the_reason_and_can_be_taken_up(
    in_process, new_crawl, small_web
):
    crawl = new_crawl(small_web.urls[0], budget={"max_pages": 5})
    path = model_file(crawl.model)
    hidden = path.rename(path.with_suffix(".hidden"))
    assert in_process(crawl).run().end is End.FAILED
    assert (crawl.state, crawl.fetched, crawl.failed) == ("failed", 0, 0)
    assert crawl.reason.startswith(f"The crawl's model is gone: {path.name}")
    hidden.rename(path)
    assert services.crawl_resume(crawl=crawl).finished_at is None
    in_process(crawl).run()
    assert (crawl.state, crawl.fetched) == ("finished", 5)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"good": [["Cooking"]]}, "The model does not know /Cooking. Train it again."),
        ({"config": {"speed": 9}}, "speed is unknown."),
    ],
)
def test_settings_that_can_not_work_fail_the_crawl_at_once(
    in_process, new_crawl, small_web, changes, reason
):
    crawl = new_crawl(small_web.urls[0])
    Crawl.objects.filter(pk=crawl.pk).update(**changes)
    assert in_process(crawl).run().end is End.FAILED
    assert crawl.state == "failed"
    assert crawl.reason.startswith(reason)
    assert small_web.asked() == []


def test_a_disk_that_is_nearly_full_pauses_the_crawl_before_it_is_full(
    in_process, new_crawl, web, monkeypatch
):
    small_web = SmallWeb.built(web, pages=40, seconds=0.1)
    crawl = new_crawl(small_web.urls[0], concurrency=4)
    monkeypatch.setattr(session, "RENEW_SECONDS", 0.0)
    with monkeypatch.context() as full:
        full.setattr(session, "FULL_DISK_BYTES", 2**62)
        assert in_process(crawl).run().end is End.HELD
    assert crawl.state == "paused"
    assert crawl.reason.startswith("the disk is full: ")
    assert str(settings.DATA_DIR) in crawl.reason
    services.crawl_resume(crawl=crawl)
    in_process(crawl).run()
    assert committed_urls(crawl) == set(small_web.urls)
    assert small_web.asked_twice() == []


@pytest.mark.skipif(connection.vendor != "sqlite", reason="only SQLite has one writer")
def test_a_database_locked_for_seconds_holds_the_crawl_up_and_no_more(
    in_process, new_crawl, web, monkeypatch
):
    small_web = SmallWeb.built(web, pages=260, seconds=0.01)
    crawl = new_crawl(small_web.urls[0], concurrency=8)
    options = connections.databases["default"]["OPTIONS"]
    monkeypatch.setitem(options, "timeout", 0.1)  # of the engine's connections, made from now on
    with in_process(crawl):
        wait_for_pages(crawl, 10)
        with locked():
            before = len(small_web.asked())
            time.sleep(2.5)
            fetched_meanwhile = len(small_web.asked()) - before
    assert fetched_meanwhile <= engine.UNWRITTEN_MOST + 8  # what can't be written is not fetched
    assert (crawl.state, crawl.reason) == ("finished", "frontier empty")
    assert committed_urls(crawl) == set(small_web.urls)
    assert small_web.asked_twice() == []
    assert_consistent(crawl)


class locked:  # noqa: N801 - reads as a block
    """Another process writes, and takes its time."""

    def __enter__(self) -> None:
        path = Path(str(connection.settings_dict["NAME"]))
        self._other = sqlite3.connect(path, timeout=20, isolation_level=None)
        self._other.execute("BEGIN IMMEDIATE")

    def __exit__(self, *_: object) -> None:
        self._other.execute("ROLLBACK")
        self._other.close()


def test_a_long_preparation_keeps_its_lease(in_process, new_crawl, small_web, monkeypatch):
    crawl = new_crawl(small_web.urls[0], budget={"max_pages": 3})
    renewed = threading.Event()
    prepared = session._prepared

    def slowly(crawl: Crawl) -> session.Prepared:
        assert renewed.wait(30)
        return prepared(crawl)

    def noted(crawl: Crawl) -> bool:
        renewed.set()
        return lease_renew(crawl)

    monkeypatch.setattr(session, "RENEW_SECONDS", 0.05)
    monkeypatch.setattr(session, "_prepared", slowly)
    monkeypatch.setattr(session, "lease_renew", noted)
    in_process(crawl).run()
    assert crawl.fetched == 3


def test_an_engine_without_its_database_is_no_crash_of_the_crawl(tmp_path):
    nowhere = "postgres://nobody:x@127.0.0.1:1/nothing"
    done = manage(tmp_path, "engine", "1", FOCUSADMIN_DB_URL=nowhere)
    assert done.returncode == LEDGER_AWAY
    assert "connection" in done.stderr
