"""A crawl that somebody holds, seen through the product's own ASGI application."""

import pytest

from crawler import live
from crawler.models import Crawl
from taxonomy.models import Focus
from taxonomy.services.focuses import focus_create
from tests.crawl_rows import held, make_crawl
from tests.taxonomy.conftest import taxonomy

__all__ = ["taxonomy"]


@pytest.fixture
def focus(taxonomy, owner) -> Focus:
    return focus_create(name="Hills", taxonomy=taxonomy, by=owner)


@pytest.fixture
def crawl(focus) -> Crawl:
    return held(make_crawl(focus), "one")


@pytest.fixture
def hasty(monkeypatch) -> None:
    """Looks follow each other at once, so that tests need not wait."""
    monkeypatch.setattr(live, "LOOK_SECONDS", 0.01)
