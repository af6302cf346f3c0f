"""What is new: for a person's list, for feeds and for letters."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import F, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce

from crawler.core.feeds import clean_text
from crawler.models import Crawl, FrontierUrl, NewsItem, NewsMark, Page
from focusadmin.accounts.models import User
from taxonomy.models import Focus
from taxonomy.selectors.topics import WebAddress, web_address

SHOWN = 50
LINKS_SHOWN = 10


@dataclass(frozen=True)
class NewsFilter:
    """What somebody wants to see; nothing chosen is everything that is unseen."""

    crawl: Crawl | None = None
    focus: Focus | None = None
    kind: str = ""
    since: datetime | None = None
    with_seen: bool = False
    below: int | None = None  # the place in the list: the id of its last item


@dataclass(frozen=True)
class ShownNews:
    """An item with its page, and where it leads."""

    item: NewsItem
    page: Page
    address: WebAddress | None
    links: Sequence[WebAddress]
    more_links: int
    is_seen: bool

    @property
    def title(self) -> str:
        return clean_text(self.page.title) or self.page.url

    @property
    def levels(self) -> list[str]:
        return [name for name in self.page.topic.split("/") if name]


@dataclass(frozen=True)
class FoundNews:
    shown: list[ShownNews]
    next_below: int | None
    newest: int  # the newest item of those that are asked for; 0 without any


def news_for(user: User) -> QuerySet[NewsItem]:
    """Of the crawls that the person may see at this moment."""
    return NewsItem.objects.filter(crawl__in=Crawl.objects.visible_to(user).values("pk"))


def news_found(user: User, wanted: NewsFilter, limit: int = SHOWN) -> FoundNews:
    """The next screenful; a place stays valid while news come in, as they come in above."""
    items = _wanted(with_marks(news_for(user), user), wanted)
    newest = items.order_by("-id").values_list("id", flat=True).first() or 0
    if wanted.below is not None:
        items = items.filter(id__lt=wanted.below)
    rows = list(items.select_related("crawl").order_by("-id")[: limit + 1])
    next_below = rows[limit - 1].pk if len(rows) > limit else None
    return FoundNews(news_shown(rows[:limit]), next_below, newest)


def unseen_count(user: User, crawl: Crawl | None = None, most: int = 100) -> int:
    """Counted no further than people read numbers."""
    items = _wanted(with_marks(news_for(user), user), NewsFilter(crawl=crawl))
    return len(items.order_by().values_list("id", flat=True)[:most])


def with_marks(items: QuerySet[NewsItem], user: User) -> QuerySet[NewsItem]:
    marks = NewsMark.objects.filter(user=user, crawl=OuterRef("crawl_id")).values("upto")
    return items.annotate(seen_upto=Coalesce(Subquery(marks), 0))


def _wanted(items: QuerySet[NewsItem], wanted: NewsFilter) -> QuerySet[NewsItem]:
    condition = Q()
    if wanted.crawl is not None:
        condition &= Q(crawl=wanted.crawl)
    if wanted.focus is not None:
        condition &= Q(crawl__focus=wanted.focus)
    if wanted.kind:
        condition &= Q(kind=wanted.kind)
    if wanted.since is not None:
        condition &= Q(at__gte=wanted.since)
    if not wanted.with_seen:
        condition &= Q(id__gt=F("seen_upto"))
    return items.filter(condition)


def news_shown(items: Sequence[NewsItem]) -> list[ShownNews]:
    """With pages and addresses: two queries for each crawl among them."""
    pages: dict[tuple[int, int], Page] = {}
    urls: dict[tuple[int, int], str] = {}
    for crawl_id in {item.crawl_id for item in items}:
        mine = [item for item in items if item.crawl_id == crawl_id]
        seqs = {item.page_seq for item in mine}
        for page in Page.objects.filter(crawl_id=crawl_id, seq__in=seqs):
            pages[crawl_id, page.seq] = page
        numbers = {number for item in mine for number in item.links[:LINKS_SHOWN]}
        rows = FrontierUrl.objects.filter(crawl_id=crawl_id, number__in=numbers)
        urls |= {(crawl_id, number): url for number, url in rows.values_list("number", "url")}
    return [
        _shown(item, pages[item.crawl_id, item.page_seq], urls)
        for item in items
        if (item.crawl_id, item.page_seq) in pages
    ]


def _shown(item: NewsItem, page: Page, urls: dict[tuple[int, int], str]) -> ShownNews:
    cited = (urls.get((item.crawl_id, number), "") for number in item.links[:LINKS_SHOWN])
    return ShownNews(
        item=item,
        page=page,
        address=web_address(page.url),
        links=list(_links(cited)),
        more_links=max(0, len(item.links) - LINKS_SHOWN),
        is_seen=item.pk <= getattr(item, "seen_upto", 0),
    )


def _links(urls: Iterable[str]) -> Iterable[WebAddress]:
    for url in urls:
        if address := web_address(url):
            yield address
