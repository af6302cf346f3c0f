"""The pages of a crawl as a list: filtered, searched, in order, a screenful at a time.

A place in the list is the key of its last page, not a number of pages: it stays valid while the
crawl grows. Nothing is counted, and no request reads more than its time allows: when what is asked
for is that rare, the list says how far it has looked and goes on from there.
"""

import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime

from django.db.models import Q, QuerySet

from crawler.core.outcome_kinds import Kind, kind_of, outcome_text
from crawler.core.textquery import Piece, TextQuery, snippet
from crawler.fulltext import seqs_with, those_with
from crawler.models import Crawl, Page, PageBody
from crawler.selectors.page_filter import RELEVANCE, PageFilter, Place, conditions, topics_below
from crawler.store import unpacked_text
from taxonomy.selectors.topics import WebAddress, web_address

PAGES_SHOWN = 50
SECONDS = 0.2
FEW = 5_000  # so many are sorted at once
MANY = 50_000  # with more hits the list is walked, and its pages are asked for the words
_WINDOW = 50_000
_WINDOW_TO_KEEP = 2_000
_HITS_AT_ONCE = 500

_Part = tuple[list[Page], Place | None]  # pages, and how far was looked; None: to the end


@dataclass
class ShownPage:
    page: Page
    address: WebAddress | None
    kind: Kind
    outcome_words: str
    snippet: list[Piece] = field(default_factory=list)

    @property
    def levels(self) -> list[str]:
        return [name for name in self.page.topic.split("/") if name]

    @property
    def fetched_at(self) -> datetime:
        return datetime.fromtimestamp(self.page.fetched_at, UTC)


@dataclass(frozen=True)
class Found:
    pages: list[ShownPage]
    next: Place | None  # None: there are no more
    is_unfinished: bool  # the time was up before the page was full


def pages_found(
    crawl: Crawl, wanted: PageFilter, after: Place | None = None, *, seconds: float = SECONDS
) -> Found:
    """The next screenful behind a place."""
    until = time.monotonic() + seconds
    pages: list[Page] = []
    reached: Place | None = None
    is_unfinished = False
    for part, looked_to in _parts(crawl, wanted, after, PAGES_SHOWN + 1):
        pages += part
        reached = looked_to
        if len(pages) > PAGES_SHOWN:
            reached = _place(pages[PAGES_SHOWN - 1], wanted)
            break
        if reached is not None and time.monotonic() > until:
            is_unfinished = True
            break
    return Found(_shown(crawl, pages[:PAGES_SHOWN], wanted.words), reached, is_unfinished)


def pages_walked(crawl: Crawl, wanted: PageFilter) -> Iterator[Page]:
    """All pages that are wanted, in their order; some thousand are held at a time."""
    for part, _ in _parts(crawl, wanted, None, None):
        yield from part


def _parts(
    crawl: Crawl, wanted: PageFilter, after: Place | None, most: int | None
) -> Iterator[_Part]:
    """The list in parts of at most `most`; who gets that many goes on behind the last of them."""
    pages = Page.objects.filter(conditions(crawl, wanted), crawl=crawl)
    if wanted.sort == RELEVANCE:
        return _by_relevance(crawl, wanted, pages, after, most)
    return _by_age(crawl, wanted, pages, after.seq if after else crawl.seq + 1, most)


def _by_age(
    crawl: Crawl, wanted: PageFilter, pages: QuerySet[Page], below: int, most: int | None
) -> Iterator[_Part]:
    pages = pages.order_by("-seq")
    few = _few(crawl, wanted) if wanted.words is None else None
    if few is not None:
        yield list(pages.filter(seq__in=few, seq__lt=below)[:most]), None
        return
    window = _WINDOW if most else _WINDOW_TO_KEEP
    while below > 1:
        if wanted.words is None:
            end = max(1, below - window)
            part = pages.filter(seq__lt=below, seq__gte=end)
        else:
            seqs = seqs_with(crawl.pk, wanted.words, below=below, limit=_HITS_AT_ONCE)
            end = seqs[-1] if len(seqs) == _HITS_AT_ONCE else 1
            part = pages.filter(seq__in=seqs)
        yield list(part[:most]), Place(end) if end > 1 else None
        below = end


