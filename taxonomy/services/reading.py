"""Fetches and routes the pages of focuses. Screens only write rows; a worker does the rest.

A message may be lost or come twice: what is to be done stands in the rows, and a lease on the draft
lets one worker at a time read the pages of a focus, so that every site keeps its pause.
"""

from collections.abc import Sequence
from contextlib import closing, suppress
from datetime import timedelta

from django.conf import settings
from django.db.models import F, OuterRef, Q, Subquery
from django.db.models.query import QuerySet
from django.utils import timezone

from focusadmin.lib.html import PageContent
from focusadmin.lib.http import Identity
from focusadmin.lib.many_pages import pages_at
from focusadmin.lib.single_page import PageUnreachableError, SinglePage
from focusadmin.lib.urls import canonical_url
from taxonomy.core.proposals import address_words
from taxonomy.core.records import TITLE_MAX, clean_text
from taxonomy.models import Focus, FocusDraft, FocusPage, TrainedModel
from taxonomy.selectors.models import Judge, NoModelError, judge_of
from taxonomy.selectors.placing import kept_form, placed_texts
from taxonomy.services.drafts import TEXT_KEPT, draft_of
from taxonomy.services.pages import NO_CONTACT, address_policy, known_contact

SLICE_SECONDS = 240.0
LEASE = timedelta(seconds=90)  # renewed with each page; a fetch ends long before
LINKS_KEPT = 100
ANCHOR_KEPT = 120
ROUTED_AT_ONCE = 100

State = FocusPage.State


def focuses_to_read() -> list[int]:
    """Focuses with pages that wait to be fetched, or were routed by an older model."""
    current = TrainedModel.objects.filter(
        taxonomy=OuterRef("focus__taxonomy"), is_current=True
    ).values("checksum")
    stale = ~Q(state=State.WAITING) & ~Q(routed_by=F("checksum"))
    pages = FocusPage.objects.annotate(checksum=Subquery(current)).filter(
        Q(state=State.WAITING) | (stale & Q(checksum__isnull=False))
    )
    free = Q(focus__draft__reader_until__isnull=True) | Q(
        focus__draft__reader_until__lt=timezone.now()
    )
    waiting = pages.filter(free).order_by("focus_id")  # not by page, or each would count
    return list(waiting.values_list("focus_id", flat=True).distinct())


def focus_read(focus: Focus, *, seconds: float = SLICE_SECONDS) -> int:
    """Everything there is to do for the pages of a focus; returns how many were done."""
    draft = draft_of(focus)
    if not _take(draft):
        return 0
    try:
        return _fetch(focus, draft, seconds) + pages_route(focus)
    finally:
        FocusDraft.objects.filter(pk=draft.pk).update(reader_until=None)


def pages_route(focus: Focus) -> int:
    """Route anew what an older model routed."""
    try:
        judge = judge_of(focus.taxonomy)
    except NoModelError:
        return 0
    done = 0
    fetched = focus.pages.exclude(state=State.WAITING)
    while pages := list(fetched.exclude(routed_by=judge.model.checksum)[:ROUTED_AT_ONCE]):
        _route(pages, judge)
        done += len(pages)
    return done


def judged_text(page: FocusPage) -> str:
    """The page's own words, or those of its title and address when it could not be fetched."""
    if page.is_by_words:
        return f"{page.title}\n{address_words(page.url)}"
    return f"{page.title}\n{page.text}"


def _take(draft: FocusDraft) -> bool:
    free = Q(reader_until__isnull=True) | Q(reader_until__lt=timezone.now())
    return bool(_lease(FocusDraft.objects.filter(free, pk=draft.pk)))


def _lease(drafts: "QuerySet[FocusDraft]") -> int:
    return drafts.update(reader_until=timezone.now() + LEASE)


def _fetch(focus: Focus, draft: FocusDraft, seconds: float) -> int:
    pages = {page.url: page for page in focus.pages.waiting()}
    identity = _identity(focus, draft, list(pages))
    if identity is None:
        return _refuse_all(focus)
    done = 0
    visits = pages_at(list(pages), identity, seconds=seconds, policy=address_policy())
    with closing(visits):
        for url, outcome in visits:
            done += _note(pages[url], outcome)
            _lease(FocusDraft.objects.filter(pk=draft.pk))
            if not focus.pages.waiting().exists():  # "Skip the rest"
                break
    return done


def _identity(focus: Focus, draft: FocusDraft, urls: Sequence[str]) -> Identity | None:
    contact = draft.contact or known_contact(focus.owner, urls)
    return Identity(contact, settings.VERSION) if contact else None


def _refuse_all(focus: Focus) -> int:
    return focus.pages.waiting().update(state=State.PASSED_OVER, problem=NO_CONTACT)


def _note(page: FocusPage, outcome: SinglePage | PageUnreachableError) -> int:
    """Written only while the page still waits: it may have been skipped or removed meanwhile."""
    if isinstance(outcome, SinglePage):
        values = _read_values(page, outcome.content)
    else:
        values = {"state": State.UNREACHABLE, "problem": str(outcome)[:300]}
    written = FocusPage.objects.filter(pk=page.pk, state=State.WAITING).update(**values)
    if written:
        page.refresh_from_db()
        with suppress(NoModelError):
            _route([page], judge_of(page.focus.taxonomy))
    return written


def _read_values(page: FocusPage, content: PageContent) -> dict[str, object]:
    return {
        "state": State.READ,
        "problem": "",
        "title": clean_text(content.title, TITLE_MAX) or page.title,
        "text": clean_text(content.text, TEXT_KEPT),
        "links": _links(content, page.url),
    }


def _links(content: PageContent, own: str) -> list[list[str]]:
    found = {
        url: link.anchor
        for link in content.links
        if not link.is_nofollow and (url := canonical_url(link.url)) and url != own
    }
    return [[url, clean_text(anchor, ANCHOR_KEPT)] for url, anchor in found.items()][:LINKS_KEPT]


def _route(pages: Sequence[FocusPage], judge: Judge) -> None:
    for page, placed in zip(pages, placed_texts(judge, map(judged_text, pages)), strict=True):
        page.topic, page.probabilities = kept_form(placed)
        page.routed_by = judge.model.checksum
    FocusPage.objects.bulk_update(pages, ["topic", "probabilities", "routed_by"], batch_size=50)
