"""The last step of the guided path: settings in plain words, a look ahead, and the start."""

from typing import Any

from django.contrib import messages
from django.db import transaction
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_safe

from crawler.core.frontier import registry
from crawler.forms.start import StartForm, exclusions_in, start_values
from crawler.models import Crawl
from crawler.selectors.start_pages import Upcoming, start_pages, unknown_topics, upcoming
from crawler.services.crawls import CrawlError, crawl_start
from crawler.views.steps import edited_focus, step_page
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.models import Focus
from taxonomy.selectors.focuses import good_topics_of
from taxonomy.selectors.guide import draft_get
from taxonomy.services.drafts import draft_of, draft_remember
from taxonomy.services.focuses import focus_rename, start_urls_set
from taxonomy.services.pages import known_contact

ROUTE = "focus-start"
USUAL = ("soft_focus", "link_context", "hard_focus")  # what most people need; the rest is folded


@require_http_methods(["GET", "HEAD", "POST"])
def start(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = edited_focus(request, focus_id)
    if request.method != "POST":
        return _page(request, focus, StartForm(initial=_values(request, focus)))
    require_role(user=request.user, team=focus.team, wanted=Role.OPERATOR)
    form = StartForm(request.POST)
    typed = {name: request.POST[name] for name in form.fields if name in request.POST}
    draft_remember(draft=draft_of(focus), plan=typed)
    crawl = _started(request, focus, form) if form.is_valid() else None
    if crawl is None:
        return _page(request, focus, form, status=422)
    messages.success(request, "The crawl is queued; it begins within a second or two.")
    return redirect("crawler:crawl", crawl.pk)


@require_safe
def preview(request: UserRequest, focus_id: int) -> HttpResponse:
    """The first URLs for the strategy and the stay-away list in the form."""
    focus = edited_focus(request, focus_id)
    strategy = request.GET.get("strategy", registry.DEFAULT)
    context = _ahead(focus, strategy, request.GET.get("exclusions", ""))
    return render(request, "crawler/_first_pages.html", context)


def _started(request: UserRequest, focus: Focus, form: StartForm) -> Crawl | None:
    """The crawl, or nothing when the form holds the reason why not."""
    data = form.cleaned_data
    try:
        with transaction.atomic():
            focus_rename(focus=focus, name=data["name"])
            if late := unknown_topics(focus):
                raise CrawlError(
                    f"The model is still learning {', '.join(late)}. Try again in a few seconds."
                )
            start_urls_set(focus=focus, urls=[start.url for start in start_pages(focus)])
            return crawl_start(
                focus=focus, by=request.user, config=data["config"], contact=data["contact"]
            )
    except FocusAdminError as error:
        form.add_error(None, str(error))
        return None


def _values(request: UserRequest, focus: Focus) -> dict[str, Any]:
    urls = [start.url for start in start_pages(focus)]
    topics = [topic.shown for topic in good_topics_of(focus)]
    return start_values(focus, draft_get(focus), known_contact(request.user, urls), topics)


def _page(
    request: UserRequest, focus: Focus, form: StartForm, *, status: int = 200
) -> HttpResponse:
    strategy, exclusions = form["strategy"].value(), form["exclusions"].value() or ""
    context = {
        "form": form,
        "usual": [registry.entry(key) for key in USUAL],
        "others": [registry.entry(key) for key in registry.KEYS if key not in USUAL],
        "is_other": strategy not in USUAL,
        "strategy": strategy,
        "good": good_topics_of(focus),
        "may_start": has_role(user=request.user, team=focus.team, wanted=Role.OPERATOR),
        **_ahead(focus, strategy, exclusions),
    }
    return step_page(request, focus, ROUTE, "crawler/focus_start.html", context, status=status)


def _ahead(focus: Focus, strategy: str, exclusions: str) -> dict[str, Any]:
    """The look ahead, or why there is none."""
    try:
        ahead: list[Upcoming] = upcoming(focus, strategy, exclusions_in(exclusions))
    except FocusAdminError as error:
        return {"focus": focus, "upcoming": [], "upcoming_problem": str(error)}
    return {"focus": focus, "upcoming": ahead}
