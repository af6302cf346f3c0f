"""The list of crawls, and what people do with one."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST, require_safe

from crawler.models import Crawl
from crawler.selectors.crawls import crawls_of
from crawler.services.crawls import crawl_discard, crawl_pause, crawl_resume, crawl_stop
from crawler.views.places import steered_crawl
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from focusadmin.lib.text import isolated

STEPS: dict[str, Callable[..., Crawl]] = {
    "pause": crawl_pause,
    "resume": crawl_resume,
    "stop": crawl_stop,
}


@require_safe
def index(request: UserRequest) -> HttpResponse:
    return render(request, "crawler/crawls.html", {"crawls": crawls_of(request.user)})


@require_POST
def step(request: UserRequest, crawl_id: int, verb: str) -> HttpResponse:
    """Pause, resume or stop."""
    steered = steered_crawl(request, crawl_id)
    try:
        after = STEPS[verb](crawl=steered, by=request.user)
        messages.success(request, f"{isolated(after)}: {after.get_state_display().lower()}.")
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect("crawler:crawl", crawl_id)


@require_POST
def discard(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Only with the crawl's name typed, because nothing brings it back."""
    steered = steered_crawl(request, crawl_id)
    if " ".join(request.POST.get("name", "").split()) != steered.name:
        messages.error(request, "Type the name of the crawl to discard it. Nothing was removed.")
        return redirect("crawler:crawl", crawl_id)
    try:
        crawl_discard(crawl=steered)
    except FocusAdminError as error:
        messages.error(request, str(error))
        return redirect("crawler:crawl", crawl_id)
    messages.success(request, f"{isolated(steered)} is discarded.")
    return redirect("crawler:crawls")
