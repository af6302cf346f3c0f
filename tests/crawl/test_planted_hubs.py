"""That the distiller, which steers the crawl while it runs, finds the demo web's own lists."""

import time

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.demoweb.server import running_demo_web
from crawler.models import CrawlEvent, FrontierNudge, RankedPage
from crawler.selectors.hubs import ranked_pages
from crawler.services import distillation
from crawler.services.crawls import config_with, crawl_start
from crawler.services.distillation import crawl_distil, crawls_distil_due
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.focuses import focus_create
from tests.shipped import shipped_with_model

pytestmark = pytest.mark.process

GOOD = "/Recreation/Cycling"
PAGES = 1_200
PLANTED = 5


def test_planted_hubs_are_among_the_ten_best(in_process, team, owner, settings, monkeypatch):
    taxonomy = shipped_with_model(team)
    good = [topic_by_path(taxonomy=taxonomy, path=GOOD)]
    monkeypatch.setattr(distillation, "DUE_PAGES", 200)
    with running_demo_web(slow_seconds=0.1) as demo:
        settings.CRAWLER_ALLOWED_HOSTS = [f"*.localhost:{demo.port}"]
        start = demo.web.start_urls(demo.port, GOOD)
        focus = focus_create(name="Bikes", taxonomy=taxonomy, by=owner, good=good, start_urls=start)
        chosen = {"delay_seconds": 0.0, "budget": {"max_pages": PAGES}}
        crawl = crawl_start(focus=focus, by=owner, config=config_with(CrawlConfig(), chosen))
        with in_process(crawl) as running:
            while running.ending is None and running.failure is None:
                crawls_distil_due()
                time.sleep(0.5)
    assert crawl.fetched == PAGES
    assert CrawlEvent.objects.filter(crawl=crawl, kind="hub_boost").exists()
    assert FrontierNudge.objects.exclude(applied_at=None).exists()
    best = ranked_pages(crawl_distil(crawl=crawl), RankedPage.Kind.HUB, 10)
    lists = [hub.page.url for hub in best if "/links/" in hub.page.url]
    assert len(lists) == PLANTED, [hub.page.url for hub in best]
    assert all("/links/" in hub.page.url for hub in best[:3])
