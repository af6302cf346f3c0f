"""How the tree's page is put together: whole, or in the parts that a script asks for.

The same address gives a whole page to a browser and the workspace of it to htmx, so every form
works without a script: it is sent, and redirects to the tree.
"""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from taxonomy.core.marks import Mark
from taxonomy.selectors.focuses import focuses_of, good_topics_of
from taxonomy.selectors.rows import CHILDREN_SHOWN, marks_of, tree_around, tree_of_matches
from taxonomy.selectors.topics import (
    examples_of,
    subtopics_of,
    web_address,
    words_of_topic,
)
from taxonomy.selectors.trees import lineage, paths_of
from taxonomy.views.places import Place, number_asked, opened_topics

SHOWN_MAX = 5_000
CHIPS_SHOWN = 30


def is_partial(request: UserRequest) -> bool:
    """Whether a script asks for a part of the page."""
    return "HX-Request" in request.headers


def fragment(
    request: UserRequest,
    template: str,
    context: dict[str, Any],
    *,
    into: str,
    swap: str = "outerHTML show:none settle:0ms",
    status: int = 200,
) -> HttpResponse:
    """A part of the page that says itself where it goes; the script keeps the address."""
    response = render(request, template, context, status=status)
    response["HX-Retarget"], response["HX-Reswap"] = into, swap
    response["HX-Push-Url"] = "false"
    return response


def tree_page(request: UserRequest, place: Place, *, form: Any = None) -> HttpResponse:
    """The workspace, or the page around it; a form goes above what the panel shows."""
    if form is not None and is_partial(request):
        return deed_dialog(request, place, form)
    status = 404 if place.missing else _status(form)
    context = workspace(request, place) | {"form": form}
    if is_partial(request):
        part = "taxonomy/_workspace.html"
        return fragment(request, part, context, into="#workspace", status=status)
    context["page_shortcuts"] = "taxonomy/_shortcuts.html"
    return render(request, "taxonomy/tree.html", context, status=status)


def deed_dialog(request: UserRequest, place: Place, form: Any) -> HttpResponse:
    context = {"place": place, "form": form, "in_dialog": True}
    return fragment(
        request,
        "taxonomy/_deed.html",
        context,
        into="#deed",
        swap="innerHTML show:none settle:0ms",
        status=_status(form),
    )


def workspace(request: UserRequest, place: Place) -> dict[str, Any]:
    return {
        **standing(request, place),
        **tree_context(request, place),
        **focus_context(request, place),
        **panel_context(request, place),
    }


def standing(request: UserRequest, place: Place) -> dict[str, Any]:
    team = place.taxonomy.team
    may_edit = has_role(user=request.user, team=team, wanted=Role.CURATOR)
    return {"place": place, "taxonomy": place.taxonomy, "may_edit": may_edit}


def tree_context(request: UserRequest, place: Place) -> dict[str, Any]:
    marks = marks_of(place.focus)
    if place.query:
        found = tree_of_matches(place.taxonomy, place.query, place.topic, marks)
        return {"branch": found.top, "found": found}
    shown = number_asked(request, "shown", default=CHILDREN_SHOWN, most=SHOWN_MAX)
    opened = opened_topics(request)
    return {"branch": tree_around(place.taxonomy, place.topic, marks, opened=opened, limit=shown)}


def focus_context(request: UserRequest, place: Place) -> dict[str, Any]:
    good = good_topics_of(place.focus) if place.focus else []
    paths = paths_of(good[:CHIPS_SHOWN])
    return {
        "focuses": focuses_of(user=request.user, taxonomy=place.taxonomy),
        "good": [(topic, paths[topic.pk]) for topic in good[:CHIPS_SHOWN]],
        "more_good": max(0, len(good) - CHIPS_SHOWN),
    }


def panel_context(request: UserRequest, place: Place) -> dict[str, Any]:
    topic = place.topic
    if not place.has_topic:
        return {"topic": None, "subtopics": subtopics_of(topic)}
    mark = marks_of(place.focus).of(topic)
    steps = _with_paths(place)
    return {
        "topic": topic,
        "lineage": steps,
        "mark": mark.value if mark is not Mark.NULL else "",
        "subtopics": subtopics_of(topic),
        "words": words_of_topic(place.taxonomy, topic, tuple(step.name for step, _ in steps)),
        "examples": examples_of(topic, after=number_asked(request, "after")),
        "start_addresses": [(url, web_address(url)) for url in topic.start_urls],
    }


def _status(form: Any) -> int:
    if form is None or not form.is_bound:
        return int(getattr(form, "status", 200))
    return 422


def _with_paths(place: Place) -> list[tuple[Any, str]]:
    steps = lineage(place.topic)
    paths = paths_of(steps)
    return [(step, paths[step.pk]) for step in steps]
