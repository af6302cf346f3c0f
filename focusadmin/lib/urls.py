"""One parser and one policy for every URL in the program.

Parsing is WHATWG's (ada), so we mean what browsers mean; everything else here works on ada's
output, in which each part has exactly one spelling. The HTTP client is only ever given such output.

The policy of `canonical_url`: lower-case scheme and host, no default port, no dot segments, no
fragment, no credentials, no trailing dot of the host, no tracking parameters, no session ids, the
shortest percent-encoding. The order of the parameters stays: some sites mean it.
"""

import re
from dataclasses import dataclass
from urllib.parse import unquote

from ada_url import join_url, normalize_url

from focusadmin.lib.tracking import SESSION_IN_PATH, is_tracking

MAX_URL_CHARACTERS = 2_000
DEFAULT_PORTS = {"http": 80, "https": 443}

_PARTS = re.compile(
    r"(?P<scheme>https?)://(?:[^/?#@]*@)?(?P<host>\[[^\]]*\]|[^:/?#]+)(?::(?P<port>\d+))?"
    r"(?P<path>/[^?#]*)(?P<query>\?[^#]*)?(?:#.*)?",
    re.DOTALL,
)
# Lenient, as it is for what is no URL of the Web: slashes, then everything up to the last @.
_CREDENTIALS = re.compile(r"(?s)^([^/\\?#]*[/\\]{1,9})[^/\\?#]*@")
_ESCAPE = re.compile(r"%([0-9a-fA-F]{2})")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
_ESCAPES = {
    f"{byte:02{form}}": chr(byte) if chr(byte) in _UNRESERVED else f"%{byte:02X}"
    for byte in range(256)
    for form in "xX"
}


@dataclass(frozen=True, slots=True)
class WebUrl:
    """The parts of an http or https URL as ada spells them, without credentials and fragment."""

    scheme: str
    host: str
    port: int
    path: str
    query: str  # with its question mark, or empty

    @property
    def origin(self) -> str:
        is_default = self.port == DEFAULT_PORTS[self.scheme]
        return f"{self.scheme}://{self.host}" + ("" if is_default else f":{self.port}")

    def __str__(self) -> str:
        return f"{self.origin}{self.path}{self.query}"


def web_url(raw: str, base: str | None = None) -> WebUrl | None:
    """The parts of `raw` (relative to `base`), or None unless it is http or https."""
    href = _href(raw, base)
    found = _PARTS.fullmatch(href) if href else None
    if not found:
        return None
    scheme, host, port, path, query = found.groups()
    return WebUrl(scheme, host, int(port or DEFAULT_PORTS[scheme]), path, query or "")


def _href(raw: str, base: str | None) -> str | None:
    try:
        return normalize_url(raw) if base is None else join_url(base, raw)
    except ValueError:  # also lone surrogates, which cannot be encoded
        return None


def canonical_url(raw: str, base: str | None = None) -> str | None:
    """The one spelling under which we know a page, or None for what a crawler can't visit.

    >>> canonical_url("HTTP://Example.com:80/a/../b?utm_source=x&id=7#top")
    'http://example.com/b?id=7'
    """
    if len(raw) > 4 * MAX_URL_CHARACTERS:
        return None
    href = _href(raw, base)
    for _ in range(4):  # usually one round
        found = _PARTS.fullmatch(href) if href else None
        if found is None:
            return None
        scheme, host, port, path, query = found.groups("")
        spelled = _spelled(scheme, host, port, path, query)
        # What is taken out of a path or a host may uncover a dot segment or a number.
        if (";" not in path and host[-1] != ".") or spelled == href:
            return spelled if len(spelled) <= MAX_URL_CHARACTERS else None
        href = _href(spelled, None)
    return None


def _spelled(scheme: str, host: str, port: str, path: str, query: str) -> str:
    if ";" in path:
        path = SESSION_IN_PATH.sub("", path)
    if query:
        query = _kept(query)
    if "%" in path or "%" in query:
        path, query = _shortest_escapes(path), _shortest_escapes(query)
    return f"{scheme}://{host.rstrip('.')}{':' + port if port else ''}{path}{query}"


def _kept(query: str) -> str:
    kept = [part for part in query[1:].split("&") if part and not is_tracking(part)]
    return "?" + "&".join(kept) if kept else ""


def _shortest_escapes(text: str) -> str:
    return _ESCAPE.sub(lambda found: _ESCAPES.get(found[1], found[0].upper()), text)


def host_of(url: str) -> str:
    """The host of a URL, lower-case, IPv6 in brackets; empty when it has none."""
    parts = web_url(url)
    return parts.host if parts else ""


def origin_of(url: str) -> str:
    """Scheme, host and port: what robots.txt is for. Empty when `url` is not on the Web."""
    parts = web_url(url)
    return parts.origin if parts else ""


def without_credentials(raw: str) -> str:
    """`raw`, but for a name and a password before the host: fit to be kept and logged."""
    if "@" not in raw:
        return raw
    parts = web_url(raw)
    return str(parts) if parts else _CREDENTIALS.sub(r"\1", raw, count=1)


def readable(url: str) -> str:
    """`url` for people: percent-escapes of letters decoded. Not for fetching."""
    return unquote(url, errors="replace")
