"""The default demo web, and one that is served."""

from collections.abc import Iterator

import pytest

from crawler.core.demoweb.server import RunningDemoWeb, running_demo_web
from crawler.core.demoweb.web import DemoWeb


@pytest.fixture(scope="session")
def web() -> DemoWeb:
    return DemoWeb.build()


@pytest.fixture(scope="session")
def demo(web) -> Iterator[RunningDemoWeb]:
    with running_demo_web(web, slow_seconds=0.3) as running:
        yield running
