"""No forbidden address is dialled, however it is spelled and through whatever door it comes."""

import asyncio
import re
from collections import Counter
from collections.abc import Awaitable, Callable, Iterable
from pathlib import Path
from urllib.parse import quote

import pytest

from crawler.core.events import End
from crawler.core.ports import OK
from focusadmin.lib.addresses import AddressPolicy, why_refused
from focusadmin.lib.html import read_page
from focusadmin.lib.http import HttpxFetcher, fetch_once
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Outcome, Reason
from focusadmin.lib.resolver import SystemResolver
from focusadmin.lib.robots import RobotsCache
from focusadmin.lib.single_page import PageReader, PageUnreachableError, single_page
from focusadmin.lib.sitemaps import read_sitemap, sitemap_urls
from tests.hostile.audit import watched_dials
from tests.hostile.crawling import crawl
from tests.hostile.fetching import IDENTITY, with_fetcher
from tests.hostile.spellings import FORBIDDEN_V4, FORBIDDEN_V6, urls, v6_disguises
from tests.sites.behaviours import Redirects, Says
from tests.sites.web import LoopbackWeb, NoNames, Visit

VECTORS = urls()
AT_ONCE = 50


class RedirectsByPath:
    """Sends visitors to whatever the path says."""

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        status, _, where = visit.target[1:].partition("/")
        return await Redirects(bytes.fromhex(where).decode(), int(status)).answer(visit, writer)


