"""Shared by the tests of the crawl."""

import pytest

from crawler.core import workingset


@pytest.fixture
def small(monkeypatch) -> None:
    """So small that a handful of URLs is a large frontier."""
    monkeypatch.setattr(workingset, "REFILL", 8)
    monkeypatch.setattr(workingset, "PARKED_MOST", 4)
