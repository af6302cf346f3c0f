"""A crawl in one file, read again without its database."""

from pathlib import Path

import pytest

from crawler.core.bundle.verifying import verified
from crawler.core.exports.formats import FORMATS
from crawler.models import Crawl
from crawler.selectors.page_filter import PageFilter
from crawler.services.exports import export_to_file
from tests.crawl.conftest import child_environment, in_process, new_crawl, small_web, taught, web

__all__ = ["child_environment", "in_process", "new_crawl", "small_web", "taught", "web"]
pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.process]


def bundled(crawl: Crawl, path: Path) -> Path:
    export_to_file(crawl, FORMATS["bundle"], PageFilter(), path)
    return path


@pytest.mark.parametrize(
    "strategy",
    ["soft_focus", "link_context", "opic", "otie", "hybrid_seed_rank", "evolved", "unfocused"],
)
def test_it_replays(new_crawl, in_process, small_web, tmp_path, strategy):
    crawl = new_crawl(small_web.urls[0], strategy=strategy, budget={"max_pages": 60})
    in_process(crawl).run()
    crawl.refresh_from_db()
    path = bundled(crawl, tmp_path / "a.bundle.zip")
    report = verified(path)
    assert not report.differing
