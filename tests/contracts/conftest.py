"""A crawl of the owner's, held by nobody."""

import pytest

from crawler.models import Crawl
from taxonomy.models import Focus
from taxonomy.services.focuses import focus_create
from tests.crawl_rows import make_crawl
from tests.taxonomy.conftest import taxonomy

__all__ = ["taxonomy"]


@pytest.fixture
def focus(taxonomy, owner) -> Focus:
    return focus_create(name="Hills", taxonomy=taxonomy, by=owner)


@pytest.fixture
def crawl(focus) -> Crawl:
    return make_crawl(focus)
