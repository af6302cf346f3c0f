"""The page of a focus: what it wants, what it was made of, and the crawls that followed it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_POST, require_safe

from crawler.selectors.focuses import crawls_of_focus
from crawler.views.steps import edited_focus, unfinished_step
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role, team_members
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.text import isolated
from taxonomy.core.bookmarks.types import Bookmark
from taxonomy.core.bookmarks.writing import netscape_file
from taxonomy.core.tree import split_path
from taxonomy.models import Focus
from taxonomy.selectors.focuses import focus_get
from taxonomy.selectors.guide import examples_by_source, focus_topics
from taxonomy.services.focuses import focus_duplicate


@require_safe
def focus(request: UserRequest, focus_id: int) -> HttpResponse:
    shown = focus_get(user=request.user, focus_id=focus_id)
    good, passing = focus_topics(shown)
    context: dict[str, Any] = {
        "focus": shown,
        "taxonomy": shown.taxonomy,
        "good": good,
        "pass_through": passing,
        "sources": examples_by_source(shown),
        "crawls": crawls_of_focus(request.user, shown),
        "members": team_members(team=shown.team),
        "may_edit": has_role(user=request.user, team=shown.team, wanted=Role.CURATOR),
        "next_step": {
            "label": unfinished_step(shown).label,
            "url": unfinished_step(shown).url(shown),
        },
    }
    return render(request, "crawler/focus.html", context)


@require_POST
def duplicate(request: UserRequest, focus_id: int) -> HttpResponse:
    twin = focus_duplicate(focus=edited_focus(request, focus_id), by=request.user)
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


def _bookmarks(shown: Focus) -> list[Bookmark]:
    examples = shown.pages.examples().only("url", "title", "topic")
    return [Bookmark(page.url, page.title, split_path(page.topic)) for page in examples]
