"""A whole crawl without a database: every part but the ledger is the real one."""

from pathlib import Path

from crawler.core.admission import Admission
from crawler.core.budget import Budget
from crawler.core.caps import Caps
from crawler.core.config import CrawlConfig
from crawler.core.engine import CrawlEngine, Parts
from crawler.core.events import Ending
from crawler.core.frontier import registry
from crawler.core.hosts import Hosts
from crawler.core.memory import MemoryLedger
from crawler.core.ports import PageRecord
from crawler.core.reading import PageReader, pool_for
from crawler.core.status import StatusBoard
from crawler.core.types import url_key
from crawler.core.urlrows import NewUrl
from crawler.core.workingset import Frontier
from focusadmin.lib.clock import SystemClock
from focusadmin.lib.http import HttpxFetcher
from focusadmin.lib.robots import RobotsCache
from tests.hostile.fetching import IDENTITY
from tests.sites.web import LoopbackWeb


async def crawl(
    web: LoopbackWeb,
    setup_file: Path,
    starts: list[str],
    delay: float,
    concurrency: int = 16,
    **caps: int,
) -> tuple[Ending, list[PageRecord]]:
    """How it ended, and all outcomes."""
    config = CrawlConfig(
        delay_seconds=delay,
        budget=Budget(max_pages=200),
        strategy="breadth_first",
        concurrency=concurrency,
        caps=Caps(**caps),
    )
    hosts, clock = Hosts(delay), SystemClock()
    strategy = registry.build(config.strategy, {}, seed=0)
    frontier, ledger = Frontier(hosts), MemoryLedger()
    first = strategy.start([url_key(url) for url in starts])
    frontier.admit(
        [NewUrl(c.key, u, c.priority, 0, -1) for c, u in zip(first, starts, strict=True)]
    )
    async with (
        HttpxFetcher(IDENTITY, policy=web.policy, resolver=web.resolver) as fetcher,
        pool_for(setup_file, 1) as pool,
    ):
        parts = Parts(
            frontier=frontier,
            strategy=strategy,
            admission=Admission(config, hosts),
            fetcher=fetcher,
            robots=RobotsCache(fetcher, clock=clock),
            reader=PageReader(pool),
            ledger=ledger,
            clock=clock,
            resolver=web.resolver,
        )
        engine = CrawlEngine(config, parts, StatusBoard(), readers=1)
        return await engine.run(120.0, lambda mood: None), ledger.pages
