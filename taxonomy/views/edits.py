"""Changing a tree: every deed, its undo, and the history."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.forms.registry import DEEDS
from taxonomy.models import TreeEdit
from taxonomy.selectors.history import edit_get, history_of
from taxonomy.selectors.trees import path_of, taxonomy_get
from taxonomy.services.edits import edit_undo
from taxonomy.views.pages import tree_page
from taxonomy.views.places import (
    asked_in_form,
    edited_taxonomy,
    edited_topic,
    number_asked,
    place_at,
    tree_url,
)


@require_POST
def deed(request: UserRequest, slug: str, topic_id: int, key: str) -> HttpResponse:
    """Does what a form asks for, or shows the form with the reason why not."""
    taxonomy, topic = edited_topic(request, slug, topic_id)
    place = place_at(request, taxonomy, asked_in_form(request), topic)
    kind = DEEDS[key]
    if not (place.has_topic or kind.is_for_root):
        raise Http404
    if kind.asks_for and kind.asks_for not in request.POST and request.POST.get("example"):
        chosen = {"example": request.POST.getlist("example")}
        return tree_page(request, place, form=kind(taxonomy=taxonomy, topic=topic, initial=chosen))
    form = kind(request.POST, taxonomy=taxonomy, topic=topic)
    edit = form.attempt(request.user)
    if edit is not None:
        return _done(request, edit)
    if "example" in form.errors or not form.visible_fields():  # nothing to show a reason beside
        messages.error(request, str(next(iter(form.errors.values()))[0]))
        return redirect(place.address)
    return tree_page(request, place, form=form)


@require_POST
def undo(request: UserRequest, slug: str, edit_id: int) -> HttpResponse:
    taxonomy = edited_taxonomy(request, slug)
    edit = edit_get(taxonomy=taxonomy, edit_id=edit_id)
    back = redirect("taxonomy:history", slug=slug) if "history" in request.POST else None
    try:
        undone = edit_undo(edit=edit, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
        return back or _to_topic(request, edit)
    return _done(request, undone, back)


@require_safe
def history(request: UserRequest, slug: str) -> HttpResponse:
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    before = number_asked(request, "before") or None
    context = {
        "taxonomy": taxonomy,
        "page": history_of(taxonomy, before=before),
        "may_edit": has_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR),
    }
    return render(request, "taxonomy/history.html", context)


def _done(request: UserRequest, edit: TreeEdit, back: HttpResponse | None = None) -> HttpResponse:
    undo_url = reverse("taxonomy:edit-undo", args=[edit.taxonomy.slug, edit.pk])
    messages.success(request, f"{edit.summary}.", extra_tags=undo_tag(undo_url, "edit"))
    return back or _to_topic(request, edit)


def _to_topic(request: UserRequest, edit: TreeEdit) -> HttpResponse:
    """Where the edit can be seen; the top of the tree when its topic is gone."""
    taxonomy, topic = edit.taxonomy, edit.topic
    is_there = False
    if topic is not None:
        topic.refresh_from_db()
        is_there = topic.is_under(taxonomy.root)
    path = path_of(topic) if topic is not None and is_there else ""
    asked = asked_in_form(request)
    return redirect(tree_url(taxonomy, path, asked.get("focus", ""), asked.get("q", "")))
