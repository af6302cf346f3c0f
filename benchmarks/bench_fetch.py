"""Requests a second and CPU a request: the guarded fetcher beside bare clients.

One server process on loopback, 20 hosts (127.0.0.11 to 127.0.0.30), 200 requests at once. The
server is a small asyncio program of its own, so it bounds the rates; CPU is the client's alone.
"""

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import aiohttp
import httpx

from benchmarks.report import report
from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.http import HttpxFetcher, Identity
from focusadmin.lib.outcomes import FetchResult
from tests.product import free_port, is_listening, wait_for

HOSTS = [f"127.0.0.{n}" for n in range(11, 31)]
AT_ONCE = 200
REQUESTS = 2_000
BODY_BYTES = 15_000

SERVER = f"""
import asyncio, sys
HEAD = b"HTTP/1.1 200 OK\\r\\nContent-Type: text/html\\r\\nContent-Length: %d\\r\\n\\r\\n"
BODY = HEAD % {BODY_BYTES} + b"x" * {BODY_BYTES}
class Server(asyncio.Protocol):
    def connection_made(self, transport):
        self.transport, self.rest = transport, b""
    def data_received(self, data):
        *asked, self.rest = (self.rest + data).split(b"\\r\\n\\r\\n")
        self.transport.write(BODY * len(asked))
async def main():
    loop = asyncio.get_running_loop()
    hosts = sys.argv[2].split(",")
    servers = [await loop.create_server(Server, h, int(sys.argv[1]), backlog=512) for h in hosts]
    await asyncio.Event().wait()
asyncio.run(main())
"""

Get = Callable[[str], Awaitable[int]]


async def all_of(get: Get, urls: list[str]) -> float:
    """CPU milliseconds a request of this process."""
    waiting = iter(urls)

    async def work() -> None:
        for url in waiting:
            assert await get(url) == BODY_BYTES

    used = time.process_time()
    await asyncio.gather(*(work() for _ in range(AT_ONCE)))
    return (time.process_time() - used) / len(urls) * 1_000


async def guarded(urls: list[str], port: int) -> float:
    policy = AddressPolicy(frozenset({f"127.0.0.0/8:{port}"}))
    async with HttpxFetcher(Identity("bench@example.org"), policy=policy) as fetcher:

        async def get(url: str) -> int:
            outcome = await fetcher.fetch(url)
            return len(outcome.body) if isinstance(outcome, FetchResult) else -1

        return await all_of(get, urls)


async def bare_aiohttp(urls: list[str], port: int) -> float:
    connector = aiohttp.TCPConnector(limit=AT_ONCE)
    async with aiohttp.ClientSession(connector=connector) as session:

        async def get(url: str) -> int:
            async with session.get(url) as response:
                return len(await response.read())

        return await all_of(get, urls)


async def bare_httpx(urls: list[str], port: int) -> float:
    async with httpx.AsyncClient(trust_env=False, timeout=60.0) as client:

        async def get(url: str) -> int:
            return len((await client.get(url)).content)

        return await all_of(get, urls)


async def httpx_over_aiohttp(urls: list[str], port: int) -> float:
    from httpx_aiohttp import AiohttpTransport

    transport = AiohttpTransport(limits=httpx.Limits(max_connections=AT_ONCE))
    async with httpx.AsyncClient(transport=transport, trust_env=False, timeout=60.0) as client:

        async def get(url: str) -> int:
            return len((await client.get(url)).content)

        return await all_of(get, urls)


WAYS = {
    "guarded fetcher": guarded,
    "aiohttp, unguarded": bare_aiohttp,
    "httpx with httpx-aiohttp, unguarded": httpx_over_aiohttp,
    "httpx, unguarded (500 GETs)": bare_httpx,
}


def median(values: list[float]) -> float:
    return sorted(values)[len(values) // 2]


def measure(port: int) -> list[dict[str, object]]:
    urls = [f"http://{HOSTS[n % len(HOSTS)]}:{port}/page/{n}.html" for n in range(REQUESTS)]
    costs: dict[str, list[float]] = {}
    rates: dict[str, list[float]] = {}
    for _ in range(3):  # interleaved: other work on the machine hits all alike
        for name, way in WAYS.items():
            some = urls if "500" not in name else urls[:500]
            began = time.monotonic()
            try:
                cost = asyncio.run(way(some, port))
            except ImportError:
                continue
            costs.setdefault(name, []).append(cost)
            rates.setdefault(name, []).append(len(some) / (time.monotonic() - began))
    ours = median(costs["guarded fetcher"])
    return [
        {
            "client": name,
            "requests a second": median(rates[name]),
            "CPU s per 1,000": median(cost),
            "CPU against ours": median(cost) / ours,
        }
        for name, cost in costs.items()
    ]


def main() -> None:
    port = free_port()
    command = [sys.executable, "-c", SERVER, str(port), ",".join(["127.0.0.1", *HOSTS])]
    with subprocess.Popen(command, env={"PATH": os.defpath}) as server:
        try:
            wait_for(lambda: is_listening(port), seconds=10, what="the server")
            rows = measure(port)
        finally:
            server.terminate()
    report("fetch", f"{REQUESTS:,} GETs of {BODY_BYTES:,} bytes, {AT_ONCE} at once", rows)


if __name__ == "__main__":
    main()
