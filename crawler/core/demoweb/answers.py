"""What the demo web answers to a request, good or bad."""

import hashlib
from dataclasses import dataclass
from http import HTTPStatus

from crawler.core.demoweb.catalogue import Catalogue, Fault, Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.plans import RobotsRule, SiteKind
from crawler.core.demoweb.rendering import index_html, notice_html, page_html
from crawler.core.demoweb.style import stylesheet
from crawler.core.demoweb.trap import trap_html

HTML, PLAIN, CSS = "text/html; charset=utf-8", "text/plain; charset=utf-8", "text/css"
INDEX_HOSTS = frozenset({"localhost", "127.0.0.1"})
FLAKY_EVERY = 3
_ROBOTS = {
    RobotsRule.OPEN: "User-agent: *\nDisallow:\n",
    RobotsRule.PRIVATE: "User-agent: *\nDisallow: /private/\n",
    RobotsRule.DELAY: "User-agent: *\nCrawl-delay: 1\nDisallow:\n",
}


@dataclass(frozen=True, slots=True)
class Answer:
    """Status, headers and body."""

    status: HTTPStatus
    body: bytes = b""
    content_type: str = HTML
    headers: tuple[tuple[str, str], ...] = ()

    def message(self, *, has_body: bool = True) -> bytes:
        """The answer as it goes over the wire."""
        lines = [
            f"HTTP/1.1 {self.status.value} {self.status.phrase}",
            f"Content-Type: {self.content_type}",
            f"Content-Length: {len(self.body)}",
            *(f"{name}: {value}" for name, value in self.headers),
        ]
        head = "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n"
        return head + self.body if has_body else head


def answer(web: Catalogue, place: Place, port: int) -> Answer:
    """What is at a place; the same whenever it is asked."""
    site = web.sites.get(place.host)
    if site is None:
        return _without_site(web, place, port)
    if place.path == "/style.css":
        return Answer(HTTPStatus.OK, stylesheet(site.theme).encode(), CSS)
    if place.path == "/robots.txt":
        return _robots(site.robots)
    if place in web.faults:
        return _broken(web, place, port)
    if place in web.redirects:
        where = ("Location", web.redirects[place].url(port))
        return Answer(HTTPStatus.MOVED_PERMANENTLY, headers=(where,))
    return _page(web, place, port)


def is_refused(web: Catalogue, place: Place, asked_before: int) -> bool:
    """Whether a flaky host fails this time: at every third request for the same address.

    Which of three it is depends on the address, so that one visit to each meets failures too.
    """
    site = web.sites.get(place.host)
    if site is None or site.kind is not SiteKind.FLAKY or place.path == "/robots.txt":
        return False
    phase = hashlib.blake2b(place.path.encode(), digest_size=1).digest()[0]
    return (phase + asked_before) % FLAKY_EVERY == 0


def refusal() -> Answer:
    """The bad moment of a flaky host."""
    text = notice_html("Just a moment", "The shed is shaking. Please try again in a second.")
    return Answer(HTTPStatus.SERVICE_UNAVAILABLE, text.encode(), headers=(("Retry-After", "1"),))


def only_reading() -> Answer:
    """To anything but GET and HEAD."""
    return Answer(HTTPStatus.METHOD_NOT_ALLOWED, headers=(("Allow", "GET, HEAD"),))


def _without_site(web: Catalogue, place: Place, port: int) -> Answer:
    if place.host in INDEX_HOSTS and place.path == "/":
        return Answer(HTTPStatus.OK, index_html(web, port).encode())
    if place.host in INDEX_HOSTS and place.path == "/style.css":
        return Answer(HTTPStatus.OK, stylesheet(0).encode(), CSS)
    return _notice(HTTPStatus.NOT_FOUND, "There is no such site on the demo web.")


def _page(web: Catalogue, place: Place, port: int) -> Answer:
    page = web.pages.get(place)
    if page is not None:
        return Answer(HTTPStatus.OK, page_html(web, page, port).encode())
    if web.is_trap(place):
        return Answer(HTTPStatus.OK, trap_html(place, web.seed).encode())
    return _notice(HTTPStatus.NOT_FOUND, "There is no such page on this site.")


def _notice(status: HTTPStatus, text: str) -> Answer:
    return Answer(status, notice_html(status.phrase, text).encode())


def _robots(rule: RobotsRule) -> Answer:
    if rule is RobotsRule.ERROR:
        return Answer(HTTPStatus.INTERNAL_SERVER_ERROR, b"out of order\n", PLAIN)
    if rule is RobotsRule.NONE:
        return Answer(HTTPStatus.NOT_FOUND, b"none\n", PLAIN)
    return Answer(HTTPStatus.OK, _ROBOTS[rule].encode(), PLAIN)


def _broken(web: Catalogue, place: Place, port: int) -> Answer:
    fault = web.faults[place]
    if fault is Fault.NOT_FOUND:
        return _notice(HTTPStatus.NOT_FOUND, "This page was here once, or so the links say.")
    if fault is Fault.GONE:
        return _notice(HTTPStatus.GONE, "This page was taken away and will not come back.")
    return Answer(HTTPStatus.OK, _broken_body(web, place, fault, port))


def _broken_body(web: Catalogue, place: Place, fault: Fault, port: int) -> bytes:
    if fault is Fault.EMPTY:
        return b""
    if fault is Fault.BINARY:
        return b"\x89\x00\x01" + dice(web.seed, *place).randbytes(4096)
    html = page_html(web, web.pages[Place(place.host, "/")], port)
    if fault is Fault.TRUNCATED:
        return html.encode()[: len(html) // 2]
    # The header promises UTF-8, the bytes are Latin-1.
    return html.replace(" the ", " thé ").encode("latin-1", "replace")
