"""The guarded fetcher: the one door through which FocusAdmin reaches the Web.

    async with HttpxFetcher(Identity("ann@example.org")) as fetcher:
        outcome = await fetcher.fetch("https://example.com/")

It never raises for what the Web does: the outcome is a FetchResult or a FetchFailure with a reason.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from types import TracebackType
from typing import Protocol, Self

import httpx

from focusadmin.lib.addresses import AddressPolicy
from focusadmin.lib.body import read_body
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.limits import PAGE_LIMITS, Limits
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from focusadmin.lib.resolver import Resolver, SystemResolver
from focusadmin.lib.stops import StoppedError, one_line, stops_for_reasons
from focusadmin.lib.transport import GuardedTransport
from focusadmin.lib.urls import MAX_URL_CHARACTERS, WebUrl, web_url, without_credentials

PRODUCT = "FocusAdmin"
REDIRECTS = frozenset({301, 302, 303, 307, 308})
_ACCEPT = "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1"

HopCheck = Callable[[str], Awaitable[bool]]


@dataclass(frozen=True)
class Identity:
    """Who we say we are. `contact` is a mail or web address of the person who answers for it."""

    contact: str
    version: str = "0.1"

    def __post_init__(self) -> None:
        if not self.contact.isascii() or not self.contact.isprintable() or not self.contact.strip():
            raise FocusAdminError("The contact must be a mail address or a web address.")

    @property
    def user_agent(self) -> str:
        return f"{PRODUCT}/{self.version} (focused crawler; +{self.contact.strip()})"


class Fetcher(Protocol):
    """Gets one URL; the lab has an implementation without a network."""

    async def fetch(
        self, url: str, *, limits: Limits = PAGE_LIMITS, hop_check: HopCheck | None = None
    ) -> Outcome: ...


@dataclass
class _Trip:
    """One fetch on its way: where it is, and where it has been."""

    asked: str
    limits: Limits
    began: float
    urls: list[str]

    @property
    def current(self) -> str:
        return self.urls[-1]

    @property
    def between(self) -> tuple[str, ...]:
        return tuple(self.urls[1:-1])


class HttpxFetcher:
    """Fetches through a guarded httpx transport.

    Only the transport is used, not httpx's client: so there are no cookies, no redirects, no
    proxies, no .netrc and no decompression to switch off, and swapping it is one argument.
    """

    def __init__(
        self,
        identity: Identity,
        *,
        policy: AddressPolicy | None = None,
        resolver: Resolver | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
    ) -> None:
        self.identity = identity
        self._transport = transport or GuardedTransport(
            policy or AddressPolicy(), resolver or SystemResolver()
        )

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    async def aclose(self) -> None:
        await self._transport.aclose()

    async def fetch(
        self, url: str, *, limits: Limits = PAGE_LIMITS, hop_check: HopCheck | None = None
    ) -> Outcome:
        """GET `url` and follow its redirects; `hop_check` may decline any redirect's target."""
        return await self._travel(url, limits, lambda trip: self._follow(trip, hop_check))

    async def post(
        self, url: str, *, body: bytes, content_type: str, limits: Limits = PAGE_LIMITS
    ) -> Outcome:
        """Send a notice. A redirect is the answer, not an order: nothing is sent twice."""
        headers = {"Content-Type": content_type}
        return await self._travel(
            url, limits, lambda trip: self._exchange(trip, "POST", headers, body)
        )

    async def _travel(
        self, url: str, limits: Limits, go: Callable[[_Trip], Awaitable[FetchResult]]
    ) -> Outcome:
        asked = without_credentials(url)  # what is kept and logged; they would not be sent either
        trip = _Trip(asked, limits, time.monotonic(), [asked])
        try:
            async with asyncio.timeout(limits.total_seconds):
                return await go(trip)
        except TimeoutError:
            return _failure(trip, Reason.DEADLINE, f"not done in {limits.total_seconds:g} s")
        except StoppedError as stop:
            return _failure(trip, stop.reason, str(stop))

    async def _follow(self, trip: _Trip, hop_check: HopCheck | None) -> FetchResult:
        while True:
            result = await self._exchange(trip, "GET", {}, b"")
            location = result.headers.get("location")
            if result.status not in REDIRECTS or not location:
                return result
            target = _next_url(trip, location)
            trip.urls.append(target)
            if hop_check and not await hop_check(target):
                raise StoppedError(Reason.REDIRECT_DECLINED, f"redirect to {target} was declined")

    async def _exchange(
        self, trip: _Trip, method: str, headers: dict[str, str], body: bytes
    ) -> FetchResult:
        request = self._request(trip, method, headers, body)
        response = await self._send(request, trip.limits)
        try:
            got = await read_body(
                response, trip.limits, is_redirect=response.status_code in REDIRECTS
            )
        finally:
            await response.aclose()
        return FetchResult(
            url=trip.asked,
            final_url=trip.current,
            status=response.status_code,
            headers=got.headers,
            body=got.body,
            address=str(response.extensions.get("peer", "")),
            redirects=trip.between,
            raw_bytes=got.raw_bytes,
            seconds=time.monotonic() - trip.began,
            is_cut=got.is_cut,
        )

    def _request(
        self, trip: _Trip, method: str, headers: dict[str, str], body: bytes
    ) -> httpx.Request:
        target = _checked(trip.current)
        trip.urls[-1] = str(target)
        limits = trip.limits
        timeout = {"connect": limits.connect_seconds, "read": limits.first_byte_seconds}
        ours = {
            "User-Agent": self.identity.user_agent,
            "Accept": _ACCEPT,
            "Accept-Encoding": "gzip",
            **headers,
        }
        with stops_for_reasons():
            request = httpx.Request(
                method, str(target), headers=ours, content=body, extensions={"timeout": timeout}
            )
        if str(request.url) != str(target):  # two parsers, two meanings: neither is dialled
            raise StoppedError(Reason.BAD_URL, "the HTTP client reads this URL differently")
        return request

    async def _send(self, request: httpx.Request, limits: Limits) -> httpx.Response:
        patience = limits.connect_seconds + limits.first_byte_seconds
        try:
            # aiohttp's own limits start anew with every byte; this one does not.
            async with asyncio.timeout(patience):
                with stops_for_reasons():
                    return await self._transport.handle_async_request(request)
        except TimeoutError:
            detail = f"no complete headers in {patience:g} s"
            raise StoppedError(Reason.FIRST_BYTE_TIMEOUT, detail) from None


