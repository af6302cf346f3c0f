"""Reads about one page of a crawl: what it is, why it is where it is, how it was found."""

from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.http import Http404

from crawler.core.outcome_kinds import Kind, kind_of, outcome_text
from crawler.models import Crawl, FrontierUrl, Page, PageBody
from crawler.store import unpacked_text
from taxonomy.selectors.topics import WebAddress, web_address

TEXT_SHOWN = 4_000
WHOLE_TEXT_SHOWN = 100_000
LONGEST_PATH = 12


@dataclass(frozen=True)
class Step:
    """A page on the way from the start set."""

    url: str
    title: str
    seq: int | None  # None: it was not fetched as itself
    relevance: float | None
    is_start: bool


@dataclass(frozen=True)
class PageDetails:
    page: Page
    address: WebAddress | None
    kind: Kind
    outcome_words: str
    text: str
    is_cut: bool
    links: int
    path: list[Step] = field(default_factory=list)  # from the start set to the page
    is_path_cut: bool = False

    @property
    def fetched_at(self) -> datetime:
        return datetime.fromtimestamp(self.page.fetched_at, UTC)

    @property
    def levels(self) -> list[str]:
        return [name for name in self.page.topic.split("/") if name]


def page_details(crawl: Crawl, seq: int, *, most: int = TEXT_SHOWN) -> PageDetails:
    """The page with at most so many characters of its text, or 404."""
    page = Page.objects.filter(crawl=crawl, seq=seq).first()
    if page is None:
        raise Http404("no such page")
    body = PageBody.objects.filter(crawl=crawl, seq=seq).first()
    text = unpacked_text(body.text) if body else ""
    path = link_path(crawl, page.number)
    return PageDetails(
        page=page,
        address=web_address(page.url),
        kind=kind_of(page.outcome),
        outcome_words=outcome_text(page.outcome),
        text=text[:most],
        is_cut=len(text) > most,
        links=len(body.targets) // 4 if body else 0,
        path=path,
        is_path_cut=bool(path) and not path[0].is_start,
    )


def link_path(crawl: Crawl, number: int) -> list[Step]:
    """The pages over which a URL was first found, from the start set to itself."""
    rows: list[FrontierUrl] = []
    while number >= 0 and len(rows) < LONGEST_PATH:
        row = FrontierUrl.objects.filter(crawl=crawl, number=number).first()
        if row is None or any(row.number == known.number for known in rows):
            break
        rows.append(row)
        number = row.found_on
    pages = pages_at(crawl, [row.url_key for row in rows])
    return [_step(row, pages.get(row.url_key)) for row in reversed(rows)]


def pages_at(crawl: Crawl, keys: list[int]) -> dict[int, Page]:
    """The latest fetch of each of these URLs, by key."""
    found = Page.objects.filter(crawl=crawl, url_key__in=keys).order_by("seq")
    return {page.url_key: page for page in found}


def _step(row: FrontierUrl, page: Page | None) -> Step:
    is_start = row.found_on < 0
    if page is None:
        return Step(row.url, "", None, None, is_start)
    return Step(row.url, page.title, page.seq, page.relevance, is_start)
