"""Sitemaps of sites that have proved relevant: pages there may be, though nobody links to them."""

from crawler.core.admission import Admission
from crawler.core.hosts import Host
from crawler.core.keyindex import UNKNOWN
from crawler.core.turns import PacedFetcher
from crawler.core.types import Merge, url_key
from crawler.core.urlrows import NewUrl
from crawler.core.workingset import Frontier
from focusadmin.lib.robots import Robots
from focusadmin.lib.sitemaps import sitemap_urls
from focusadmin.lib.sites import site_of
from focusadmin.lib.urls import host_of

PROOF_PAGES = 5
PROOF_RELEVANCE = 0.5
MAX_URLS = 200
DISCOUNT = 0.5  # a page that is only listed is half as promising as one that is cited


def has_proved(host: Host) -> bool:
    """Enough pages, and on the whole what is wanted."""
    return (
        not host.is_sitemap_read
        and host.pages >= PROOF_PAGES
        and host.relevance_sum >= PROOF_RELEVANCE * host.pages
    )


async def read_sitemaps(fetcher: PacedFetcher, rules: Robots, host: Host) -> list[str]:
    """URLs of the host's own site, from the sitemaps that its robots.txt names."""

    async def may_visit(target: str) -> bool:
        return rules.may_visit(target)

    starts = [url for url in rules.sitemaps if site_of(host_of(url)) == host.site]
    found = await sitemap_urls(fetcher, starts, max_urls=MAX_URLS, hop_check=may_visit)
    return [url for url in found if site_of(host_of(url)) == host.site]


def admit_listed(
    frontier: Frontier, admission: Admission, merge: Merge, host: Host, urls: list[str]
) -> int:
    """New URLs at half of the host's mean relevance; cash has to be earned from a link."""
    priority = DISCOUNT * host.relevance_sum / host.pages if merge is Merge.MAX else 0.0
    slots = frontier.find([url_key(url) for url in urls])
    fresh = [url for url, slot in zip(urls, slots, strict=True) if slot == UNKNOWN]
    allowed = [url for url in dict.fromkeys(fresh) if not admission.why_not(url, 1)]
    frontier.admit([NewUrl(url_key(url), url, priority, 1, -1) for url in allowed])
    return len(allowed)
