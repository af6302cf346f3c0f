"""Links the pages: mostly to their own topic, as on the Web, and otherwise not at random either."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random

from crawler.core.demoweb.catalogue import Clarity, DemoLink, DemoPage, LinkKind, PageKind, Place
from crawler.core.demoweb.dice import dice
from crawler.core.demoweb.drafting import EMBEDDED, SiteDraft, chunk_of
from crawler.core.demoweb.oddities import Oddities
from crawler.core.demoweb.plans import SiteKind
from crawler.core.demoweb.vocabulary import is_within, parent_of, words_of

TRAP_ENTRANCE = "/calendar?month=2001-01"
HUB_LINKS = (20, 40)
_TRIES = 8
_NAMES_HUBS = 6  # one article in so many names its site's own list of links
_CITATIONS = {Clarity.CLEAR: (4, 9), Clarity.WANDERING: (3, 6), Clarity.VAGUE: (1, 4)}


@dataclass(frozen=True, slots=True)
class Manners:
    """What share of a page's links to other sites goes where; oddities get the rest."""

    same: float
    kin: float  # topics beside and above
    cross: float  # topics that this one is known to cite
    popular: float
    anywhere: float = 0.0


ORDINARY = Manners(same=0.66, kin=0.15, cross=0.07, popular=0.10)
# A fund's page seldom knows other funds, but always the market they invest in.
OF_FUNDS = Manners(same=0.04, kin=0.72, cross=0.10, popular=0.12)
# Whoever writes about the market names its neighbours, funds among them, more often than others do.
OF_MARKET = Manners(same=0.51, kin=0.30, cross=0.07, popular=0.10)
OF_POPULAR = Manners(same=0.15, kin=0.10, cross=0.05, popular=0.23, anywhere=0.45)


