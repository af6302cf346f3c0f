"""Looking at trees: the list of them, one tree, and the parts of it that come later."""

from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from focusadmin.accounts.views import UserRequest
from taxonomy.forms.focuses import FocusForm
from taxonomy.forms.registry import DEEDS
from taxonomy.selectors.rows import branch_of, marks_of
from taxonomy.selectors.search import suggestions
from taxonomy.selectors.trees import paths_of, taxonomies_of, taxonomy_get, topic_get
from taxonomy.views.pages import (
    deed_dialog,
    fragment,
    is_partial,
    panel_context,
    standing,
    tree_context,
    tree_page,
)
from taxonomy.views.places import (
    QUERY_MAX,
    Place,
    edited_taxonomy,
    focus_asked,
    number_asked,
    place_at,
)

NEW_FOCUS = "focus"


@require_safe
def index(request: UserRequest) -> HttpResponse:
    return render(request, "taxonomy/index.html", {"taxonomies": taxonomies_of(request.user)})


@require_safe
@vary_on_headers("HX-Request", "HX-Target")
def tree(request: UserRequest, slug: str) -> HttpResponse:
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    place = place_at(request, taxonomy, request.GET.dict())
    if request.headers.get("HX-Target") == "topic-tree":
        context = standing(request, place) | tree_context(request, place)
        return fragment(request, "taxonomy/_tree.html", context, into="#topic-tree")
    return tree_page(request, place, form=_form_asked(request, place))


@require_safe
def branch(request: UserRequest, slug: str, topic_id: int) -> HttpResponse:
    """One page of the children of a topic; no request in the context, it needs nothing of it."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    parent = topic_get(taxonomy=taxonomy, topic_id=topic_id)
    place = Place(
        taxonomy,
        taxonomy.root,
        focus_asked(request, taxonomy, request.GET.get("focus", "")),
        request.GET.get("q", "")[:QUERY_MAX],
    )
    rows = branch_of(parent, marks=marks_of(place.focus), offset=number_asked(request, "offset"))
    context = standing(request, place) | {"branch": rows}
    return HttpResponse(render_to_string("taxonomy/_branch.html", context))


@require_safe
@vary_on_headers("HX-Request")
def topic(request: UserRequest, slug: str, topic_id: int) -> HttpResponse:
    """The panel of a topic, or with `do` the form of a deed."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    chosen = topic_get(taxonomy=taxonomy, topic_id=topic_id)
    place = place_at(request, taxonomy, request.GET.dict(), chosen)
    if not is_partial(request):
        return redirect(place.address)
    if (form := _form_asked(request, place)) is not None:
        return deed_dialog(request, place, form)
    context = standing(request, place) | panel_context(request, place)
    return fragment(request, "taxonomy/_panel.html", context, into="#topic-panel")


@require_safe
def suggest(request: UserRequest, slug: str) -> HttpResponse:
    """Options for fields that take a topic."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    without = number_asked(request, "without")
    inside = topic_get(taxonomy=taxonomy, topic_id=without) if without else None
    found = suggestions(taxonomy, request.GET.get("q", "")[:QUERY_MAX], without=inside)
    paths = paths_of(found)
    context = {
        "options": [(topic, paths[topic.pk]) for topic in found],
        "has_top": "top" in request.GET and not request.GET.get("q", "").strip(" /"),
    }
    return HttpResponse(render_to_string("taxonomy/_options.html", context))


def _form_asked(request: UserRequest, place: Place) -> object:
    """The form that `?do=` asks for: how forms open without a script."""
    wanted = request.GET.get("do", "")
    kind = DEEDS.get(wanted)
    if (kind is None and wanted != NEW_FOCUS) or place.missing:
        return None
    edited_taxonomy(request, place.taxonomy.slug)
    if kind is None:
        return FocusForm(taxonomy=place.taxonomy)
    if not (place.has_topic or kind.is_for_root):
        return None
    return kind(taxonomy=place.taxonomy, topic=place.topic)
