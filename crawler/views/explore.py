"""The third step of the guided path: what lies around the examples."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from crawler.views.steps import edited_focus, step_page
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.models import Focus, FocusPage
from taxonomy.selectors.exploring import exploration_of
from taxonomy.services.exploring import neighbour_judge, neighbours_fetch
from taxonomy.views.places import number_asked

ROUTE = "focus-explore"
Standing = FocusPage.Standing
_TOLD = {
    Standing.EXAMPLE: "is an example now",
    Standing.REJECTED: "is rejected",
    Standing.NEIGHBOUR: "is a neighbour again",
}


@require_safe
def explore(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = edited_focus(request, focus_id)
    around = focus.pages.filter(pk=number_asked(request, "around")).first()
    context = {"found": exploration_of(focus, around)}
    return step_page(request, focus, ROUTE, "crawler/focus_explore.html", context)


@require_POST
def look(request: UserRequest, focus_id: int, page_id: int) -> HttpResponse:
    """Look around a page: "more like this" where it is a neighbour itself."""
    focus = edited_focus(request, focus_id)
    page = _page(focus, page_id)
    try:
        added = neighbours_fetch(page=page, by=request.user)
        messages.success(request, f"{added} neighbour{'' if added == 1 else 's'} to look at.")
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect(_address(focus, page.found_on or page))


@require_POST
def judge(request: UserRequest, focus_id: int, page_id: int) -> HttpResponse:
    """Add a neighbour as an example, reject it, or undo either."""
    focus = edited_focus(request, focus_id)
    page = _page(focus, page_id)
    undone = request.POST.get("token", "")
    wanted, before = request.POST.get("standing", undone), page.standing
    if wanted in _TOLD:
        neighbour_judge(page=page, standing=wanted, by=request.user)
        undo_url = reverse("crawler:focus-explore-judge", args=[focus.pk, page.pk])
        tag = "" if undone else undo_tag(undo_url, before)
        messages.success(request, f"{isolated(page)} {_TOLD[Standing(wanted)]}.", extra_tags=tag)
    return redirect(_address(focus, page.found_on))


def _page(focus: Focus, page_id: int) -> FocusPage:
    page: FocusPage = get_object_or_404(focus.pages.select_related("found_on"), pk=page_id)
    return page


def _address(focus: Focus, around: FocusPage | None) -> str:
    """Where the person was: around one example, or around all of them."""
    base = reverse("crawler:focus-explore", args=[focus.pk])
    return f"{base}?around={around.pk}" if around else base
