"""`manage.py focus create` and `manage.py crawl …`, as scripts use them."""

import json
import os
import signal
import subprocess
import sys
from io import StringIO
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from crawler.core.config import CrawlConfig
from crawler.models import Crawl, Page
from crawler.services.crawls import config_with
from taxonomy.selectors.models import model_file
from tests.crawl.conftest import child_environment, taught, web
from tests.crawl.engines import PATIENCE_SECONDS
from tests.crawl.small_web import SmallWeb
from tests.product import ROOT, wait_for

__all__ = ["child_environment", "taught", "web"]
pytestmark = pytest.mark.process

RESUME = ("resume", "slow", "--wait", "--json")
QUICK = {"delay_seconds": 0.0, "budget": {"max_pages": 50}}
FIGURES = {
    "crawl", "state", "reason", "fetched", "failed", "frontier", "mean_relevance",
    "harvest_average", "pages_per_second",
}  # fmt: skip


def said(*arguments: str) -> Any:
    out = StringIO()
    call_command(*arguments, "--json", stdout=out)
    return json.loads(out.getvalue())


@pytest.fixture
def small_web(web) -> SmallWeb:
    return SmallWeb.built(web, pages=60)


@pytest.fixture
def focus(taught, child_environment, small_web) -> str:
    """Its slug; its start URL leads into a small web."""
    made = said(
        "focus", "create", "--name", "Bikes", "--taxonomy", taught.slug, "--good", "/Cycling",
        "--pass-through", "/Music/Jazz", "--start", small_web.urls[0],
    )  # fmt: skip
    assert made["good"] == ["/Cycling"]
    assert made["pass_through"] == ["/Music/Jazz"]
    assert made["start_urls"] == [small_web.urls[0]]
    slug: str = made["focus"]
    return slug


def test_a_crawl_from_its_start_to_its_end_in_one_command(focus):
    quick = ("--max-pages", "20", "--delay", "0", "--wait")
    done = said("crawl", "start", "--focus", focus, "--strategy", "breadth_first", *quick)
    assert set(done) >= FIGURES
    assert (done["state"], done["reason"]) == ("finished", "budget: 20 pages fetched")
    assert (done["fetched"], done["failed"]) == (20, 0)
    assert done["mean_relevance"] > 0.5
    assert done["pages_per_second"] > 0
    assert said("crawl", "status", done["crawl"]) == done
    assert said("crawl", "list") == {"crawls": [done]}

    by_id = str(Crawl.objects.get().pk)
    assert said("crawl", "resume", by_id)["state"] == "queued"
    assert said("crawl", "pause", by_id)["reason"] == "on the command line"
    assert said("crawl", "pause", by_id)["state"] == "paused"
    assert said("crawl", "resume", by_id)["state"] == "queued"
    with pytest.raises(CommandError, match="Stop the crawl before you discard it"):
        said("crawl", "discard", by_id)
    assert said("crawl", "stop", by_id)["state"] == "finished"
    assert said("crawl", "discard", by_id)["state"] == "discarded"
    assert not Page.objects.exists()
    with pytest.raises(CommandError, match="There is no crawl"):
        said("crawl", "discard", by_id)
    assert said("crawl", "list") == {"crawls": []}


def test_without_waiting_a_crawl_is_queued_for_a_worker(focus):
    queued = said("crawl", "start", "--focus", focus, "--name", "Later")
    assert (queued["crawl"], queued["state"], queued["fetched"]) == ("later", "queued", 0)
    out = StringIO()
    call_command("crawl", "list", stdout=out)
    assert out.getvalue().startswith("later: queued, 0 fetched")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (("--focus", "nobody"), "There is no focus nobody"),
        (("--max-pages", "0"), "max_pages must be more than 0"),
        (("--max-seconds", "-1"), "max_seconds must be more than 0"),
        (("--concurrency", "0"), "concurrency must be from 1 to 256"),
        (("--delay", "999"), "delay_seconds must be from 0 to 300"),
    ],
)
def test_what_can_not_be_is_refused_with_a_reason(focus, options, words):
    with pytest.raises(CommandError, match=words):
        said("crawl", "start", "--focus", focus, *options)
    assert not Crawl.objects.exists()


@pytest.mark.parametrize("action", ["status", "pause", "resume", "stop", "discard"])
def test_an_unknown_crawl_is_named(db, action):
    with pytest.raises(CommandError, match="There is no crawl 7"):
        said("crawl", action, "7")


def test_a_crawl_that_fails_fails_the_command(focus):
    crawl = said("crawl", "start", "--focus", focus)["crawl"]
    model_file(Crawl.objects.get().model).unlink()
    with pytest.raises(CommandError, match="The crawl failed: The crawl's model is gone"):
        said("crawl", "resume", crawl, "--wait")


def test_ctrl_c_pauses_the_crawl_and_it_can_be_resumed(focus, small_web, child_environment):
    """Twice, with the signals of a terminal and of a shell; then to the end."""
    small_web.set_seconds(1.0)  # the web is slow: pauses between requests are short on one machine
    slow = ("--max-pages", "60", "--concurrency", "1", "--name", "Slow")
    start = ("start", "--focus", focus, *slow, "--wait", "--json")
    told = "CommandError: The crawl slow is paused. Go on: manage.py crawl resume slow --wait\n"
    for arguments, number in ((start, signal.SIGINT), (RESUME, signal.SIGTERM)):
        before = sum(Crawl.objects.values_list("fetched", flat=True))
        with subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "crawl", *arguments],
            env=child_environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
            text=True,
        ) as process:
            wait_for(
                Crawl.objects.filter(fetched__gt=before).exists,
                seconds=PATIENCE_SECONDS,
                what="a page",
            )
            os.killpg(process.pid, number)
            assert process.communicate(timeout=PATIENCE_SECONDS) == ("", told)
        assert process.returncode == 130
        crawl = Crawl.objects.get()
        assert (crawl.state, crawl.reason) == ("paused", "interrupted")
        assert (crawl.lease_owner, crawl.lease_until) == ("", None)
    small_web.set_seconds(0.0)
    Crawl.objects.update(config=config_with(CrawlConfig(), QUICK).to_json())
    done = said("crawl", *RESUME)
    assert (done["state"], done["reason"]) == ("finished", "budget: 50 pages fetched")
