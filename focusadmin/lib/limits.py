"""How much of our time and memory one fetch may take."""

from dataclasses import dataclass

_MB = 1024 * 1024

PAGE_TYPES = frozenset({"text/html", "application/xhtml+xml", "text/plain"})
SITEMAP_TYPES = frozenset(
    {
        "application/xml",
        "text/xml",
        "text/plain",
        "application/gzip",
        "application/x-gzip",
        "application/rss+xml",
        "application/atom+xml",
        "application/octet-stream",  # what many servers call a .gz file
    }
)


@dataclass(frozen=True)
class Limits:
    """Bounds of one fetch, redirects included. `types` empty means any media type."""

    total_seconds: float = 30.0
    connect_seconds: float = 5.0
    first_byte_seconds: float = 10.0
    least_bytes_per_second: float = 1024.0
    rate_window_seconds: float = 10.0
    max_header_bytes: int = 64 * 1024
    max_raw_bytes: int = 5 * _MB
    max_body_bytes: int = 10 * _MB
    max_redirects: int = 5
    types: frozenset[str] = frozenset()
    cuts_large_bodies: bool = False  # keep the beginning instead of failing


PAGE_LIMITS = Limits(types=PAGE_TYPES)
ROBOTS_LIMITS = Limits(
    max_raw_bytes=512 * 1024, max_body_bytes=512 * 1024, cuts_large_bodies=True, total_seconds=20.0
)
SITEMAP_LIMITS = Limits(types=SITEMAP_TYPES, max_body_bytes=20 * _MB, cuts_large_bodies=True)
ERROR_BODY_BYTES = 16 * 1024  # of an error page, only as much as explains it
