"""Serves the demo web on a loopback port: small, fast, keeps connections alive."""

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Self, cast

from crawler.core.demoweb.answers import Answer, answer, is_refused, only_reading, refusal
from crawler.core.demoweb.catalogue import Place
from crawler.core.demoweb.plans import SiteKind
from crawler.core.demoweb.web import DemoWeb

LOOPBACK = "127.0.0.1"
SLOW_SECONDS = 1.0
MAX_HEAD_BYTES = 16_384
_END = b"\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Visit:
    """One request and how it was answered."""

    method: str
    place: Place
    status: int
    at: float  # seconds of the monotonic clock


OnVisit = Callable[[Visit], None]


@dataclass(frozen=True, slots=True)
class Request:
    """What matters of a request's head."""

    method: str
    place: Place
    may_keep_alive: bool

    @classmethod
    def parsed(cls, head: bytes) -> Self | None:
        """The request, or None if this is no HTTP."""
        first, *lines = head.decode("latin-1").split("\r\n")
        parts = first.split(" ")
        if len(parts) != 3 or not parts[2].startswith("HTTP/1"):
            return None
        pairs = (line.partition(":") for line in lines)
        headers = {name.strip().lower(): value.strip().lower() for name, _, value in pairs}
        host = headers.get("host", "").partition(":")[0].rstrip(".")
        is_old = parts[2] == "HTTP/1.0"
        may_keep_alive = headers.get("connection", "") != "close" and not is_old
        return cls(parts[0], Place(host, parts[1]), may_keep_alive)


class DemoServer:
    """Use it with `async with`; `port` is the one it got."""

    def __init__(
        self,
        web: DemoWeb,
        *,
        port: int = 0,
        on_visit: OnVisit = lambda visit: None,
        slow_seconds: float = SLOW_SECONDS,
    ) -> None:
        self.web, self.port, self.slow_seconds = web, port, slow_seconds
        self._on_visit = on_visit
        self._asked: Counter[Place] = Counter()
        self._answers: dict[Place, Answer] = {}
        self.connections: set[asyncio.Transport] = set()

    async def __aenter__(self) -> Self:
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(lambda: _Connection(self), LOOPBACK, self.port)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *details: object) -> None:
        self._server.close()
        for transport in list(self.connections):
            transport.abort()
        await self._server.wait_closed()

    def answer_to(self, request: Request) -> Answer:
        """The answer to one request, which counts as a visit."""
        found = self._answer_to(request)
        visit = Visit(request.method, request.place, found.status.value, time.monotonic())
        self._on_visit(visit)
        return found

    def delay_seconds(self, request: Request) -> float:
        """How long the host of the request takes to answer."""
        site = self.web.sites.get(request.place.host)
        return self.slow_seconds if site is not None and site.kind is SiteKind.SLOW else 0.0

    def _answer_to(self, request: Request) -> Answer:
        if request.method not in {"GET", "HEAD"}:
            return only_reading()
        place = request.place
        self._asked[place] += 1
        if is_refused(self.web, place, self._asked[place] - 1):
            return refusal()
        if self.web.is_trap(place) or not self.web.knows(place):
            return answer(self.web, place, self.port)
        if place not in self._answers:
            self._answers[place] = answer(self.web, place, self.port)
        return self._answers[place]


class _Connection(asyncio.Protocol):
    """One client; answers its requests in turn."""

    def __init__(self, server: DemoServer) -> None:
        self._server = server
        self._received = bytearray()
        self._waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._server.connections.add(self._transport)

    def connection_lost(self, exc: Exception | None) -> None:
        self._server.connections.discard(self._transport)
        if self._waiting is not None:
            self._waiting.cancel()

    def data_received(self, data: bytes) -> None:
        self._received += data
        self._answer_received()

    def _answer_received(self) -> None:
        while self._waiting is None and not self._transport.is_closing():
            head, end, rest = self._received.partition(_END)
            if not end:
                if len(head) > MAX_HEAD_BYTES:
                    self._refuse(HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE)
                return
            self._received = rest
            self._take(Request.parsed(bytes(head)))

    def _take(self, request: Request | None) -> None:
        if request is None:
            self._refuse(HTTPStatus.BAD_REQUEST)
        elif delay := self._server.delay_seconds(request):
            loop = asyncio.get_running_loop()
            self._waiting = loop.call_later(delay, self._send_late, request)
        else:
            self._send(request)

    def _send_late(self, request: Request) -> None:
        self._waiting = None
        self._send(request)
        self._answer_received()

    def _send(self, request: Request) -> None:
        found = self._server.answer_to(request)
        self._transport.write(found.message(has_body=request.method != "HEAD"))
        # A body that was sent with a POST is not read, so nothing after it could be understood.
        if not request.may_keep_alive or found.status is HTTPStatus.METHOD_NOT_ALLOWED:
            self._transport.close()

    def _refuse(self, status: HTTPStatus) -> None:
        self._transport.write(Answer(status, headers=(("Connection", "close"),)).message())
        self._transport.close()


@dataclass
class RunningDemoWeb:
    """A demo web that is being served by another thread."""

    web: DemoWeb
    port: int = 0
    visits: list[Visit] = field(default_factory=list)


@contextmanager
def running_demo_web(
    web: DemoWeb | None = None, *, port: int = 0, slow_seconds: float = SLOW_SECONDS
) -> Iterator[RunningDemoWeb]:
    """The demo web, served while the block runs."""
    running = RunningDemoWeb(web or DemoWeb.build())
    loop = asyncio.new_event_loop()
    server = DemoServer(
        running.web, port=port, on_visit=running.visits.append, slow_seconds=slow_seconds
    )
    thread = threading.Thread(target=loop.run_forever, name="demo web", daemon=True)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(server.__aenter__(), loop).result()
        running.port = server.port
        try:
            yield running
        finally:
            asyncio.run_coroutine_threadsafe(server.__aexit__(), loop).result()
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
