"""The only place in the project that dials: an httpx transport over a guarded aiohttp connector.

Three walls. The answer of a look-up is judged as a whole. A literal address never reaches aiohttp's
resolver, so it is judged before. And the socket for a connection is made here, on the very address
that is about to be dialled, and refused if that address is: nothing can change in between.

Why not the ready-made httpx-aiohttp: it re-quotes the path, so other bytes leave than we decided
on; it hides the peer's address, which politeness needs; and it shows a refusal as a timeout.
"""

import socket
import ssl
from collections.abc import AsyncIterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any

import aiohttp
import httpx
from aiohttp.abc import AbstractResolver, ResolveResult
from aiohttp.connector import AddrInfoType
from yarl import URL

from focusadmin.lib.addresses import AddressPolicy, literal_address
from focusadmin.lib.outcomes import Reason
from focusadmin.lib.resolver import Resolver
from focusadmin.lib.stops import StoppedError, stops_for_reasons

MAX_CONNECTIONS = 1_024
MAX_HEADER_LINES = 100
MAX_HEADER_LINE_BYTES = 16 * 1024
MAX_ANSWER_BYTES = 8 * 1024 * 1024  # on the wire: the largest body, headers, and its wrapping
NAMES_LAST_SECONDS = 60
READ_BUFFER_BYTES = 64 * 1024


@dataclass
class _Permit:
    """For whom a connection is being made; travels with the request to the socket factory."""

    host: str
    port: int
    refusal: str | None = None


_permit: ContextVar[_Permit] = ContextVar("permit")


class GuardedTransport(httpx.AsyncBaseTransport):
    """Sends a request unless the policy refuses its address; raises `StoppedError`."""

    def __init__(
        self, policy: AddressPolicy, resolver: Resolver, tls: ssl.SSLContext | None = None
    ) -> None:
        self.policy, self.resolver = policy, resolver
        self.tls = tls or _public_authorities()
        self._session: aiohttp.ClientSession | None = None

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        permit = _Permit(request.url.raw_host.decode("ascii"), _port(request.url))
        self._refuse_literals(permit)
        _permit.set(permit)
        with stops_for_reasons(), _explained(permit):
            response = await self._open_session().request(
                request.method,
                URL(str(request.url), encoded=True),
                headers=dict(request.headers),
                data=request.content or None,
                allow_redirects=False,
                timeout=_timeout(request),
            )
        return _as_httpx(response, request)

    def _refuse_literals(self, permit: _Permit) -> None:
        bracketed = f"[{permit.host}]" if ":" in permit.host else permit.host
        permit.host = bracketed
        literal = literal_address(bracketed)
        if literal is not None:
            _refuse(self.policy.why_refused(permit.host, permit.port, str(literal)), str(literal))

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(
                    resolver=_VettingResolver(self.policy, self.resolver),
                    socket_factory=self._make_socket,
                    ssl=self.tls,
                    limit=MAX_CONNECTIONS,
                    ttl_dns_cache=NAMES_LAST_SECONDS,
                ),
                cookie_jar=aiohttp.DummyCookieJar(),
                response_class=_Response,
                auto_decompress=False,
                trust_env=False,
                read_bufsize=READ_BUFFER_BYTES,
                max_line_size=MAX_HEADER_LINE_BYTES,
                max_field_size=MAX_HEADER_LINE_BYTES,
                max_headers=MAX_HEADER_LINES,
                skip_auto_headers=("User-Agent", "Accept", "Accept-Encoding", "Content-Type"),
            )
        return self._session

    def _make_socket(self, dialled: AddrInfoType) -> socket.socket:
        family, kind, protocol, _, sockaddr = dialled
        permit = _permit.get()
        address, port = str(sockaddr[0]), int(sockaddr[1])
        permit.refusal = self.policy.why_refused(permit.host, port, address)
        _refuse(permit.refusal, address)
        return _MeteredSocket(family, kind, protocol)

    async def aclose(self) -> None:
        if self._session is not None:
            await self._session.close()


