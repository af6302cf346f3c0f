"""A web of our own on loopback: many hosts, one port, each host one behaviour.

The server runs in a thread of its own. Its log of visits is the ground truth about what was asked.
"""

import asyncio
import contextlib
import socket
import ssl
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.resolver import NamedHosts

_MAX_REQUEST_BYTES = 64 * 1024


@dataclass(frozen=True)
class Visit:
    """One request as the server saw it."""

    at: float  # monotonic
    address: str  # the address of ours that was dialled
    host: str
    method: str
    target: str
    headers: Mapping[str, str]
    body: bytes = b""


class Behaviour(Protocol):
    """What a host does with a visitor; returns whether the connection may be used again."""

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool: ...


@dataclass
class LoopbackWeb:
    """Hosts by name and by address, all listening on one port."""

    port: int = 0
    tls: ssl.SSLContext | None = None
    hosts: dict[str, Behaviour] = field(default_factory=dict)
    addresses: dict[str, str] = field(default_factory=dict)  # of the names
    visits: list[Visit] = field(default_factory=list)
    connections: int = 0
    _loop: asyncio.AbstractEventLoop = field(default_factory=asyncio.new_event_loop)
    _servers: list[asyncio.Server] = field(default_factory=list)
    _tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @classmethod
    @contextmanager
    def running(
        cls, *, port: int = 0, tls: ssl.SSLContext | None = None
    ) -> Iterator["LoopbackWeb"]:
        web = cls(port=port, tls=tls)
        thread = threading.Thread(target=web._loop.run_forever, name="loopback-web", daemon=True)
        thread.start()
        try:
            web._listen("127.0.0.1")
            yield web
        finally:
            asyncio.run_coroutine_threadsafe(web._close(), web._loop).result(10)
            web._loop.call_soon_threadsafe(web._loop.stop)
            thread.join(10)
            web._loop.close()

    def add(self, name: str, behaviour: Behaviour, address: str = "127.0.0.1") -> str:
        """Make `behaviour` answer for `name` at `address`; returns its front page's URL."""
        self._listen(address)
        self.hosts[name] = behaviour
        self.addresses[name] = address
        return self.url(name)

    def url(self, name: str, path: str = "/") -> str:
        scheme = "https" if self.tls else "http"
        return f"{scheme}://{name}:{self.port}{path}"

    @property
    def resolver(self) -> NamedHosts:
        """Knows our names and no others."""
        return NamedHosts(self.addresses, NoNames())

    @property
    def policy(self) -> AddressPolicy:
        """Allows our own hosts, as an operator would."""
        return AddressPolicy(frozenset(f"{name}:{self.port}" for name in self.hosts))

    def visits_of(self, name: str) -> list[Visit]:
        return [visit for visit in self.visits if visit.host == name]

    def _listen(self, address: str) -> None:
        if any(address == sock.getsockname()[0] for s in self._servers for sock in s.sockets):
            return
        started = asyncio.run_coroutine_threadsafe(self._start(address), self._loop)
        self._servers.append(started.result(10))

    async def _start(self, address: str) -> asyncio.Server:
        server = await asyncio.start_server(
            self._serve, address, self.port, limit=_MAX_REQUEST_BYTES, backlog=512, ssl=self.tls
        )
        self.port = server.sockets[0].getsockname()[1]
        return server

    async def _close(self) -> None:
        for server in self._servers:
            server.close()
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            while (visit := await _read_visit(reader, writer)) and await self._answer(
                visit, writer
            ):
                await writer.drain()
        except (OSError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # visitors may leave at any time
        except asyncio.CancelledError:
            pass  # the web is closing; asyncio's streams log a task that ends cancelled
        finally:
            self._tasks.discard(task)
            with contextlib.suppress(OSError):
                writer.close()

    async def _answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        self.visits.append(visit)
        behaviour = self.hosts.get(visit.host) or self.hosts.get(visit.address)
        if behaviour is None:
            writer.write(b"HTTP/1.1 421 Misdirected\r\nContent-Length: 0\r\n\r\n")
            return False
        return await behaviour.answer(visit, writer)


class NoNames:
    """A resolver without answers, so that a test can never ask a real one."""

    async def addresses(self, host: str) -> list[str]:
        raise socket.gaierror(socket.EAI_NONAME, f"{host} is not a name of this test")


async def _read_visit(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Visit | None:
    try:
        head = await reader.readuntil(b"\r\n\r\n")
    except asyncio.IncompleteReadError:
        return None
    first, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = first.partition(" ")
    pairs = (line.partition(":") for line in lines if line)
    headers = {name.lower(): value.strip() for name, _, value in pairs}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    host = headers.get("host", "").rpartition(":")[0] or headers.get("host", "")
    address = str(writer.get_extra_info("sockname")[0])
    target = rest.rpartition(" ")[0]
    return Visit(time.monotonic(), address, host, method, target, headers, body)
