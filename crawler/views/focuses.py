"""The page of a focus: what it wants, what it was made of, and the crawls that followed it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from crawler.forms.sharing import ShareChangeForm, ShareForm
from crawler.selectors.focuses import crawls_of_focus
from crawler.views.steps import unfinished_step
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.text import isolated
from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.core.bookmarks.writing import netscape_file
from taxonomy.core.tree import split_path
from taxonomy.models import Focus, FocusShare
from taxonomy.selectors.focuses import focus_get
from taxonomy.selectors.guide import examples_by_source, focus_topics
from taxonomy.selectors.sharing import may_edit_focus, shares_of
from taxonomy.services.focuses import focus_duplicate
from taxonomy.services.sharing import focus_share


@require_safe
def focus(request: UserRequest, focus_id: int) -> HttpResponse:
    return _page(request, focus_get(user=request.user, focus_id=focus_id))


def _page(
    request: UserRequest, shown: Focus, form: ShareForm | None = None, *, status: int = 200
) -> HttpResponse:
    good, passing = focus_topics(shown)
    context: dict[str, Any] = {
        "focus": shown,
        "taxonomy": shown.taxonomy,
        "good": good,
        "pass_through": passing,
        "sources": examples_by_source(shown),
        "crawls": crawls_of_focus(request.user, shown),
        "shares": shares_of(shown),
        "rights": FocusShare.Rights.choices,
        "share_form": form or ShareForm(focus=shown, by=request.user),
        "may_share": has_role(user=request.user, team=shown.team, wanted=Role.CURATOR),
        "may_edit": may_edit_focus(user=request.user, focus=shown),
        "next_step": {
            "label": unfinished_step(shown).label,
            "url": unfinished_step(shown).url(shown),
        },
    }
    return render(request, "crawler/focus.html", context, status=status)


@require_POST
def share(request: UserRequest, focus_id: int) -> HttpResponse:
    """Shares it with one more teammate by name."""
    shown = _as_curator(request, focus_id)
    form = ShareForm(request.POST, focus=shown, by=request.user)
    if not form.is_valid():
        return _page(request, shown, form, status=422)
    change = ShareChangeForm(form.cleaned_data, focus=shown)
    return _shared(request, shown, change)


@require_POST
def share_change(request: UserRequest, focus_id: int) -> HttpResponse:
    """Other rights for somebody, an end of sharing, or the undo of either."""
    shown = _as_curator(request, focus_id)
    return _shared(request, shown, ShareChangeForm(request.POST, focus=shown))


def _shared(request: UserRequest, shown: Focus, form: ShareChangeForm) -> HttpResponse:
    if not form.is_valid():
        messages.error(
            request, " ".join(str(error) for each in form.errors.values() for error in each)
        )
        return redirect("crawler:focus", shown.pk)
    member, rights = form.cleaned_data["member"], form.cleaned_data["rights"]
    done = focus_share(focus=shown, membership=member, rights=rights, by=request.user)
    undo_url = reverse("crawler:focus-share-change", args=[shown.pk])
    tag = "" if "token" in request.POST else undo_tag(undo_url, done.undo_token)
    messages.success(request, done.summary, extra_tags=tag)
    return redirect("crawler:focus", shown.pk)


@require_POST
def duplicate(request: UserRequest, focus_id: int) -> HttpResponse:
    twin = focus_duplicate(focus=_as_curator(request, focus_id), by=request.user)
    messages.success(
        request, f"{isolated(twin)} is made. Nothing you change in it changes the other."
    )
    return redirect("crawler:focus", twin.pk)


@require_safe
def export(request: UserRequest, focus_id: int) -> HttpResponse:
    """The examples as a bookmark file, in folders named after their topics."""
    shown = focus_get(user=request.user, focus_id=focus_id)
    response = HttpResponse(
        netscape_file(_bookmarks(shown)), content_type="text/html; charset=utf-8"
    )
    name = slugify(shown.name) or "focus"
    response["Content-Disposition"] = f'attachment; filename="{name}-bookmarks.html"'
    return response


def _as_curator(request: UserRequest, focus_id: int) -> Focus:
    """For what makes new things or decides about others: being shared with is not enough."""
    shown = focus_get(user=request.user, focus_id=focus_id)
    require_role(user=request.user, team=shown.team, wanted=Role.CURATOR)
    return shown


def _bookmarks(shown: Focus) -> list[Bookmark]:
    examples = shown.pages.examples().only("url", "title", "topic")
    return [Bookmark(page.url, page.title, split_path(page.topic)) for page in examples]
