"""The settings of a crawl: seen by all who see the crawl, changed by those who steer it."""

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_http_methods

from crawler.forms.settings import SettingsForm
from crawler.models import Crawl
from crawler.selectors.changes import Preview, change_preview
from crawler.selectors.crawls import crawl_get
from crawler.services.crawls import crawl_change
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated
from taxonomy.selectors.trees import path_of


@require_http_methods(["GET", "HEAD", "POST"])
def settings(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The form; sent once, it shows what would change, and sent with `apply` it is done."""
    if request.method != "POST":
        crawl = crawl_get(user=request.user, crawl_id=crawl_id)
        may_change = has_role(user=request.user, team=crawl.team, wanted=Role.OPERATOR)
        return _page(request, SettingsForm(crawl=crawl, may_change=may_change))
    crawl = steered_crawl(request, crawl_id)
    form = SettingsForm(request.POST, crawl=crawl, may_change=True)
    if not form.is_valid():
        return _page(request, form, status=422)
    if "apply" not in request.POST:
        return _page(request, form, {"preview": _preview(crawl, form), "is_previewed": True})
    return _applied(request, crawl, form)


def _preview(crawl: Crawl, form: SettingsForm) -> Preview:
    paths = {name: [path_of(topic) for topic in form.cleaned_data[name]] for name in _TOPICS}
    return change_preview(crawl, form.config, paths["good"], paths["pass_through"])


_TOPICS = ("good", "pass_through")


def _applied(request: UserRequest, crawl: Crawl, form: SettingsForm) -> HttpResponse:
    changed = {change.label for change in _preview(crawl, form).changes}
    topics = {
        "good": "Good topics" in changed,
        "pass_through": "Pass-through topics" in changed,
    }
    try:
        crawl_change(
            crawl=crawl,
            by=request.user,
            config=form.config,
            **{name: form.cleaned_data[name] for name, is_other in topics.items() if is_other},
        )
    except FocusAdminError as error:
        form.add_error(None, str(error))
        return _page(request, form, status=422)
    told = f"Changed: {', '.join(sorted(changed)).lower()}." if changed else "Nothing to change."
    messages.success(request, f"{isolated(crawl)}. {told}")
    return redirect("crawler:crawl", crawl.pk)


def _page(
    request: UserRequest,
    form: SettingsForm,
    context: dict[str, Any] | None = None,
    status: int = 200,
) -> HttpResponse:
    response = crawl_page(
        request, form.crawl, "crawl-settings", "crawler/settings.html",
        {"form": form, **(context or {})},
    )  # fmt: skip
    response.status_code = status
    return response
