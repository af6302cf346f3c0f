"""That a focused crawl is focused: on the demo web, with the shipped tree and model."""

import pytest

from crawler.core.config import CrawlConfig
from crawler.core.demoweb.server import running_demo_web
from crawler.services.crawls import config_with, crawl_start
from taxonomy.selectors.trees import topic_by_path
from taxonomy.services.focuses import focus_create
from tests.crawl.ledger_checks import assert_consistent
from tests.shipped import shipped_with_model

pytestmark = pytest.mark.process

GOOD = "/Recreation/Cycling"
PAGES = 500  # with more the ratio grows: an unfocused crawl drifts away from where it starts


def test_soft_focus_keeps_three_times_the_relevance_of_an_unfocused_crawl(
    in_process, team, owner, settings
):
    taxonomy = shipped_with_model(team)
    good = [topic_by_path(taxonomy=taxonomy, path=GOOD)]
    mean = {}
    with running_demo_web(slow_seconds=0.1) as demo:
        settings.CRAWLER_ALLOWED_HOSTS = [f"*.localhost:{demo.port}"]
        start = demo.web.start_urls(demo.port, GOOD)
        for strategy in ("soft_focus", "unfocused"):
            focus = focus_create(
                name=strategy, taxonomy=taxonomy, by=owner, good=good, start_urls=start
            )
            chosen = {"strategy": strategy, "delay_seconds": 0.0, "budget": {"max_pages": PAGES}}
            crawl = crawl_start(focus=focus, by=owner, config=config_with(CrawlConfig(), chosen))
            in_process(crawl).run()
            assert crawl.fetched == PAGES
            assert_consistent(crawl)
            mean[strategy] = crawl.mean_relevance
    print(f"mean relevance over {PAGES} pages: {mean}")  # noqa: T201 - pytest -s shows it
    assert mean["soft_focus"] >= 3 * mean["unfocused"]