class Linker:
    """Knows all pages and chooses links for each."""

    def __init__(self, drafts: Sequence[SiteDraft], oddities: Oddities, seed: int) -> None:
        self._seed = seed
        self._oddities = oddities.places()
        self._popular = [draft for draft in drafts if draft.plan.kind is SiteKind.POPULAR]
        self._by_topic: dict[str, list[DemoPage]] = defaultdict(list)
        for page in (page for draft in drafts for page in draft.pages()):
            if page.topic and page.kind is not PageKind.HUB:  # hubs are for a crawl to discover
                self._by_topic[page.topic].append(page)
        for topic, pages in self._by_topic.items():
            dice(seed, "fame", topic).shuffle(pages)
        self._pools: dict[tuple[str, str], list[DemoPage]] = {}

    def linked(self, draft: SiteDraft) -> Iterator[DemoPage]:
        """The pages of a site with their links."""
        menu = _menu(draft)
        yield self._with_links(draft, draft.home, menu, self._home_list(draft), (6, 12))
        for section, indexes in draft.sections.items():
            yield from self._linked_section(draft, menu, section, indexes)
        for hub in draft.hubs:
            yield self._with_links(draft, hub, menu, self._hub_list(hub), (0, 0))
        for page in draft.others:
            yield self._with_links(draft, page, menu, (), (0, 0))

    def _linked_section(
        self, draft: SiteDraft, menu: list[Place], section: str, indexes: list[DemoPage]
    ) -> Iterator[DemoPage]:
        articles = draft.articles[section]
        turning = {a.place: [b.place] for a, b in pairwise(indexes)}
        for number, index in enumerate(indexes):
            listed = [page.place for page in chunk_of(articles, number)]
            listed += turning.get(index.place, [])
            yield self._with_links(draft, index, menu, listed, (2, 4))
        for number, page in enumerate(articles):
            yield self._linked_article(draft, menu, articles, number, page)

    def _linked_article(
        self,
        draft: SiteDraft,
        menu: list[Place],
        articles: Sequence[DemoPage],
        number: int,
        page: DemoPage,
    ) -> DemoPage:
        if page.kind is PageKind.LEAFLET:
            return page
        chance = dice(self._seed, page.host, page.path, "related")
        near = [articles[number - 1], articles[(number + 1) % len(articles)]]
        near += chance.sample(articles, min(3, len(articles)))
        if page.topic == EMBEDDED:
            near = [each for each in near if each.topic != EMBEDDED]
        if number % _NAMES_HUBS == 0:
            near += [hub for hub in draft.hubs if is_within(page.topic, hub.topic)]
        return self._with_links(
            draft, page, menu, [e.place for e in near], _CITATIONS[page.clarity]
        )

    def _with_links(
        self,
        draft: SiteDraft,
        page: DemoPage,
        menu: list[Place],
        own: Sequence[Place],
        cited: tuple[int, int],
    ) -> DemoPage:
        chance = dice(self._seed, page.host, page.path, "links")
        kind = LinkKind.RELATED if page.kind is PageKind.ARTICLE else LinkKind.LISTED
        links = {place: DemoLink(place, LinkKind.MENU) for place in menu if place != page.place}
        for place in own:
            if place != page.place:
                links.setdefault(place, DemoLink(place, kind))
        for place in self._cited(draft, page, chance.randint(*cited), chance):
            links.setdefault(place, DemoLink(place, LinkKind.CITED))
        return replace(page, links=tuple(links.values()))

    def _home_list(self, draft: SiteDraft) -> list[Place]:
        chance = dice(self._seed, draft.plan.host, "front")
        articles = [page.place for pages in draft.articles.values() for page in pages]
        shown = 14 if draft.plan.kind is SiteKind.MIXED else 8
        hubs = [hub.place for hub in draft.hubs]
        private = [page.place for page in draft.others if page.kind is PageKind.PRIVATE]
        return [*hubs, *private, *chance.sample(articles, min(shown, len(articles)))]

    def _hub_list(self, hub: DemoPage) -> list[Place]:
        """Good pages of the hub's topic on other sites."""
        chance = dice(self._seed, hub.host, hub.path, "listed")
        pool = [page for page in self._pool("same", hub.topic) if page.host != hub.host]
        number = min(chance.randint(*HUB_LINKS), len(pool))
        return [page.place for page in chance.sample(pool, number)]

    def _cited(
        self, draft: SiteDraft, page: DemoPage, number: int, chance: Random
    ) -> Iterator[Place]:
        manners = _manners(draft, page)
        for _ in range(number):
            place = self._choice(manners, page, chance)
            if place is not None:
                yield place

    def _choice(self, manners: Manners, page: DemoPage, chance: Random) -> Place | None:
        drawn = chance.random()
        choosers: list[tuple[float, Callable[[], Place | None]]] = [
            (manners.same, lambda: self._off_site("same", page, chance)),
            (manners.kin, lambda: self._off_site("kin", page, chance)),
            (manners.cross, lambda: self._off_site("cross", page, chance)),
            (manners.popular, lambda: self._popular_page(page, chance)),
            (manners.anywhere, lambda: self._off_site("any", page, chance)),
        ]
        for share, choose in choosers:
            drawn -= share
            if drawn < 0:
                return choose()
        odd = chance.choice(self._oddities)
        return odd if odd.host != page.host else None

    def _off_site(self, pool_name: str, page: DemoPage, chance: Random) -> Place | None:
        """A page of the pool on another site; the first of a pool are the famous ones."""
        pool = self._pool(pool_name, page.topic)
        for _ in range(_TRIES if pool else 0):
            found = pool[int(len(pool) * chance.random() ** 1.6)]
            if found.host != page.host:
                return found.place
        return None

    def _popular_page(self, page: DemoPage, chance: Random) -> Place | None:
        draft = chance.choice(self._popular)
        if draft.plan.host == page.host:
            return None
        return draft.home.place if chance.random() < 0.6 else chance.choice([*draft.pages()]).place

    def _pool(self, name: str, topic: str) -> list[DemoPage]:
        key = name, topic
        if key not in self._pools:
            pages = [page for each in self._topics(name, topic) for page in self._by_topic[each]]
            dice(self._seed, name, topic).shuffle(pages)
            self._pools[key] = pages
        return self._pools[key]

    def _topics(self, name: str, topic: str) -> list[str]:
        present = sorted(self._by_topic)
        if name == "same":
            return [each for each in present if is_within(each, topic)]
        if name == "kin":
            above = parent_of(topic)
            return [e for e in present if e == above or (e != topic and parent_of(e) == above)]
        cited = words_of(topic).cites if name == "cross" else ()
        return [each for each in cited if each in self._by_topic] or present


def _manners(draft: SiteDraft, page: DemoPage) -> Manners:
    if page.topic == EMBEDDED:
        return OF_FUNDS
    if draft.plan.kind is SiteKind.POPULAR:
        return OF_POPULAR
    return OF_MARKET if is_within(page.topic, parent_of(EMBEDDED)) else ORDINARY


def _menu(draft: SiteDraft) -> list[Place]:
    """What every page of the site links to."""
    indexes = [pages[0].place for pages in draft.sections.values()]
    services = [page.place for page in draft.others if page.kind is PageKind.SERVICE]
    trap = [Place(draft.plan.host, TRAP_ENTRANCE)] if draft.plan.kind is SiteKind.TRAP else []
    return [draft.home.place, *indexes, *trap, *services]