@cache
def _public_authorities() -> ssl.SSLContext:
    """Certificates of the Web, without the environment's additions; 30 ms to read, so once."""
    return httpx.create_ssl_context(trust_env=False)


class _MeteredSocket(socket.socket):
    """Counts what comes in since the last request.

    A parser swallows some bytes, extensions of chunks for one, without limit and without a trace:
    nobody above the socket sees them.
    """

    _received = 0

    def recv(self, *arguments: Any) -> bytes:
        data = super().recv(*arguments)
        self._count(len(data))
        return data

    def recv_into(self, *arguments: Any) -> int:
        size = super().recv_into(*arguments)
        self._count(size)
        return size

    def send(self, *arguments: Any) -> int:
        self._received = 0
        return super().send(*arguments)

    def sendmsg(self, *arguments: Any) -> int:
        self._received = 0
        return super().sendmsg(*arguments)

    def _count(self, size: int) -> None:
        self._received += size
        if self._received > MAX_ANSWER_BYTES:
            raise OSError(f"more than {MAX_ANSWER_BYTES} bytes on the wire")


class _VettingResolver(AbstractResolver):
    """Refuses an answer whole when any of its addresses is refused."""

    def __init__(self, policy: AddressPolicy, resolver: Resolver) -> None:
        self._policy, self._resolver = policy, resolver

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        addresses = await self._resolver.addresses(host)
        for address in addresses:
            _refuse(self._policy.why_refused(host, port, address), address)
        return [_answer(host, port, address) for address in addresses]

    async def close(self) -> None:
        """Nothing to give back."""


def _answer(host: str, port: int, address: str) -> ResolveResult:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    return ResolveResult(
        hostname=host,
        host=address,
        port=port,
        family=family,
        proto=socket.IPPROTO_TCP,
        flags=socket.AI_NUMERICHOST | socket.AI_NUMERICSERV,
    )


class _Response(aiohttp.ClientResponse):
    """Remembers the peer's address, which aiohttp forgets as soon as a short body is in."""

    peer: str = ""

    async def start(self, connection: Any) -> aiohttp.ClientResponse:
        peername = connection.transport.get_extra_info("peername") if connection.transport else None
        self.peer = str(peername[0]) if peername else ""
        return await super().start(connection)


class _Body(httpx.AsyncByteStream):
    """The raw bytes as they come, still encoded."""

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        with stops_for_reasons(reading_body=True):
            async for piece in self._response.content.iter_any():
                yield piece

    async def aclose(self) -> None:
        self._response.release()  # closes the connection unless the whole body was read


def _as_httpx(response: aiohttp.ClientResponse, request: httpx.Request) -> httpx.Response:
    peer = response.peer if isinstance(response, _Response) else ""
    return httpx.Response(
        response.status,
        headers=response.raw_headers,
        stream=_Body(response),
        request=request,
        extensions={"peer": peer},
    )


def _timeout(request: httpx.Request) -> aiohttp.ClientTimeout:
    asked = request.extensions.get("timeout", {})
    connect, read = asked.get("connect"), asked.get("read")
    # `connect` covers look-up and pool as well, hence the double.
    return aiohttp.ClientTimeout(
        total=None, connect=connect and 2 * connect, sock_connect=connect, sock_read=read
    )


def _port(url: httpx.URL) -> int:
    if url.port is None:
        return 443 if url.scheme == "https" else 80
    return url.port  # 0 is a port of its own, and refused


def _refuse(why: str | None, address: str) -> None:
    if why is not None:
        raise StoppedError(Reason.FORBIDDEN_ADDRESS, f"{address}: {why}")


@contextmanager
def _explained(permit: _Permit) -> Any:
    """aiohttp may wrap what the socket factory raised: the permit still knows."""
    try:
        yield
    except aiohttp.ClientError:
        _refuse(permit.refusal, permit.host)
        raise
