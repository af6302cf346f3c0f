"""The first page, its status strip, and help."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from crawler.selectors.crawls import crawls_of
from crawler.selectors.focuses import focuses_shown
from crawler.selectors.system import system_status
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role_anywhere
from focusadmin.accounts.views import UserRequest
from focusadmin.targets import demo_port
from taxonomy.selectors.sharing import focuses_shared_with

FOCUSES_SHOWN = 12
CRAWLS_SHOWN = 8


@require_safe
def home(request: UserRequest) -> HttpResponse:
    """What the teams work on, or on the first day two ways to begin."""
    context = {
        "status": system_status(),
        "focuses": focuses_shown(request.user)[:FOCUSES_SHOWN],
        "shared": focuses_shared_with(request.user)[:FOCUSES_SHOWN],
        "crawls": crawls_of(request.user)[:CRAWLS_SHOWN],
        "may_begin": has_role_anywhere(user=request.user, wanted=Role.CURATOR),
        "has_demo": demo_port() is not None,
    }
    return render(request, "crawler/home.html", context)


@require_safe
def status_strip(request: HttpRequest) -> HttpResponse:
    """The fragment that the home page renews by itself."""
    return render(request, "crawler/_status_strip.html", {"status": system_status()})


@require_safe
@login_not_required  # it says how to get a new sign-in link
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "crawler/help.html")
