"""The demo web as a whole: built from a seed, with the true topic of every page known."""

from collections import Counter
from collections.abc import Iterator
from typing import Self

from crawler.core.demoweb.catalogue import Catalogue, Clarity, DemoPage, DemoSite, PageKind, Place
from crawler.core.demoweb.drafting import SiteDraft, draft_site
from crawler.core.demoweb.linking import Linker
from crawler.core.demoweb.oddities import plan_oddities
from crawler.core.demoweb.plans import (
    FEWEST_PAGES,
    FEWEST_SITES,
    RobotsRule,
    SiteKind,
    shares,
    site_plans,
)
from crawler.core.demoweb.rendering import page_html
from crawler.core.demoweb.style import LOOKS
from crawler.core.demoweb.vocabulary import is_within
from focusadmin.lib.errors import FocusAdminError

SEED, SITES, PAGES = 1999, 44, 4200
START_URLS = 10
_ORDINARY = (PageKind.HOME, PageKind.SECTION, PageKind.ARTICLE, PageKind.LEAFLET, PageKind.HUB)


class DemoWebError(FocusAdminError):
    """A demo web that cannot be; says what to change."""


class DemoWeb(Catalogue):
    """Fictional sites under .localhost: the same seed gives the same bytes."""

    @classmethod
    def build(cls, seed: int = SEED, sites: int = SITES, pages: int = PAGES) -> Self:
        """A web of so many sites with at least so many pages in all."""
        if sites < FEWEST_SITES or pages < FEWEST_PAGES:
            raise DemoWebError(
                f"The demo web needs at least {FEWEST_SITES} sites and {FEWEST_PAGES} pages."
            )
        plans = site_plans(sites)
        numbers = zip(plans, shares(plans, pages), strict=True)
        drafts = [draft_site(plan, number, seed) for plan, number in numbers]
        oddities = plan_oddities(drafts, seed)
        linker = Linker(drafts, oddities, seed)
        linked = (page for draft in drafts for page in linker.linked(draft))
        return cls(
            seed=seed,
            sites={site.host: site for site in map(_site, drafts, range(len(drafts)))},
            pages={page.place: page for page in linked},
            redirects=oddities.redirects,
            faults=oddities.faults,
        )

    def page_html(self, host: str, path: str, port: int = 80) -> bytes:
        """The page as it is served at `port`; KeyError if there is none."""
        return page_html(self, self.pages[Place(host, path)], port).encode()

    def ordinary_pages(self, topic: str = "") -> Iterator[DemoPage]:
        """Pages with a true topic that a polite visitor may fetch, of this topic and below."""
        for page in self.pages.values():
            is_open = self.sites[page.host].robots is not RobotsRule.ERROR
            if is_open and page.kind in _ORDINARY and (not topic or is_within(page.topic, topic)):
                yield page

    def truth(self, port: int) -> dict[str, str]:
        """The true topic of every ordinary page, by address."""
        return {page.place.url(port): page.topic for page in self.ordinary_pages()}

    def start_pages(self, topic: str, number: int = START_URLS) -> list[DemoPage]:
        """Good pages to start a crawl at: front pages first, one of each site in turn, no hubs."""
        found = [page for page in self.ordinary_pages(topic) if self._may_start(page)]
        turns: Counter[str] = Counter()
        order: list[tuple[int, DemoPage]] = []
        for page in sorted(found, key=lambda page: page.kind is not PageKind.HOME):
            order.append((turns[page.host], page))
            turns[page.host] += 1
        return [page for _, page in sorted(order, key=lambda each: each[0])][:number]

    def start_urls(self, port: int, topic_path: str) -> list[str]:
        """Where to start a crawl for a topic: about ten addresses."""
        return [page.place.url(port) for page in self.start_pages(topic_path)]

    def _may_start(self, page: DemoPage) -> bool:
        is_good = page.kind in (PageKind.HOME, PageKind.ARTICLE) and page.clarity is Clarity.CLEAR
        return is_good and self.sites[page.host].kind in (SiteKind.TOPICAL, SiteKind.MIXED)


def _site(draft: SiteDraft, number: int) -> DemoSite:
    plan = draft.plan
    return DemoSite(
        plan.host, plan.title, plan.home, plan.voice, plan.kind, plan.robots, number % LOOKS
    )
