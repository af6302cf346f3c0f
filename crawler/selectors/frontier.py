"""Reads about what a crawl will fetch next, and why it stands where it stands."""

import time
from dataclasses import dataclass

import numpy as np
from django.http import Http404

from crawler.core.frontier import registry
from crawler.core.ranking import BOOST
from crawler.models import Crawl, CrawlHost, FrontierNudge, FrontierUrl, Page, PageBody
from crawler.selectors.pages import Step, link_path
from crawler.store import unpacked_text
from taxonomy.selectors.topics import WebAddress, web_address

PARENTS_SHOWN = 5
BODIES_SEARCHED = 2_000


@dataclass(frozen=True)
class Waiting:
    """A URL that is among the next, and why."""

    number: int
    url: str
    address: WebAddress | None
    priority: float
    depth: int
    tries: int
    wait_seconds: int  # until its host may be asked again
    reason: str

    @property
    def is_first(self) -> bool:
        """Somebody, or the distiller, wants it before what the strategy asks for."""
        return self.priority >= BOOST


@dataclass(frozen=True)
class Parent:
    """A fetched page that links to the URL."""

    page: Page
    anchor: str
    context: float  # relevance of the words around the link


@dataclass(frozen=True)
class Rank:
    """Everything that decided over the place of a URL in the frontier."""

    waiting: Waiting
    host: CrawlHost | None
    strategy: registry.StrategyEntry
    parents: list[Parent]
    path: list[Step]
    bodies_searched: int

    @property
    def host_relevance(self) -> float:
        host = self.host
        return host.relevance_sum / host.pages if host and host.pages else 0.0


def upcoming_of(crawl: Crawl) -> list[Waiting]:
    """The next URLs in their order, as the engine last told."""
    numbers = [row["number"] for row in crawl.status.get("upcoming", [])]
    urls = FrontierUrl.objects.filter(
        crawl=crawl, number__in=numbers, state=FrontierUrl.State.WAITING
    )
    rows = {row.number: row for row in urls}
    return waiting_of(crawl, [rows[number] for number in numbers if number in rows])


def waiting_of(crawl: Crawl, found: list[FrontierUrl]) -> list[Waiting]:
    """What people are told about these URLs of one crawl."""
    hosts = _hosts(crawl, found)
    finders = _finders(crawl, found)
    wishes = _wishes(crawl, found)
    return [
        _waiting(crawl, row, hosts.get(row.host), finders.get(row.found_on), wishes)
        for row in found
    ]


def _wishes(crawl: Crawl, rows: list[FrontierUrl]) -> dict[int, FrontierNudge]:
    """The latest nudge of each URL that has one."""
    numbers = [row.number for row in rows if row.priority >= BOOST]
    nudges = FrontierNudge.objects.filter(crawl=crawl, number__in=numbers).select_related("by")
    return {nudge.number: nudge for nudge in nudges.order_by("priority", "id")}


def _hosts(crawl: Crawl, rows: list[FrontierUrl]) -> dict[int, CrawlHost]:
    hosts = CrawlHost.objects.filter(crawl=crawl, number__in={row.host for row in rows})
    return {host.number: host for host in hosts}


def _finders(crawl: Crawl, rows: list[FrontierUrl]) -> dict[int, Page]:
    """The page on which each URL was first found, by its number in the frontier."""
    numbers = {row.found_on for row in rows if row.found_on >= 0}
    keys = FrontierUrl.objects.filter(crawl=crawl, number__in=numbers).values_list(
        "url_key", flat=True
    )
    pages = Page.objects.filter(crawl=crawl, url_key__in=list(keys)).order_by("seq")
    return {page.number: page for page in pages}


def _waiting(
    crawl: Crawl,
    row: FrontierUrl,
    host: CrawlHost | None,
    finder: Page | None,
    wishes: dict[int, FrontierNudge],
) -> Waiting:
    until = max(row.not_before, host.not_before if host else 0.0)
    return Waiting(
        number=row.number,
        url=row.url,
        address=web_address(row.url),
        priority=row.priority,
        depth=row.depth,
        tries=row.tries,
        wait_seconds=max(0, round(until - time.time())),
        reason=_reason(crawl, row, finder, wishes.get(row.number)),
    )


def _reason(crawl: Crawl, row: FrontierUrl, finder: Page | None, wish: FrontierNudge | None) -> str:
    """One line in plain words; the whole story is a click away."""
    if row.priority >= BOOST and wish is not None:
        return f"{wish.reason} ({wish.by.get_username()})" if wish.by else wish.reason
    if row.found_on < 0:
        return "a start page"
    if crawl.strategy == "unfocused":
        return "drawn by lot"
    if crawl.strategy == "breadth_first":
        return f"found early, {row.depth} links from the start"
    if crawl.strategy in {"opic", "otie"}:
        return f"has received {row.priority:.3g} of importance"
    if finder is not None and finder.relevance is not None:
        return f"found on a page with relevance {finder.relevance:.2f}"
    return f"priority {row.priority:.2f}"


def explained(crawl: Crawl, number: int) -> Rank:
    """Why a URL stands where it stands, or 404."""
    row = FrontierUrl.objects.filter(crawl=crawl, number=number).first()
    if row is None:
        raise Http404("no such URL")
    host = CrawlHost.objects.filter(crawl=crawl, number=row.host).first()
    parents, searched = parents_of(crawl, row)
    finder = parents[0].page if parents else None
    return Rank(
        waiting=_waiting(crawl, row, host, finder, _wishes(crawl, [row])),
        host=host,
        strategy=registry.entry(crawl.strategy),
        parents=parents[:PARENTS_SHOWN],
        path=link_path(crawl, number),
        bodies_searched=searched,
    )


def parents_of(crawl: Crawl, row: FrontierUrl) -> tuple[list[Parent], int]:
    """Pages among the latest ones, and the first finder, that link here; most relevant first.

    Links are kept with the page that has them, so this reads backwards, and only so far.
    """
    bodies = PageBody.objects.filter(crawl=crawl).order_by("-seq").only("seq", "targets")
    latest = list(bodies[:BODIES_SEARCHED])
    finder = _finders(crawl, [row]).get(row.found_on)
    known = {body.seq for body in latest}
    seqs = [body.seq for body in latest if _links_to(body, row.number)]
    if finder is not None and finder.seq not in known:
        seqs.append(finder.seq)
    full = {body.seq: body for body in PageBody.objects.filter(crawl=crawl, seq__in=seqs[:500])}
    pages = Page.objects.filter(crawl=crawl, seq__in=list(full))
    parents = [parent for page in pages if (parent := _parent(page, full[page.seq], row.number))]
    parents.sort(key=lambda parent: -(parent.page.relevance or 0.0))
    return parents, len(latest)


def _links_to(body: PageBody, number: int) -> bool:
    return bool((np.frombuffer(body.targets, dtype="<i4") == number).any())


def _parent(page: Page, body: PageBody, number: int) -> Parent | None:
    at = np.flatnonzero(np.frombuffer(body.targets, dtype="<i4") == number)
    if not len(at):
        return None
    anchors = unpacked_text(body.anchors).split("\n")
    contexts = np.frombuffer(body.contexts, dtype="<f4")
    place = int(at[0])
    return Parent(
        page=page,
        anchor=anchors[place] if place < len(anchors) else "",
        context=float(contexts[place]) if place < len(contexts) else 0.0,
    )
