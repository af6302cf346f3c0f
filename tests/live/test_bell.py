"""In distributed mode the engine rings, and whoever watches looks at once."""

import asyncio
from typing import Any

import pytest
from channels.layers import channel_layers

from crawler import live
from crawler.models import Crawl
from crawler.store import DatabaseLedger
from tests.crawl_rows import batch_of
from tests.live.sockets import cookie_of, opened

pytestmark = pytest.mark.django_db(transaction=True)

LAYERS = [
    "channels.layers.InMemoryChannelLayer",
    pytest.param("channels_redis.core.RedisChannelLayer", marks=pytest.mark.services),
]
NEVER = 3_600.0


@pytest.fixture(params=LAYERS)
def layer(request, settings, monkeypatch) -> None:
    """A channel layer, and nobody who looks without having heard the bell."""
    is_redis = "redis" in request.param
    config = {"hosts": [request.getfixturevalue("redis_url")]} if is_redis else {}
    settings.CHANNEL_LAYERS = {"default": {"BACKEND": request.param, "CONFIG": config}}
    channel_layers.backends.clear()
    monkeypatch.setattr(live, "BELL_LOOK_SECONDS", NEVER)


def ledger_of(crawl: Crawl) -> DatabaseLedger:
    return DatabaseLedger(
        crawl_id=crawl.pk, fence=crawl.fence, owner=crawl.lease_owner, seq=crawl.seq
    )


@pytest.mark.usefixtures("layer")
def test_a_commit_rings_and_its_pages_arrive(crawl, owner):
    cookie = cookie_of(owner)

    async def watch() -> Any:
        loop = asyncio.get_running_loop()
        ledger = live.RingingLedger(ledger_of(crawl), crawl.pk, loop)
        async with opened(crawl.pk, cookie, "after=0") as socket:
            await socket.frame("state")  # the first look is over, and the next waits for the bell
            await asyncio.sleep(2 * live.LOOK_SECONDS)
            await live.read(ledger.commit, batch_of(crawl, [0.5, 0.75]))
            return (await socket.frame("points"))["points"]

    assert [point["seq"] for point in asyncio.run(watch())] == [1, 2]


def test_without_a_layer_nothing_rings(crawl):
    async def commit() -> int:
        ledger = live.RingingLedger(ledger_of(crawl), crawl.pk, asyncio.get_running_loop())
        return await live.read(ledger.commit, batch_of(crawl, [0.5]))

    assert asyncio.run(commit()) == 1


def test_a_bell_that_can_not_be_rung_stops_no_commit(crawl, settings):
    settings.CHANNEL_LAYERS = {
        "default": {
            "BACKEND": "channels_redis.core.RedisChannelLayer",
            "CONFIG": {"hosts": ["redis://127.0.0.1:9/0"]},
        }
    }
    channel_layers.backends.clear()

    async def commit() -> int:
        ledger = live.RingingLedger(ledger_of(crawl), crawl.pk, asyncio.get_running_loop())
        last = await live.read(ledger.commit, batch_of(crawl, [0.5]))
        await asyncio.sleep(0.1)  # the bell's own task ends too
        return last

    assert asyncio.run(commit()) == 1
