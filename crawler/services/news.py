"""Turning what crawls bring into news, and noting what people have seen of it."""

from collections.abc import Iterator
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.ports import OK
from crawler.models import Crawl, NewsItem, NewsMark, NewsProgress, Page, PageVisit, PageWatch
from crawler.revisited import GONE
from focusadmin.accounts.models import User

AT_ONCE = 1_000
_Kind = NewsItem.Kind


def news_gather() -> int:
    """By beat: items for everything that was committed since the last time, each once."""
    last_visit = PageVisit.objects.filter(crawl=OuterRef("pk")).order_by("-id").values("id")[:1]
    crawls = Crawl.objects.annotate(
        known_seq=Coalesce(F("news_progress__page_seq"), 0),
        known_visit=Coalesce(F("news_progress__visit_id"), 0),
        last_visit=Coalesce(Subquery(last_visit), 0),
    ).filter(Q(seq__gt=F("known_seq")) | Q(last_visit__gt=F("known_visit")))
    made = 0
    for crawl_id in crawls.values_list("pk", flat=True):
        while part := _gather(crawl_id):
            made += part[0]
            if not part[1]:
                break
    return made


def _gather(crawl_id: int) -> tuple[int, bool]:
    """How many were made of one portion, and whether there may be more."""
    with transaction.atomic():
        NewsProgress.objects.get_or_create(crawl_id=crawl_id)
        progress = NewsProgress.objects.select_for_update().get(crawl_id=crawl_id)
        seq = Crawl.objects.values_list("seq", flat=True).get(pk=crawl_id)
        pages = list(
            Page.objects.filter(
                crawl_id=crawl_id,
                outcome=OK,
                seq__gt=progress.page_seq,
                seq__lte=seq,
                relevance__gte=RELEVANT_FROM,
                same_as=None,
            ).order_by("seq")[:AT_ONCE]
        )
        visits = list(
            PageVisit.objects.filter(crawl_id=crawl_id, id__gt=progress.visit_id).order_by("id")[
                :AT_ONCE
            ]
        )
        items = [_item(page, _Kind.PAGE, page.fetched_at) for page in pages]
        items += _of_visits(crawl_id, visits)
        NewsItem.objects.bulk_create(sorted(items, key=lambda item: item.at))
        is_full = len(pages) == AT_ONCE
        progress.page_seq = pages[-1].seq if is_full else seq
        if visits:
            progress.visit_id = visits[-1].pk
        progress.save(update_fields=["page_seq", "visit_id"])
    return len(items), is_full or len(visits) == AT_ONCE


def _item(page: Page, kind: str, at: float, links: list[int] | None = None) -> NewsItem:
    return NewsItem(
        crawl_id=page.crawl_id,
        kind=kind,
        page_seq=page.seq,
        site=page.site,
        links=links or [],
        at=datetime.fromtimestamp(at, UTC),
    )


def _of_visits(crawl_id: int, visits: list[PageVisit]) -> Iterator[NewsItem]:
    pages = {
        page.seq: page
        for page in Page.objects.filter(
            crawl_id=crawl_id, seq__in={visit.page_seq for visit in visits}
        )
    }
    numbers = {visit.number for visit in visits}
    watched = PageWatch.objects.filter(crawl_id=crawl_id, number__in=numbers, is_hub=True)
    hubs = set(watched.values_list("number", flat=True))
    for visit in visits:
        page, is_hub = pages[visit.page_seq], visit.number in hubs
        if visit.outcome != OK:
            if visit.status in GONE:
                yield _item(page, _Kind.GONE, visit.at)
        elif is_hub and visit.new_links:
            yield _item(page, _Kind.LINKS, visit.at, visit.new_links)
        elif visit.changed and (is_hub or (page.relevance or 0.0) >= RELEVANT_FROM):
            yield _item(page, _Kind.CHANGED, visit.at, visit.new_links)


@transaction.atomic
def news_mark_seen(*, user: User, upto: int, crawl: Crawl | None = None) -> None:
    """All up to an item, of one crawl or of all that the person sees; never back by this."""
    crawls = Crawl.objects.visible_to(user)
    if crawl is not None:
        crawls = crawls.filter(pk=crawl.pk)
    newest = crawls.annotate(last=Max("news__id", filter=Q(news__id__lte=upto)))
    for crawl_id, last in newest.filter(last__isnull=False).values_list("pk", "last"):
        mark, _ = NewsMark.objects.select_for_update().get_or_create(crawl_id=crawl_id, user=user)
        if last > mark.upto:
            mark.before, mark.upto = mark.upto, last
            mark.save(update_fields=["before", "upto", "at"])


@transaction.atomic
def news_mark_undo(*, user: User, upto: int, crawl: Crawl | None = None) -> None:
    """Unseen again, what the last mark took away; marks made since then stay."""
    marks = NewsMark.objects.filter(user=user, upto__lte=upto)
    if crawl is not None:
        marks = marks.filter(crawl=crawl)
    marks.update(upto=F("before"))
