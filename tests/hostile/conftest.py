"""One loopback web for all tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.sites.web import LoopbackWeb


@pytest.fixture(scope="session")
def web() -> Iterator[LoopbackWeb]:
    with LoopbackWeb.running() as running:
        yield running
