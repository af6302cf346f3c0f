"""The second step of the guided path: where the examples went, and which topics are good."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe

from crawler.forms.guide import TopicFromExamplesForm
from crawler.views.steps import edited_focus, step_page
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.models import Focus, Topic
from taxonomy.selectors.guide import needs_training, routing_of
from taxonomy.services.focuses import (
    MarkConflictError,
    Marked,
    marks_restore,
    pass_through_set,
    topic_mark_good,
    topic_unmark,
)
from taxonomy.services.new_topics import is_learning, topic_from_pages
from taxonomy.views.pages import is_partial
from taxonomy.views.places import topic_asked

ROUTE = "focus-topics"


@require_safe
def topics(request: UserRequest, focus_id: int) -> HttpResponse:
    return _page(request, edited_focus(request, focus_id))


@require_POST
def mark(request: UserRequest, focus_id: int) -> HttpResponse:
    """Mark good or not, replace by the parent, widen for priority; a conflict gets an offer."""
    focus = edited_focus(request, focus_id)
    topic = topic_asked(focus.taxonomy, request.POST.get("topic", ""))
    deed = _DEEDS.get(request.POST.get("action", ""), _mark)
    try:
        deed(request, focus, topic)
    except MarkConflictError as conflict:
        if conflict.replaceable:
            offer = {"topic": topic, "text": str(conflict)}
            # htmx swaps only 200
            return _page(request, focus, offer=offer, status=200 if is_partial(request) else 409)
        messages.error(request, str(conflict))
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect("crawler:focus-topics", focus.pk)


@require_POST
def restore(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = edited_focus(request, focus_id)
    try:
        marks_restore(focus=focus, token=request.POST.get("token", ""), by=request.user)
        messages.success(request, "The marks are as they were.")
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect("crawler:focus-topics", focus.pk)


@require_POST
def make(request: UserRequest, focus_id: int) -> HttpResponse:
    """A topic of one's own, made of chosen examples and good at once."""
    focus = edited_focus(request, focus_id)
    require_role(user=request.user, team=focus.taxonomy.team, wanted=Role.CURATOR)
    form = TopicFromExamplesForm(request.POST, taxonomy=focus.taxonomy)
    if not form.is_valid():
        return _page(request, focus, form=form, status=422)
    pages = list(focus.pages.examples().filter(pk__in=form.cleaned_data["page"]))
    try:
        topic = topic_from_pages(
            focus=focus,
            parent=form.cleaned_data["to"],
            name=form.cleaned_data["name"],
            pages=pages,
            by=request.user,
        )
    except FocusAdminError as error:
        form.add_error(None, str(error))
        return _page(request, focus, form=form, status=422)
    messages.success(
        request, f"{isolated(topic)} is made of {len(pages)} examples. The model learns it now."
    )
    _try_to_mark(request, focus, topic)
    return redirect("crawler:focus-topics", focus.pk)


def _try_to_mark(request: UserRequest, focus: Focus, topic: Topic) -> None:
    try:
        topic_mark_good(focus=focus, topic=topic, by=request.user)
    except FocusAdminError as error:  # the topic above it is good already, and it with that one
        messages.info(request, str(error))


def _mark(request: UserRequest, focus: Focus, topic: Topic) -> None:
    _tell(request, focus, topic_mark_good(focus=focus, topic=topic, by=request.user))


def _replace(request: UserRequest, focus: Focus, topic: Topic) -> None:
    marked = topic_mark_good(focus=focus, topic=topic, by=request.user, replace=True)
    _tell(request, focus, marked)


def _unmark(request: UserRequest, focus: Focus, topic: Topic) -> None:
    _tell(request, focus, topic_unmark(focus=focus, topic=topic))


def _widen(request: UserRequest, focus: Focus, topic: Topic) -> None:
    messages.success(request, pass_through_set(focus=focus, topic=topic, is_on=True))


def _narrow(request: UserRequest, focus: Focus, topic: Topic) -> None:
    messages.success(request, pass_through_set(focus=focus, topic=topic, is_on=False))


def _tell(request: UserRequest, focus: Focus, marked: Marked) -> None:
    undo_url = reverse("crawler:focus-marks-restore", args=[focus.pk])
    messages.success(request, marked.summary, extra_tags=undo_tag(undo_url, marked.undo_token))


_DEEDS: dict[str, Callable[[UserRequest, Focus, Topic], None]] = {
    "mark": _mark,
    "replace": _replace,
    "unmark": _unmark,
    "widen": _widen,
    "narrow": _narrow,
}


def _page(
    request: UserRequest,
    focus: Focus,
    *,
    offer: dict[str, Any] | None = None,
    form: TopicFromExamplesForm | None = None,
    status: int = 200,
) -> HttpResponse:
    context = {
        "taxonomy": focus.taxonomy,
        "routing": routing_of(focus),
        "offer": offer,
        "form": form or TopicFromExamplesForm(taxonomy=focus.taxonomy),
        "has_no_model": needs_training(focus),
        "is_learning": is_learning(focus),
        "may_make": has_role(user=request.user, team=focus.taxonomy.team, wanted=Role.CURATOR),
    }
    return step_page(request, focus, ROUTE, "crawler/focus_topics.html", context, status=status)
