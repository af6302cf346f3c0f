"""How the demo web is linked."""

from collections import Counter, deque
from collections.abc import Callable, Iterable

from crawler.core.demoweb.catalogue import DemoPage, LinkKind, PageKind, Place
from crawler.core.demoweb.plans import SiteKind
from crawler.core.demoweb.vocabulary import is_within, parent_of
from crawler.core.demoweb.web import DemoWeb

CYCLING, INVESTING = "/Recreation/Cycling", "/Business/Investing"
FUNDS = f"{INVESTING}/Mutual_Funds"


def reached(
    web: DemoWeb, start: Iterable[DemoPage], may_pass: Callable[[DemoPage], bool]
) -> set[Place]:
    """Pages found by following links out of pages that may be passed through."""
    waiting = deque(page.place for page in start)
    seen = set(waiting)
    while waiting:
        page = web.pages[waiting.popleft()]
        for link in page.links if may_pass(page) else ():
            place = web.redirects.get(link.place, link.place)
            if place in web.pages and place not in seen:
                seen.add(place)
                waiting.append(place)
    return seen


def cited_topics(web: DemoWeb, pages: Iterable[DemoPage]) -> Counter[tuple[str, str]]:
    """How often pages of one topic cite pages of another on other sites."""
    found: Counter[tuple[str, str]] = Counter()
    for page in pages:
        places = (web.redirects.get(p, p) for p in page.targets(LinkKind.CITED))
        found.update((page.topic, web.pages[p].topic) for p in places if p in web.pages)
    return found


def test_every_link_leads_to_something_planned(web):
    links = [link.place for page in web.pages.values() for link in page.links]
    assert [place for place in links if not web.knows(place)] == []
    assert [place for place in web.redirects.values() if not web.knows(place)] == []


def test_every_redirect_and_every_broken_page_is_cited_somewhere(web):
    cited = {link.place for page in web.pages.values() for link in page.links}
    planned = [*web.redirects, *web.faults]
    assert len(web.redirects) > 20
    assert len([place for place in planned if place in cited]) > 0.9 * len(planned)


def test_citations_lead_to_other_sites_and_all_other_links_but_those_of_hubs_stay(web):
    for page in web.pages.values():
        for link in page.links:
            is_elsewhere = link.place.host != page.host
            is_outward = link.kind is LinkKind.CITED or (
                page.is_hub and link.kind is LinkKind.LISTED
            )
            assert is_elsewhere == is_outward


def test_most_citations_stay_on_the_topic_and_some_go_to_its_neighbours(web):
    topical = {host for host, site in web.sites.items() if site.kind is not SiteKind.POPULAR}
    pages = [p for p in web.ordinary_pages() if p.host in topical and p.topic != FUNDS]
    counts = cited_topics(web, pages)
    total = counts.total()
    same = sum(n for (a, b), n in counts.items() if is_within(b, a)) / total
    near = (n for (a, b), n in counts.items() if not is_within(b, a) and is_kin(a, b))
    kin = sum(near) / total
    assert 0.60 <= same <= 0.72
    assert 0.10 <= kin <= 0.22


def is_kin(one: str, other: str) -> bool:
    return other == parent_of(one) or parent_of(one) == parent_of(other)


def test_cycling_cites_first_aid_far_more_than_other_topics_do(web):
    aid = "/Health/First_Aid"
    cyclists = cited_topics(web, web.ordinary_pages(CYCLING))
    others = cited_topics(web, [p for p in web.ordinary_pages() if not p.topic.startswith("/Rec")])
    by_cyclists = sum(n for (_, topic), n in cyclists.items() if topic == aid) / cyclists.total()
    by_others = sum(n for (a, b), n in others.items() if b == aid != a) / others.total()
    assert by_cyclists > 3 * by_others


def test_everybody_cites_the_popular_sites(web):
    popular = {host for host, site in web.sites.items() if site.kind is SiteKind.POPULAR}
    citing: Counter[str] = Counter()
    for page in web.pages.values():
        hosts = {place.host for place in page.targets(LinkKind.CITED)}
        citing.update(hosts & popular)
    assert len(popular) == 4
    assert min(citing.values()) > 200


def test_the_cycling_community_is_large_and_can_be_crawled_without_leaving_it(web):
    community = {page.place for page in web.ordinary_pages(CYCLING)}
    pages = reached(web, web.start_pages(CYCLING), lambda page: is_within(page.topic, CYCLING))
    sites = Counter(place.host for place in community)
    assert len(community) >= 350
    assert sum(number >= 25 for number in sites.values()) >= 8
    assert len(pages & community) >= 0.98 * len(community)


def test_funds_are_found_only_by_way_of_investing(web):
    funds = {page.place for page in web.ordinary_pages(FUNDS)}
    start = web.start_pages(FUNDS, 4)
    alone = reached(web, start, lambda page: page.topic == FUNDS) & funds
    through = reached(web, start, lambda page: is_within(page.topic, INVESTING)) & funds
    assert len(funds) >= 25
    assert len(alone) < 0.6 * len(funds)
    assert len(through) >= 0.95 * len(funds)


def test_pages_about_funds_cite_other_investments_rather_than_funds(web):
    counts = cited_topics(web, web.ordinary_pages(FUNDS))
    assert counts[FUNDS, FUNDS] < 0.15 * counts.total()
    near = sum(n for (_, topic), n in counts.items() if is_within(topic, INVESTING))
    assert near > 0.6 * counts.total()


def test_hubs_list_good_pages_of_many_other_sites(web):
    hubs = [page for page in web.pages.values() if page.is_hub]
    assert len(hubs) >= 10
    assert sum(is_within(hub.topic, CYCLING) for hub in hubs) >= 5
    for hub in hubs:
        listed = hub.targets(LinkKind.LISTED)
        assert 20 <= len(listed) <= 40
        assert all(is_within(web.pages[place].topic, hub.topic) for place in listed)
        assert len({place.host for place in listed} - {hub.host}) >= 4


def test_nobody_cites_hubs_from_elsewhere(web):
    hubs = {page.place for page in web.pages.values() if page.is_hub}
    cited = {place for page in web.pages.values() for place in page.targets(LinkKind.CITED)}
    assert hubs
    assert not hubs & cited


def test_portals_have_many_links_ordinary_pages_some_and_leaflets_none(web):
    by_kind = {kind: [p for p in web.pages.values() if p.kind is kind] for kind in PageKind}
    mixed = [p for p in by_kind[PageKind.ARTICLE] if web.sites[p.host].kind is SiteKind.MIXED]
    others = [p for p in by_kind[PageKind.ARTICLE] if web.sites[p.host].kind is not SiteKind.MIXED]
    assert all(8 <= len(page.links) <= 30 for page in others)
    assert all(30 <= len(page.links) <= 55 for page in mixed)
    assert all(not page.links for page in by_kind[PageKind.LEAFLET])
    assert len(by_kind[PageKind.LEAFLET]) > 30
