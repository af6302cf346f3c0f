"""One site of a crawl: its hosts and how politely they are treated, its pages, its links."""

import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np
from django.db.models import Count

from crawler.core.config import CrawlConfig
from crawler.core.hosts import Host, Hosts
from crawler.core.outcome_kinds import outcome_text
from crawler.core.ports import OK
from crawler.core.robot_words import robots_words
from crawler.models import Crawl, CrawlHost, FrontierUrl, Page, PageBody

HOSTS_SHOWN = 100
BEST_PAGES = 20
OWN_PAGES_SEARCHED = 500
PAGES_SEARCHED = 2_000
SITES_LINKED = 20


@dataclass(frozen=True)
class HostLine:
    """A line of the ledger of politeness."""

    host: CrawlHost
    robots: str
    agreed: float  # seconds between two requests
    waiting: int
    now: float

    @property
    def mean_gap(self) -> float | None:
        """Measured between the beginnings of requests."""
        if self.host.requests < 2:
            return None
        return (self.host.last_asked - self.host.first_asked) / (self.host.requests - 1)

    @property
    def is_kept(self) -> bool:
        """Whether no pause was shorter than agreed; clocks tick in milliseconds."""
        return self.host.shortest_gap is None or self.host.shortest_gap >= self.agreed - 0.005

    @property
    def last_asked(self) -> datetime | None:
        return datetime.fromtimestamp(self.host.last_asked, UTC) if self.host.requests else None

    @property
    def last_error(self) -> str:
        return outcome_text(self.host.last_error) if self.host.last_error else ""

    @property
    def last_error_at(self) -> datetime:
        return datetime.fromtimestamp(self.host.last_error_at, UTC)

    @property
    def next_turn(self) -> str:
        """When one of its URLs may be asked for, whichever that is."""
        if not self.waiting:
            return "nothing waits"
        begun = self.host.last_asked + self.agreed if self.host.requests else 0.0
        wait = max(begun, self.host.not_before) - self.now
        return f"in {wait:.0f} s" if wait >= 1 else "as soon as its best URL is due"


@dataclass(frozen=True)
class LinkedSite:
    site: str
    links: int


@dataclass(frozen=True)
class SiteDetails:
    hosts: list[HostLine]
    more_hosts: int
    best: list[Page]
    links_out: list[LinkedSite]
    links_in: list[LinkedSite]
    searched: int  # so many of the latest pages were looked through for links to the site


def site_details(crawl: Crawl, site: str) -> SiteDetails:
    hosts = list(CrawlHost.objects.filter(crawl=crawl, site=site).order_by("-pages", "number"))
    best = Page.objects.filter(crawl=crawl, site=site, outcome=OK)
    links_in, searched = _links_in(crawl, site, hosts)
    return SiteDetails(
        hosts=_lines(crawl, hosts[:HOSTS_SHOWN]),
        more_hosts=max(0, len(hosts) - HOSTS_SHOWN),
        best=list(best.order_by("-relevance", "seq")[:BEST_PAGES]),
        links_out=_links_out(crawl, site),
        links_in=links_in,
        searched=searched,
    )


def _lines(crawl: Crawl, hosts: list[CrawlHost]) -> list[HostLine]:
    numbers = [host.number for host in hosts]
    urls = FrontierUrl.objects.filter(
        crawl=crawl, host__in=numbers, state=FrontierUrl.State.WAITING
    )
    waiting = dict(urls.values_list("host").annotate(Count("number")))
    paces = Hosts(CrawlConfig.from_json(crawl.config).delay_seconds)
    now = time.time()
    return [
        HostLine(
            host=host,
            robots=robots_words(host.robots_note, host.robots_denied),
            agreed=paces.delay_of(_as_engine_has_it(host)),
            waiting=waiting.get(host.number, 0),
            now=now,
        )
        for host in hosts
    ]


def _as_engine_has_it(host: CrawlHost) -> Host:
    return Host(host.number, host.host, host.site, crawl_delay=host.crawl_delay)


def _links_out(crawl: Crawl, site: str) -> list[LinkedSite]:
    """Of the site's latest pages, to other sites; each page's link to a URL counts once."""
    pages = Page.objects.filter(crawl=crawl, site=site, outcome=OK).order_by("-seq")
    seqs = list(pages.values_list("seq", flat=True)[:OWN_PAGES_SEARCHED])
    bodies = PageBody.objects.filter(crawl=crawl, seq__in=seqs).values_list("targets", flat=True)
    numbers: Counter[int] = Counter()
    for packed in bodies:
        numbers.update(np.unique(np.frombuffer(packed, dtype="<i4")).tolist())
    sites: Counter[str] = Counter()
    known = dict(CrawlHost.objects.filter(crawl=crawl).values_list("number", "site"))
    for start in range(0, len(numbers), 500):
        part = list(numbers)[start : start + 500]
        urls = FrontierUrl.objects.filter(crawl=crawl, number__in=part)
        for number, host in urls.values_list("number", "host"):
            sites[known.get(host, "")] += numbers[number]
    return _most(sites, site)


def _links_in(crawl: Crawl, site: str, hosts: list[CrawlHost]) -> tuple[list[LinkedSite], int]:
    """From other sites, among the latest pages: links are kept with the page that has them."""
    urls = FrontierUrl.objects.filter(crawl=crawl, host__in=[host.number for host in hosts])
    own = np.array(list(urls.values_list("number", flat=True)), dtype=np.int32)
    latest = PageBody.objects.filter(crawl=crawl).order_by("-seq")
    bodies = list(latest.values_list("seq", "targets")[:PAGES_SEARCHED])
    counts = {
        seq: int(np.isin(np.unique(np.frombuffer(packed, dtype="<i4")), own).sum())
        for seq, packed in bodies
    }
    citing = [seq for seq, count in counts.items() if count]
    sites: Counter[str] = Counter()
    pages = Page.objects.filter(crawl=crawl, seq__in=citing)
    for seq, name in pages.values_list("seq", "site"):
        sites[name] += counts[seq]
    return _most(sites, site), len(bodies)


def _most(sites: Counter[str], own: str) -> list[LinkedSite]:
    for name in ("", own):
        sites.pop(name, None)
    return [LinkedSite(name, links) for name, links in sites.most_common(SITES_LINKED)]