def _checked(url: str) -> WebUrl:
    target = web_url(url)
    if target is None:
        scheme = url.partition(":")[0].strip().lower()
        if scheme.isalpha() and scheme not in {"http", "https"}:
            raise StoppedError(Reason.FORBIDDEN_SCHEME, f"{scheme} is not fetched")
        raise StoppedError(Reason.BAD_URL, "not a URL of the Web")
    if len(str(target)) > MAX_URL_CHARACTERS:
        raise StoppedError(Reason.BAD_URL, f"longer than {MAX_URL_CHARACTERS} characters")
    return target


def _next_url(trip: _Trip, location: str) -> str:
    target = web_url(location, trip.current)
    if target is None:
        trip.urls.append(one_line(location))
        _checked(location)
        raise StoppedError(Reason.BAD_URL, "redirect to something that is no URL")
    if str(target) in trip.urls:
        raise StoppedError(Reason.REDIRECT_LOOP, f"redirects lead back to {target}")
    if len(trip.urls) > trip.limits.max_redirects:
        raise StoppedError(
            Reason.TOO_MANY_REDIRECTS, f"more than {trip.limits.max_redirects} redirects"
        )
    return str(target)


def _failure(trip: _Trip, reason: Reason, detail: str) -> FetchFailure:
    return FetchFailure(
        url=trip.asked,
        reason=reason,
        detail=one_line(detail),
        final_url=trip.current,
        redirects=trip.between,
        seconds=time.monotonic() - trip.began,
    )


def fetch_once(
    url: str,
    identity: Identity,
    *,
    policy: AddressPolicy | None = None,
    resolver: Resolver | None = None,
    limits: Limits = PAGE_LIMITS,
) -> Outcome:
    """One fetch for code that has no event loop: a view, a command, a job."""

    async def fetch() -> Outcome:
        async with HttpxFetcher(identity, policy=policy, resolver=resolver) as fetcher:
            return await fetcher.fetch(url, limits=limits)

    return asyncio.run(fetch())


def post_once(
    url: str,
    identity: Identity,
    *,
    body: bytes,
    content_type: str,
    policy: AddressPolicy | None = None,
    resolver: Resolver | None = None,
    limits: Limits = PAGE_LIMITS,
) -> Outcome:
    """One notice from code that has no event loop."""

    async def post() -> Outcome:
        async with HttpxFetcher(identity, policy=policy, resolver=resolver) as fetcher:
            return await fetcher.post(url, body=body, content_type=content_type, limits=limits)

    return asyncio.run(post())