def _by_relevance(
    crawl: Crawl, wanted: PageFilter, pages: QuerySet[Page], after: Place | None, most: int | None
) -> Iterator[_Part]:
    pages = pages.filter(relevance__isnull=False).order_by("-relevance", "-seq")
    few = _few(crawl, wanted)
    if few is not None:
        yield list(pages.filter(_behind(after), seq__in=few)[:most]), None
        return
    hits = _hits(crawl, wanted.words)
    window = _WINDOW if most and wanted.words is None else _WINDOW_TO_KEEP
    judged = Page.objects.filter(crawl=crawl, relevance__isnull=False)
    keys = judged.order_by("-relevance", "-seq").values_list("seq", "relevance")
    is_more = True
    while is_more:
        last = next(iter(keys.filter(_behind(after))[window - 1 : window]), None)
        end = Place(*last) if last else None
        part = pages.filter(_behind(after), _up_to(end))
        if wanted.words is None:
            found = list(part[:most])
        else:
            found = _having(crawl, wanted.words, list(part), hits)[:most]
        yield found, end
        after, is_more = end, end is not None


def _behind(place: Place | None) -> Q:
    if place is None or place.relevance is None:
        return Q()
    # The first condition alone says nothing new: it is the one that an index can follow.
    return Q(relevance__lte=place.relevance) & (
        Q(relevance__lt=place.relevance) | Q(seq__lt=place.seq)
    )


def _up_to(place: Place | None) -> Q:
    if place is None or place.relevance is None:
        return Q()
    return Q(relevance__gte=place.relevance) & (
        Q(relevance__gt=place.relevance) | Q(seq__gte=place.seq)
    )


def _few(crawl: Crawl, wanted: PageFilter) -> list[int] | None:
    """All pages of the site, of the topic or with the words, if they are few."""
    candidates = []
    if wanted.site:
        candidates.append(Page.objects.filter(crawl=crawl, site=wanted.site))
    if wanted.topic:
        below = topics_below(crawl, wanted.topic)
        candidates.append(Page.objects.filter(crawl=crawl, topic__in=below))
    for pages in candidates:
        seqs = list(pages.values_list("seq", flat=True)[: FEW + 1])
        if len(seqs) <= FEW:
            with_words = those_with(crawl.pk, wanted.words, seqs) if wanted.words else None
            return seqs if with_words is None else list(with_words)
    if wanted.words is not None:
        seqs = seqs_with(crawl.pk, wanted.words, below=crawl.seq + 1, limit=FEW + 1)
        return seqs if len(seqs) <= FEW else None
    return None


def _hits(crawl: Crawl, words: TextQuery | None) -> set[int] | None:
    if words is None:
        return None
    seqs = seqs_with(crawl.pk, words, below=crawl.seq + 1, limit=MANY + 1)
    return set(seqs) if len(seqs) <= MANY else None


def _having(crawl: Crawl, words: TextQuery, pages: list[Page], hits: set[int] | None) -> list[Page]:
    if hits is None:
        hits = those_with(crawl.pk, words, [page.seq for page in pages])
    return [page for page in pages if page.seq in hits]


def _place(page: Page, wanted: PageFilter) -> Place:
    return Place(page.seq, page.relevance if wanted.sort == RELEVANCE else None)


def _shown(crawl: Crawl, pages: list[Page], words: TextQuery | None) -> list[ShownPage]:
    texts: dict[int, str] = {}
    if words is not None:
        bodies = PageBody.objects.filter(crawl=crawl, seq__in=[page.seq for page in pages])
        packed = bodies.values_list("seq", "text")
        texts = {seq: unpacked_text(text) for seq, text in packed}
    return [
        ShownPage(
            page=page,
            address=web_address(page.url),
            kind=kind_of(page.outcome),
            outcome_words=outcome_text(page.outcome),
            snippet=snippet(texts[page.seq], words) if words and page.seq in texts else [],
        )
        for page in pages
    ]
