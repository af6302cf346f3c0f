"""How well the model of a tree judges."""

from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from taxonomy.selectors.example_checks import example_checks
from taxonomy.selectors.models import current_model, training_of
from taxonomy.selectors.quality import limits, quality_of
from taxonomy.selectors.trees import taxonomy_get
from taxonomy.views.pages import fragment, is_partial


@require_safe
@vary_on_headers("HX-Request")
def quality(request: UserRequest, slug: str) -> HttpResponse:
    """The page; comparing the examples takes a second, so a script asks for that part later."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    context: dict[str, Any] = {"taxonomy": taxonomy}
    if "examples" in request.GET or is_partial(request):
        context["checks"] = example_checks(taxonomy)
    if is_partial(request):
        return fragment(request, "taxonomy/_example_checks.html", context, into="#example-checks")
    model = current_model(taxonomy)
    context |= {
        "quality": quality_of(model) if model is not None else None,
        "training": training_of(taxonomy),
        "may_edit": has_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR),
        **limits(),
    }
    return render(request, "taxonomy/quality.html", context)
