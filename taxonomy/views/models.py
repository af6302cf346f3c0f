"""The registry of models: looking, training, comparing, and going back to an older one."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_POST, require_safe
from django.views.decorators.vary import vary_on_headers

from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.forms.models import TrainForm
from taxonomy.models import Taxonomy
from taxonomy.selectors.model_lists import comparison_of, model_page, ready_versions
from taxonomy.selectors.models import current_model, is_held, model_get, training_of
from taxonomy.selectors.trees import taxonomy_get
from taxonomy.services.training import model_use, training_start
from taxonomy.views.pages import fragment, is_partial
from taxonomy.views.places import edited_taxonomy, number_asked


@require_safe
@vary_on_headers("HX-Request")
def registry(request: UserRequest, slug: str) -> HttpResponse:
    """All versions; a script that waits for a training asks for the same address."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    training = training_of(taxonomy)
    if is_partial(request) and training is not None:
        context = {"taxonomy": taxonomy, "training": training}
        return fragment(request, "taxonomy/_training.html", context, into="#training")
    context = _registry(request, taxonomy) | {"training": training}
    if is_partial(request):
        return fragment(request, "taxonomy/_models.html", context, into="#models")
    return render(request, "taxonomy/models.html", context)


@require_POST
def train(request: UserRequest, slug: str) -> HttpResponse:
    """Writes down what is to be trained; a worker takes it up within seconds."""
    taxonomy = edited_taxonomy(request, slug)
    form = TrainForm(request.POST)
    try:
        if not form.is_valid():
            raise FocusAdminError("There is no such kind of model. Choose one of the list.")
        model = training_start(taxonomy=taxonomy, kind=form.cleaned_data["kind"], by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"Version {model.version} is being trained.")
    return redirect("taxonomy:models", slug=slug)


@require_POST
def use(request: UserRequest, slug: str, version: int) -> HttpResponse:
    taxonomy = edited_taxonomy(request, slug)
    before = current_model(taxonomy)
    try:
        model_use(model=model_get(taxonomy=taxonomy, version=version))
    except FocusAdminError as error:
        messages.error(request, str(error))
        return redirect("taxonomy:models", slug=slug)
    tag = ""
    if before is not None and before.version != version:
        tag = undo_tag(reverse("taxonomy:model-use", args=[slug, before.version]), "use")
    messages.success(request, f"Version {version} judges from now on.", extra_tags=tag)
    return redirect("taxonomy:models", slug=slug)


@require_safe
def compare(request: UserRequest, slug: str) -> HttpResponse:
    """Two versions side by side; without a choice, the one in use and the one before it."""
    taxonomy = taxonomy_get(user=request.user, slug=slug)
    versions = ready_versions(taxonomy)
    context: dict[str, Any] = {"taxonomy": taxonomy, "versions": versions}
    if len(versions) > 1:
        newer = number_asked(request, "b") or versions[0].version
        older = number_asked(request, "a") or next(
            (each.version for each in versions if each.version < newer), versions[-1].version
        )
        before = model_get(taxonomy=taxonomy, version=older)
        after = model_get(taxonomy=taxonomy, version=newer)
        context["comparison"] = comparison_of(before, after)
    return render(request, "taxonomy/compare.html", context)


def _registry(request: UserRequest, taxonomy: Taxonomy) -> dict[str, Any]:
    current = current_model(taxonomy)
    return {
        "taxonomy": taxonomy,
        "page": model_page(taxonomy, before=number_asked(request, "before") or None),
        "current": current,
        "is_held": current is not None and is_held(current),
        "form": TrainForm(),
        "may_edit": has_role(user=request.user, team=taxonomy.team, wanted=Role.CURATOR),
    }