async def through_fetch(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    assert isinstance(await fetcher.fetch(url), FetchFailure), url


async def through_notice(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    outcome = await fetcher.post(url, body=b"{}", content_type="application/json")
    assert isinstance(outcome, FetchFailure), url


async def through_redirect(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    status = (301, 302, 303, 307, 308)[len(url) % 5]
    outcome = await fetcher.fetch(web.url("to.test", f"/{status}/{url.encode().hex()}"))
    # A spelling with a tab or a line break is no header: it ends as another page of the same site.
    ours = isinstance(outcome, FetchResult) and outcome.final_url.startswith(web.url("to.test"))
    assert isinstance(outcome, FetchFailure) or ours, url


async def through_robots(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    robots = await RobotsCache(fetcher).for_url(url)
    assert not robots.may_visit(url), url


async def through_sitemap(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    assert await sitemap_urls(fetcher, [url], max_urls=10) == [], url


async def through_sitemap_index(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    index = (
        f"<sitemapindex><sitemap><loc>{quote(url, safe=':/@[]%')}</loc></sitemap></sitemapindex>"
    )
    for found in read_sitemap(index.encode()).urls:
        assert await sitemap_urls(fetcher, [found], max_urls=10) == [], url


async def through_page(fetcher: HttpxFetcher, web: LoopbackWeb, url: str) -> None:
    """What a page names: links, its base, its canonical address, where it sends on."""
    head = f'<base href="{url}"><link rel=canonical href="{url}">'
    sent_on = f'<meta http-equiv=refresh content="0; url={url}">'
    page = f'{head}{sent_on}<a href="{url}">x</a><a href="y">z</a>'
    content = read_page(page.encode(), "http://to.test/")
    named = {content.canonical or url, *(link.url for link in content.links)}
    for found in named - {"http://to.test/y", "http://to.test/"}:
        assert isinstance(await fetcher.fetch(found), FetchFailure), url


DOORS: list[Callable[[HttpxFetcher, LoopbackWeb, str], Awaitable[None]]] = [
    through_fetch,
    through_notice,
    through_redirect,
    through_robots,
    through_sitemap,
    through_sitemap_index,
    through_page,
]


def test_there_are_enough_vectors():
    assert len(VECTORS) > 2_000


@pytest.mark.parametrize("door", DOORS, ids=lambda door: door.__name__)
def test_no_spelling_of_a_forbidden_address_is_dialled(web: LoopbackWeb, door):
    web.add("to.test", RedirectsByPath())

    async def knock(fetcher: HttpxFetcher) -> None:
        for start in range(0, len(VECTORS), AT_ONCE):
            batch = VECTORS[start : start + AT_ONCE]
            await asyncio.gather(*(door(fetcher, web, url) for url in batch))

    with watched_dials() as dials:
        with_fetcher(web, knock)
    assert set(dials) <= {("127.0.0.1", web.port)}


def test_nothing_that_a_person_pastes_is_dialled():
    """The door of Classify, of examples by address, and of bookmarks."""

    async def read(reader: PageReader, url: str) -> None:
        with pytest.raises(PageUnreachableError):
            await reader.read(url)

    async def read_all() -> None:
        async with PageReader(IDENTITY, resolver=NoNames()) as reader:
            for start in range(0, len(VECTORS), AT_ONCE):
                await asyncio.gather(*(read(reader, u) for u in VECTORS[start : start + AT_ONCE]))

    with watched_dials() as dials:
        asyncio.run(read_all())
        for url in VECTORS[::400]:
            assert isinstance(fetch_once(url, IDENTITY, resolver=NoNames()), FetchFailure)
            with pytest.raises(PageUnreachableError):
                single_page(url, IDENTITY, resolver=NoNames())
    assert dials == []


class Snare:
    """Names forbidden places on its pages, in its robots.txt and in its sitemap."""

    def __init__(self, web: LoopbackWeb) -> None:
        named = [VECTORS[start : start + LINKS_A_PAGE] for start in FIRST_LINKS]
        self.pages = {f"/{number}": page_with(urls) for number, urls in enumerate(named)}
        sent_on = [f'<a href="/30{n % 4}/{url.encode().hex()}">on</a>' for n, url in SENT_ON]
        self.pages["/"] = page_with(self.pages) + "".join(sent_on).encode()
        maps = [web.url("snare.test", "/map.xml"), "http://169.254.169.254/map.xml", VECTORS[0]]
        self.robots = "".join(f"Sitemap: {url}\n" for url in maps).encode()
        self.map = ("<urlset>" + "".join(f"<loc>{u}</loc>" for _, u in SENT_ON)).encode()

    async def answer(self, visit: Visit, writer: asyncio.StreamWriter) -> bool:
        if visit.target in self.pages:
            return await Says(self.pages[visit.target]).answer(visit, writer)
        if visit.target == "/robots.txt":
            return await Says(self.robots, content_type="text/plain").answer(visit, writer)
        if visit.target == "/map.xml":
            return await Says(self.map, content_type="text/xml").answer(visit, writer)
        if re.fullmatch(r"/30\d/[0-9a-f]+", visit.target):
            return await RedirectsByPath().answer(visit, writer)
        return await Says(status=404).answer(visit, writer)  # a spelling that means a path here


LINKS_A_PAGE = 200
FIRST_LINKS = range(0, len(VECTORS), LINKS_A_PAGE)
SENT_ON = list(enumerate(VECTORS[::40]))


def page_with(urls: Iterable[str]) -> bytes:
    words = "<title>Racket</title><p>racket serve volley court match "
    return (words + "".join(f'<a href="{url}">serve</a> ' for url in urls)).encode()


def test_a_crawl_that_is_led_to_forbidden_addresses_dials_none(web: LoopbackWeb, setup_file: Path):
    start = web.add("snare.test", Snare(web))
    with watched_dials() as dials:
        ending, outcomes = asyncio.run(crawl(web, setup_file, [start], 0.001, concurrency=64))
    assert (ending.end, ending.reason) == (End.FINISHED, "frontier empty")
    assert set(dials) == {("127.0.0.1", web.port)}
    assert "/map.xml" in {visit.target for visit in web.visits_of("snare.test")}
    pages = [page for page in outcomes if page.outcome == OK]
    assert {page.site for page in pages} == {"snare.test"}
    refused = Counter(page.outcome for page in outcomes if page.outcome != OK)
    assert refused["forbidden_address"] > 500, refused


def places_of(names: list[str], policy: AddressPolicy | None) -> list[Outcome]:
    async def run() -> list[Outcome]:
        async with HttpxFetcher(IDENTITY, policy=policy, resolver=SystemResolver()) as fetcher:
            return [await fetcher.fetch(name) for name in names]

    return asyncio.run(run())


OWN_NAMES = ["x.localhost", "a.b.localhost", "X.LOCALHOST", "x.localhost.", "localhost"]


@pytest.mark.parametrize("host", OWN_NAMES)
def test_names_of_this_machine_are_closed_unless_named_with_their_port(web: LoopbackWeb, host: str):
    """The resolver answers them without asking anybody; the policy judges the answer."""
    urls = [f"http://{host}{port}/" for port in ("", ":443", ":5432", f":{web.port}")]
    urls += [f"https://{host}/"]
    other_port = AddressPolicy(frozenset({f"*.localhost:{web.port + 1}"}))
    with watched_dials() as dials:
        outcomes = [*places_of(urls, None), *places_of(urls, other_port)]
    assert dials == []
    for outcome in outcomes:
        assert isinstance(outcome, FetchFailure)
        assert outcome.reason is Reason.FORBIDDEN_ADDRESS, outcome.detail


def test_an_operator_opens_names_of_this_machine_one_port_at_a_time(web: LoopbackWeb):
    web.add("own.localhost", Says())
    policy = AddressPolicy(frozenset({f"*.localhost:{web.port}"}))
    urls = [web.url("own.localhost"), "http://own.localhost/", "http://own.localhost:6379/"]
    with watched_dials() as dials:
        opened, *closed = places_of([*urls, f"http://127.0.0.1:{web.port}/"], policy)
    assert isinstance(opened, FetchResult)
    assert all(isinstance(outcome, FetchFailure) for outcome in closed)
    assert dials == [("127.0.0.1", web.port)]


def test_an_index_speaks_for_its_own_site_only(web: LoopbackWeb):
    """Whoever writes one can't send us to read files of others, open or not."""
    own, foreign = web.url("maps.index.test", "/1.xml"), web.url("victim.test", "/1.xml")
    names = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in (own, foreign))
    index = f"<sitemapindex>{names}</sitemapindex>".encode()
    web.add("index.test", Says(index, content_type="application/xml"))
    pages = b"<urlset><loc>http://index.test/a</loc></urlset>"
    web.add("maps.index.test", Says(pages, content_type="text/xml"))
    web.add("victim.test", Says())
    start = [web.url("index.test")]
    found = with_fetcher(web, lambda fetcher: sitemap_urls(fetcher, start, max_urls=9))
    assert found == ["http://index.test/a"]
    assert web.visits_of("victim.test") == []


class Answers:
    """A resolver that gives out what the test wants, another answer with each question."""

    def __init__(self, *answers: list[str]) -> None:
        self.answers = list(answers)
        self.asked = 0

    async def addresses(self, host: str) -> list[str]:
        self.asked += 1
        return self.answers[min(self.asked, len(self.answers)) - 1]


def fetch_by_name(resolver: Answers, policy: AddressPolicy | None = None) -> list[Outcome]:
    """One outcome for each answer, under a new name each time, as aiohttp remembers names."""

    async def run() -> list[Outcome]:
        async with HttpxFetcher(IDENTITY, policy=policy, resolver=resolver) as fetcher:
            names = [f"http://n{number}.test/" for number in range(len(resolver.answers))]
            return [await fetcher.fetch(name) for name in names]

    return asyncio.run(run())


ADDRESSES = [
    *FORBIDDEN_V4,
    *FORBIDDEN_V6,
    *(disguise for address in FORBIDDEN_V4 for disguise in v6_disguises(address)),
    "fe80::1%lo",
]


def test_a_name_that_stands_for_a_forbidden_address_is_refused():
    with watched_dials() as dials:
        outcomes = fetch_by_name(Answers(*([address] for address in ADDRESSES)))
    for address, outcome in zip(ADDRESSES, outcomes, strict=True):
        assert isinstance(outcome, FetchFailure), address
        assert outcome.reason is Reason.FORBIDDEN_ADDRESS, (address, outcome.detail)
    assert dials == []


@pytest.mark.parametrize("answer", [["93.184.216.34", "127.0.0.1"], ["10.0.0.1", "2606:2800::1"]])
def test_an_answer_with_one_forbidden_address_is_refused_whole(answer: list[str]):
    with watched_dials() as dials:
        [outcome] = fetch_by_name(Answers(answer))
    assert isinstance(outcome, FetchFailure)
    assert outcome.reason is Reason.FORBIDDEN_ADDRESS
    assert dials == []


def test_an_allowed_name_that_changes_its_mind_does_not_open_the_metadata_service(web: LoopbackWeb):
    resolver = Answers(["127.0.0.1"], ["169.254.169.254"], ["192.0.0.192"], ["224.0.0.1"])
    url = web.add("rebind.test", Says(headers=(("Connection", "close"),)))

    async def run() -> list[Outcome]:
        outcomes = []
        for _ in resolver.answers:
            async with HttpxFetcher(IDENTITY, policy=web.policy, resolver=resolver) as fetcher:
                outcomes.append(await fetcher.fetch(url))
        return outcomes

    with watched_dials() as dials:
        first, *later = asyncio.run(run())
    assert isinstance(first, FetchResult)
    assert {getattr(outcome, "reason", None) for outcome in later} == {Reason.FORBIDDEN_ADDRESS}
    assert dials == [("127.0.0.1", web.port)]


def test_a_socket_is_refused_even_when_the_resolver_was_not_asked(web: LoopbackWeb):
    """The last wall: the address of the socket itself, without help of the ones before."""
    from focusadmin.lib import transport
    from focusadmin.lib.stops import StoppedError

    guarded = transport.GuardedTransport(web.policy, NoNames())
    transport._permit.set(transport._Permit("name.test", 80))
    with pytest.raises(StoppedError):
        guarded._make_socket((2, 1, 6, "", ("127.0.0.1", 80)))


def test_other_ports_of_an_allowed_host_stay_closed(web: LoopbackWeb):
    web.add("allowed.test", Says())

    async def try_ports(fetcher: HttpxFetcher) -> None:
        for port in (80, 443, 5432, 6379, 8000, web.port + 1):
            outcome = await fetcher.fetch(f"http://allowed.test:{port}/")
            assert isinstance(outcome, FetchFailure)
            assert outcome.reason is Reason.FORBIDDEN_ADDRESS

    with watched_dials() as dials:
        with_fetcher(web, try_ports)
    assert dials == []


def test_public_addresses_are_not_refused():
    for address in (
        "93.184.216.34",
        "8.8.8.8",
        "2606:2800:220:1::1",
        "2a00:1450:4001::1",
        "1.1.1.1",
    ):
        assert why_refused(address) is None
    for carrier in ("::ffff:8.8.8.8", "64:ff9b::8.8.8.8", "2002:808:808::1"):
        assert why_refused(carrier) is None
