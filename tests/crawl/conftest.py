"""Whole crawls: a loopback web, the test's database, and engines as processes of their own."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.conf import settings
from django.db import connection

from crawler.core import engine
from crawler.core.config import CrawlConfig
from crawler.models import Crawl
from crawler.runners import session
from crawler.services.crawls import config_with, crawl_start
from taxonomy.core.records import ExampleRecord, TopicRecord
from taxonomy.models import Taxonomy
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.focuses import focus_create
from taxonomy.services.imports import taxonomy_import
from taxonomy.services.training import model_train
from tests.crawl.engines import Engines
from tests.crawl.slices import PATIENCE_SECONDS, Slices
from tests.crawl.small_web import GOOD_WORDS, OTHER_WORDS, SmallWeb
from tests.product import clean_environment
from tests.sites.web import LoopbackWeb

TOPICS = {
    "/Cycling/Racing": [*GOOD_WORDS[:6], "stage", "jersey"],
    "/Cycling/Repair": [*GOOD_WORDS[4:], "wrench", "brake"],
    "/Music/Opera": [*OTHER_WORDS[:6], "stage", "choir"],
    "/Music/Jazz": [*OTHER_WORDS[4:], "blue", "bebop"],
}
GOOD = "/Cycling"
NewCrawl = Callable[..., Crawl]


@pytest.fixture
def web() -> Iterator[LoopbackWeb]:
    with LoopbackWeb.running() as running:
        yield running


@pytest.fixture
def small_web(web) -> SmallWeb:
    return SmallWeb.built(web)


@pytest.fixture
def taught(transactional_db, team) -> Taxonomy:
    records: list[TopicRecord | ExampleRecord] = []
    for path, words in TOPICS.items():
        lineage = tuple(path.strip("/").split("/"))
        records.append(TopicRecord(lineage, f"About {' '.join(words)}"))
        records += [
            ExampleRecord(lineage, f"Page {n}", "", " ".join(words[n:] + words)) for n in range(4)
        ]
    taxonomy = taxonomy_import(name="Taught", team=team, records=records).taxonomy
    (Path(settings.DATA_DIR) / "models").mkdir(exist_ok=True)
    model_train(taxonomy=taxonomy, kind="naive_bayes")
    return taxonomy


@pytest.fixture
def new_crawl(taught, owner) -> NewCrawl:
    """Queues a crawl for pages about cycling; politeness is off unless a test turns it on."""

    def make(*start_urls: str, strategy: str = "soft_focus", **changes: Any) -> Crawl:
        focus = focus_create(
            name=f"Bikes {Crawl.objects.count()}",
            taxonomy=taught,
            by=owner,
            good=[topic_by_path(taxonomy=taught, path=GOOD)],
            start_urls=list(start_urls),
        )
        quick = {"delay_seconds": 0.0, "strategy": strategy}
        config = config_with(CrawlConfig(), {**quick, **changes})
        return crawl_start(focus=focus, by=owner, config=config, contact="olga@example.org")

    return make


@pytest.fixture
def child_environment(transactional_db, web, monkeypatch) -> dict[str, str]:
    """With it, a process of the product works on this test's database and may visit its web."""
    data_dir = Path(settings.DATA_DIR)
    environment = clean_environment(data_dir)
    environment["DJANGO_SETTINGS_MODULE"] = "focusadmin.settings"
    names = ("*.localhost", "localhost", "127.0.0.0/8")
    environment["FOCUSADMIN_ALLOWED_TARGETS"] = ",".join(f"{name}:{web.port}" for name in names)
    name = str(connection.settings_dict["NAME"])
    if connection.vendor == "postgresql":
        url = urlsplit(settings.DB_URL)
        environment["FOCUSADMIN_DB_URL"] = url._replace(path=f"/{name}").geturl()
    else:
        link = data_dir / "focusadmin.sqlite3"
        link.unlink(missing_ok=True)
        link.symlink_to(name)
    for key, value in environment.items():  # for those that our own code starts
        monkeypatch.setenv(key, value)
    return environment


@pytest.fixture
def in_process(child_environment, settings, monkeypatch) -> Callable[[Crawl], Slices]:
    """Slices in this process, with time to bring things home however busy the machine is.

    One parsing child each: starting it is most of what a short crawl costs.
    """
    settings.CRAWLER_ALLOWED_HOSTS = child_environment["FOCUSADMIN_ALLOWED_TARGETS"].split(",")
    monkeypatch.setattr(engine, "DRAIN_SECONDS", PATIENCE_SECONDS)
    monkeypatch.setattr(session, "READERS", 1)
    return Slices


@pytest.fixture
def engines(child_environment, tmp_path) -> Iterator[Engines]:
    running = Engines(child_environment, tmp_path / "engine.log")
    yield running
    running.close()
