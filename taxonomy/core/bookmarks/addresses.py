"""Which addresses may become bookmarks, and why the others may not."""

import ipaddress
import re
from collections.abc import Callable
from functools import lru_cache
from urllib.parse import quote, urlsplit

MAX_URL = 2000
Allowed = Callable[[str, int], bool]  # whether a private host and port may be visited all the same

SCHEME = re.compile(r"([a-z][a-z0-9+.-]{0,30}):", re.I)
EDGES = "".join(map(chr, range(33))) + "\x7f\xa0\ufeff"
DROPPED = re.compile(r"[\t\r\n]+")
UNSAFE = re.compile(
    '[\x00-\x20\x7f-\xa0\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb<>"]'
)
HOST = re.compile(r"[^\x00-\x20\x7f<>\"{}|\\^`%@]{1,253}")
LOCAL_SUFFIXES = (".localhost", ".local", ".internal", ".lan", ".localdomain", ".home.arpa")
BROWSER_PAGE = "browser page"
REASONS = {scheme: f"{scheme}: link" for scheme in ("javascript", "vbscript", "data", "file")} | {
    "place": "place: query",
    "about": BROWSER_PAGE,
    "chrome": BROWSER_PAGE,
    "chrome-extension": BROWSER_PAGE,
    "moz-extension": BROWSER_PAGE,
    "resource": BROWSER_PAGE,
    "edge": BROWSER_PAGE,
    "opera": BROWSER_PAGE,
    "vivaldi": BROWSER_PAGE,
    "brave": BROWSER_PAGE,
    "view-source": BROWSER_PAGE,
}
EMPTY = "empty"
NOT_WEB = "not a web address"
TOO_LONG = f"longer than {MAX_URL:,} characters"
PRIVATE = "private address"


class UnusableAddressError(ValueError):
    """Not an address to visit; the text is the reason to show."""


def web_address(raw: str, *, allow_private: bool | Allowed = False) -> str:
    """A tidy http(s) address, or `UnusableAddressError` with the reason."""
    url = DROPPED.sub("", raw.strip(EDGES))
    _refuse_other_schemes(url)
    if len(url) > MAX_URL:
        raise UnusableAddressError(TOO_LONG)
    url = UNSAFE.sub(lambda found: quote(found[0]), url).encode("utf-8", "ignore").decode()
    host, port = _host_of(url)
    if is_private(host) and not (
        allow_private(host, port) if callable(allow_private) else allow_private
    ):
        raise UnusableAddressError(PRIVATE)
    return url


@lru_cache(maxsize=4096)
def is_private(host: str) -> bool:
    """Names and numbers that mean something only inside a house or a machine."""
    try:
        return not ipaddress.ip_address(host.partition("%")[0]).is_global
    except ValueError:
        name = host.rstrip(".")
    return "." not in name or name.endswith(LOCAL_SUFFIXES)


def _refuse_other_schemes(url: str) -> None:
    if not url:
        raise UnusableAddressError(EMPTY)
    found = SCHEME.match(url)
    scheme = found[1].lower() if found else ""
    if scheme not in ("http", "https"):
        raise UnusableAddressError(REASONS.get(scheme, NOT_WEB))


def _host_of(url: str) -> tuple[str, int]:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port or 80
    except ValueError:
        raise UnusableAddressError(NOT_WEB) from None
    if not HOST.fullmatch(host):
        raise UnusableAddressError(NOT_WEB)
    return host, port
