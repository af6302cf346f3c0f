"""Why the harvest fell or the crawl stopped, what to do about it, and how much is left."""

from dataclasses import replace

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_POST, require_safe

from crawler.core.config import CrawlConfig
from crawler.forms.alarms import EnoughForm
from crawler.selectors.alarms import alarms_of
from crawler.selectors.crawls import crawl_get
from crawler.selectors.diagnosis import ESTIMATE_AT_MOST, diagnosis_of, remaining_in
from crawler.services.crawls import crawl_change
from crawler.services.remedies import crawl_remedy, crawl_remedy_undo
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError


@require_safe
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    wanted = CrawlConfig.from_json(crawl.config).enough_recall
    left = remaining_in(crawl)
    context = {
        "diagnosis": diagnosis_of(crawl, left),
        "left": left,
        "is_too_large": crawl.seq > ESTIMATE_AT_MOST,
        "alarms": alarms_of(request.user).filter(crawl=crawl).order_by("rule"),
        "enough_percent": None if wanted is None else round(100 * wanted),
        "now": timezone.now(),
    }
    return crawl_page(request, crawl, "diagnosis", "crawler/diagnosis.html", context)


@require_POST
def remedy(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Do what a finding proposes; the toast has the way back."""
    crawl = steered_crawl(request, crawl_id)
    kind, values = request.POST.get("kind", ""), request.POST.getlist("value")
    try:
        done = crawl_remedy(crawl=crawl, kind=kind, values=values, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        undo_url = reverse("crawler:diagnosis-undo", args=[crawl_id])
        tag = undo_tag(undo_url, done.undo_token) if done.undo_token else ""
        messages.success(request, done.summary, extra_tags=tag)
    return redirect("crawler:diagnosis", crawl_id)


@require_POST
def undo(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = steered_crawl(request, crawl_id)
    token = request.POST.get("token", "")
    try:
        messages.success(request, crawl_remedy_undo(crawl=crawl, token=token, by=request.user))
    except FocusAdminError as error:
        messages.error(request, str(error))
    return redirect("crawler:diagnosis", crawl_id)


@require_POST
def enough(request: UserRequest, crawl_id: int) -> HttpResponse:
    """When to stop because enough was found."""
    crawl = steered_crawl(request, crawl_id)
    form = EnoughForm(request.POST)
    if form.is_valid():
        config = replace(CrawlConfig.from_json(crawl.config), enough_recall=form.share)
        crawl_change(crawl=crawl, by=request.user, config=config)
        messages.success(request, "The stop rule is saved.")
    else:
        messages.error(request, "Give a share from 10 to 99 %, or nothing to go on to the end.")
    return redirect("crawler:diagnosis", crawl_id)
