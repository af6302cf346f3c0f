"""The first page, its status strip, and help."""

from django.contrib.auth.decorators import login_not_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from crawler.selectors import system_status


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    return render(request, "crawler/home.html", {"status": system_status()})


@require_safe
def status_strip(request: HttpRequest) -> HttpResponse:
    """The fragment that the home page renews by itself."""
    return render(request, "crawler/_status_strip.html", {"status": system_status()})


@require_safe
@login_not_required  # it says how to get a new sign-in link
def help_page(request: HttpRequest) -> HttpResponse:
    return render(request, "crawler/help.html")
