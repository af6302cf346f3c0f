"""Focuses on the tree's page: making one, and marking topics good."""

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.forms.focuses import FocusForm, ReplaceForm
from taxonomy.models import Focus, Topic
from taxonomy.selectors.sharing import focus_edited
from taxonomy.services.focuses import (
    MarkConflictError,
    Marked,
    focus_create,
    marks_restore,
    topic_mark_good,
    topic_unmark,
)
from taxonomy.views.pages import tree_page
from taxonomy.views.places import (
    Place,
    asked_in_form,
    edited_taxonomy,
    place_at,
    topic_asked,
    tree_url,
)


@require_POST
def create(request: UserRequest, slug: str) -> HttpResponse:
    taxonomy = edited_taxonomy(request, slug)
    place = place_at(request, taxonomy, asked_in_form(request))
    form = FocusForm(request.POST, taxonomy=taxonomy)
    if not form.is_valid():
        return tree_page(request, place, form=form)
    focus = focus_create(name=form.cleaned_data["name"], taxonomy=taxonomy, by=request.user)
    messages.success(request, "The focus is made. Mark the topics you want good.")
    return redirect(tree_url(taxonomy, place.path, focus.slug, place.query))


@require_POST
def marks(request: UserRequest, focus_id: int) -> HttpResponse:
    """Mark, unmark, or replace good sub-topics; a conflict is answered with an offer."""
    focus = _edited_focus(request, focus_id)
    place = _place(request, focus)
    topic = topic_asked(focus.taxonomy, request.POST.get("topic", ""))
    try:
        marked = _mark(request, focus, topic)
    except MarkConflictError as conflict:
        if conflict.replaceable:
            form = ReplaceForm(focus=focus, topic=topic, offer=str(conflict))
            return tree_page(request, place, form=form)
        messages.error(request, str(conflict))
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        undo_url = reverse("taxonomy:marks-restore", args=[focus.pk])
        tag = undo_tag(undo_url, marked.undo_token)
        messages.success(request, marked.summary, extra_tags=tag)
    return redirect(place.address)


@require_POST
def restore(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = _edited_focus(request, focus_id)
    try:
        marks_restore(focus=focus, token=request.POST.get("token", ""), by=request.user)
        messages.success(request, "The marks are as they were.")
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect(_place(request, focus).address)


def _mark(request: UserRequest, focus: Focus, topic: Topic) -> Marked:
    action = request.POST.get("action", "mark")
    if action == "unmark":
        return topic_unmark(focus=focus, topic=topic)
    return topic_mark_good(focus=focus, topic=topic, by=request.user, replace=action == "replace")


def _edited_focus(request: UserRequest, focus_id: int) -> Focus:
    return focus_edited(user=request.user, focus_id=focus_id)


def _place(request: UserRequest, focus: Focus) -> Place:
    """Where the person was; the focus is the one that was marked in."""
    asked = asked_in_form(request) | {"focus": focus.slug}
    place = place_at(request, focus.taxonomy, asked)
    return Place(place.taxonomy, place.topic, place.focus, place.query)
