"""Whether a newly found URL may enter the frontier."""

from collections.abc import Mapping

from crawler.core.caps import CapCounter
from crawler.core.config import CrawlConfig
from crawler.core.hosts import Host, Hosts
from crawler.core.traps import HostWatch, path_pattern, trap_reason


class Admission:
    """All the rules in one place; they are asked for new URLs only."""

    def __init__(
        self, config: CrawlConfig, hosts: Hosts, patterns: Mapping[str, int] | None = None
    ) -> None:
        self.config, self.hosts, self.watch = config, hosts, HostWatch()
        self.caps = CapCounter(
            config.caps,
            own=config.site_caps,
            sites=hosts.pages_by("site"),
            addresses=hosts.pages_by("address"),
            patterns=patterns,
        )

    def why_not(self, url: str, depth: int) -> str | None:
        """The reason to leave this URL alone; None when it may be fetched."""
        return (
            self.config.caps.why_too_deep(depth)
            or self.config.is_excluded(url)
            or trap_reason(url)
            or self.watch.admit(url)
        )

    def why_full(self, host: Host, url: str) -> str | None:
        """Asked when the URL's turn has come: caps fill up."""
        return self.caps.why_full(host.site, host.address, path_pattern(url))

    def note_page(self, host: Host, url: str, bands: tuple[int, ...]) -> bool:
        """A page was fetched; whether its host has become one of near-duplicates."""
        self.caps.note_page(host.site, host.address, path_pattern(url))
        self.watch.note_page(host.name, bands)
        return self.watch.is_slowed(host.name)
