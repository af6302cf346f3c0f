"""Hubs and authorities of a crawl, and what people say of them."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from crawler.core.nudges import NudgeKind
from crawler.models import Verdict
from crawler.selectors.crawls import crawl_get
from crawler.selectors.feedback import effect_of, feedback_history
from crawler.selectors.hubs import latest_distillation, unvisited_from_hubs
from crawler.selectors.judged_hubs import judged_pages, runs_of
from crawler.services.distillation import crawl_distil
from crawler.services.feedback import learning_words, verdict_give, verdict_undo
from crawler.services.nudges import nudges_make
from crawler.views.judging import judged_crawl, may_judge
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError

LISTED = 50
UNVISITED_LISTED = 50


@require_safe
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The latest distillation, what its hubs cite and nobody has fetched, and the feedback."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    latest = latest_distillation(crawl)
    context = {
        "latest": latest,
        "lists": judged_pages(latest, request.user, LISTED) if latest else [],
        "unvisited": unvisited_from_hubs(latest, limit=UNVISITED_LISTED) if latest else [],
        "runs": runs_of(crawl),
        "history": feedback_history(crawl),
        "effect": effect_of(crawl),
        "learning_words": learning_words(crawl),
        "may_judge": may_judge(request, crawl),
    }
    return crawl_page(request, crawl, "hubs", "crawler/hubs.html", context)


@require_POST
def distil(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = steered_crawl(request, crawl_id, Role.CURATOR)
    try:
        made = crawl_distil(crawl=crawl, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Distillation {made.number} is done: {made.pages:,} pages.")
    asked_from = "map" if request.POST.get("next") == "map" else "hubs"
    return redirect(f"crawler:{asked_from}", crawl_id)


@require_POST
def judge(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Useful or not useful: a page by its `seq`, or a `site`."""
    crawl = judged_crawl(request, crawl_id)
    seq = request.POST.get("seq", "")
    is_number = seq.isascii() and seq.isdigit() and len(seq) < 19
    try:
        verdict = verdict_give(
            crawl=crawl,
            value=request.POST.get("value", ""),
            by=request.user,
            page_seq=int(seq) if is_number else None,
            site=request.POST.get("site", ""),
        )
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        undo_url = reverse("crawler:feedback-undo", args=[crawl_id])
        text = f"{verdict.get_value_display()}: {verdict.effect}."
        messages.success(request, text, extra_tags=undo_tag(undo_url, str(verdict.pk)))
    asked_from = request.POST.get("from", "")
    if asked_from.isascii() and asked_from.isdigit() and len(asked_from) < 19:
        return redirect("crawler:crawl-page", crawl_id, int(asked_from))
    return redirect(_back(crawl_id, seq if is_number else ""))


@require_POST
def undo(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = judged_crawl(request, crawl_id)
    token = request.POST.get("token", "")
    is_number = token.isascii() and token.isdigit() and len(token) < 19
    verdict = get_object_or_404(Verdict, crawl=crawl, pk=int(token) if is_number else 0)
    try:
        verdict_undo(verdict=verdict, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, "Undone: example, weight and ranking go back.")
    return redirect(_back(crawl_id, str(verdict.page_seq or "")))


@require_POST
def visit(request: UserRequest, crawl_id: int) -> HttpResponse:
    """A URL that waits comes before all others."""
    crawl = steered_crawl(request, crawl_id)
    number = request.POST.get("number", "")
    made = 0
    if number.isascii() and number.isdigit() and len(number) < 10:
        made = nudges_make(
            crawl=crawl,
            numbers=[int(number)],
            kind=NudgeKind.VISIT,
            reason="a person asked for it",
            by=request.user,
        )
    if made and crawl.is_active:
        messages.success(request, "It is next, as soon as its host may be asked.")
    elif made:
        messages.success(request, "It is first when the crawl goes on.")
    else:
        messages.error(request, "This address does not wait any more.")
    return redirect(reverse("crawler:hubs", args=[crawl_id]) + "#unvisited")


@require_safe
def effect(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The fragment that tells how far the latest feedback has come."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    return render(request, "crawler/_effect.html", {"crawl": crawl, "effect": effect_of(crawl)})


def _back(crawl_id: int, seq: str) -> str:
    """To the row that was judged, wherever it stands by now."""
    anchor = f"#page-{seq}" if seq else ""
    return reverse("crawler:hubs", args=[crawl_id]) + anchor
