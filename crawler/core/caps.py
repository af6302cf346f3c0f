"""How much of a crawl one site, one address or one kind of page may take."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, fields

from focusadmin.lib.errors import FocusAdminError


@dataclass(frozen=True)
class Caps:
    """The most pages of each, and the most links away from the start set.

    An address has the highest cap: large providers have thousands of honest sites on one, and
    farms of names a million false ones. A `pattern` is what `traps.path_pattern` makes of a URL.
    """

    max_pages_per_site: int = 5_000
    max_pages_per_pattern: int = 500
    max_pages_per_address: int = 20_000
    max_depth: int = 50

    def __post_init__(self) -> None:
        for cap in fields(self):
            if (value := getattr(self, cap.name)) < 1:
                raise FocusAdminError(f"{cap.name} must be at least 1, not {value}.")

    def why_too_deep(self, depth: int) -> str | None:
        """Why a URL so many links away from the start set is not followed."""
        if depth <= self.max_depth:
            return None
        return f"cap: more than {self.max_depth} links away from the start pages"


class CapCounter:
    """Pages fetched so far by site, address and pattern; made again from what was stored."""

    def __init__(
        self,
        caps: Caps,
        *,
        own: Mapping[str, int] | None = None,
        sites: Mapping[str, int] | None = None,
        addresses: Mapping[str, int] | None = None,
        patterns: Mapping[str, int] | None = None,
    ) -> None:
        """`own`: the most pages of single sites, where a person has said so."""
        self.caps, self.own = caps, own or {}
        self._sites = Counter(sites or {})
        self._addresses = Counter(addresses or {})
        self._patterns = Counter(patterns or {})

    def note_page(self, site: str, address: str, pattern: str) -> None:
        """A page was fetched; an empty address (not known) is not counted."""
        self._sites[site] += 1
        self._patterns[pattern] += 1
        if address:
            self._addresses[address] += 1

    def why_full(self, site: str, address: str, pattern: str) -> str | None:
        """Why one more such page is too much. Pages under way are not seen: note them early."""
        caps = self.caps
        if why := self.why_site_full(site):
            return why
        if self._patterns[pattern] >= caps.max_pages_per_pattern:
            return f"cap: {caps.max_pages_per_pattern:,} pages of the kind {pattern}"
        if address and self._addresses[address] >= caps.max_pages_per_address:
            return f"cap: {caps.max_pages_per_address:,} pages from the address {address}"
        return None

    def why_site_full(self, site: str) -> str | None:
        """Why the site gives nothing more, whatever the URL."""
        most = self.own.get(site, self.caps.max_pages_per_site)
        return f"cap: {most:,} pages of the site {site}" if self._sites[site] >= most else None

    def counts(self) -> dict[str, dict[str, int]]:
        """What the constructor takes, for storing."""
        return {
            "sites": dict(self._sites),
            "addresses": dict(self._addresses),
            "patterns": dict(self._patterns),
        }
