"""kill -9 at any moment: no committed page is lost, none is fetched again but what was in flight.

The web's own log is the proof, not the crawl's figures.
"""

import random
import signal
import time
from collections import Counter

import pytest

from crawler.core.engine import UNWRITTEN_MOST
from crawler.models import Crawl, FrontierUrl
from tests.crawl.engines import PATIENCE_SECONDS
from tests.crawl.ledger_checks import assert_consistent, committed_urls
from tests.crawl.small_web import SmallWeb

pytestmark = pytest.mark.process

# Where each engine in turn dies, at its first commit or the next.
FAILPOINTS = (
    "before_commit:1", "inside_commit:2", "after_commit:1", "before_commit:2", "inside_commit:1",
    "after_commit:2",
)  # fmt: skip
CONCURRENCY = 8
RANDOM_KILLS = 4


class Lives:
    """What each engine asked for, and what was committed when it died."""

    def __init__(self, small_web: SmallWeb, crawl: Crawl) -> None:
        self.small_web, self.crawl = small_web, crawl
        self.since = 0
        self.committed: set[str] = set()

    def end(self) -> int:
        """Check the life that just ended; how many pages it fetched a second time."""
        asked = self.small_web.asked(self.since)
        assert [url for url, times in Counter(asked).items() if times > 1] == []
        assert self.committed & set(asked) == set(), "a committed page was fetched again"
        before = set(self.small_web.asked()[: -len(asked) or None])
        again = len(set(asked) & before)
        assert again <= CONCURRENCY + UNWRITTEN_MOST
        self.since = len(self.small_web.web.visits)
        self.committed = committed_urls(self.crawl)
        assert_consistent(self.crawl)
        return again


def test_killed_at_every_failpoint_of_a_commit(engines, new_crawl, web):
    small_web = SmallWeb.built(web, pages=300, seconds=0.01)
    crawl = new_crawl(small_web.urls[0], concurrency=CONCURRENCY)
    lives = Lives(small_web, crawl)
    for failpoint in FAILPOINTS:
        assert engines.run(crawl, failpoint=failpoint) == -signal.SIGKILL, failpoint
        lives.end()
    assert engines.run(crawl) == 0, engines.said()
    lives.end()
    assert_all_fetched(crawl, small_web)


def test_killed_at_random_moments(engines, new_crawl, web):
    seed = random.randrange(2**32)
    print(f"random kills with seed {seed}")  # noqa: T201 - pytest shows it when the test fails
    dice = random.Random(seed)
    small_web = SmallWeb.built(web, pages=300, seconds=0.02)
    crawl = new_crawl(small_web.urls[0], concurrency=CONCURRENCY)
    lives = Lives(small_web, crawl)
    for _ in range(RANDOM_KILLS):
        engine = engines.start(crawl)
        wait_for_visits(small_web, lives.since + dice.randint(1, 70))
        engines.kill(crawl, engine)
        lives.end()
    assert engines.run(crawl) == 0, engines.said()
    lives.end()
    assert_all_fetched(crawl, small_web)


def wait_for_visits(small_web: SmallWeb, number: int) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(small_web.web.visits) < number and time.monotonic() < deadline:
        time.sleep(0.002)


def assert_all_fetched(crawl: Crawl, small_web: SmallWeb) -> None:
    crawl.refresh_from_db()
    assert (crawl.state, crawl.reason) == ("finished", "frontier empty")
    assert committed_urls(crawl) == set(small_web.urls)
    assert set(small_web.asked()) == set(small_web.urls)
    assert not FrontierUrl.objects.filter(crawl=crawl, state=0).exists()
