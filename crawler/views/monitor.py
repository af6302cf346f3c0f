"""The live page of a crawl, and what its script asks for."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.conf import settings
from django.http import HttpResponse, HttpResponseBadRequest, JsonResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from crawler.core.harvest import RELEVANT_FROM
from crawler.core.outcome_kinds import kind_of
from crawler.core.series import Stretch
from crawler.live import event_frame, look_at
from crawler.selectors.crawls import crawl_get
from crawler.selectors.figures import event_values, live_state
from crawler.selectors.frontier import explained, upcoming_of
from crawler.selectors.monitor import (
    DOTS,
    Point,
    View,
    events_of,
    overview,
    pages_between,
    reference_of,
    view_of,
)
from crawler.selectors.pages import page_details
from crawler.views.judging import judging_of
from crawler.views.places import crawl_page
from focusadmin.accounts.views import UserRequest

LATEST_ROWS = 20
LIST_MOST = 500

# Plotly's WebGL compiles its drawing commands with `Function`. This page alone allows it, and takes
# no crawled text into anything that is compiled: docs/decisions/0014.
CHART_POLICY = settings.CONTENT_SECURITY_POLICY.replace(
    "script-src 'self'", "script-src 'self' 'unsafe-eval'"
)


@require_safe
def monitor(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    context = {
        "live": live_state(crawl),
        "latest": pages_between(crawl.pk, crawl.seq - LATEST_ROWS + 1, crawl.seq)[::-1],
        "events": events_of(crawl.pk)[::-1],
        "reference": reference_of(crawl),
        "threshold": RELEVANT_FROM,
    }
    response = crawl_page(request, crawl, "crawl", "crawler/crawl.html", context)
    response.headers["Content-Security-Policy"] = CHART_POLICY
    return response


@require_safe
def opening(request: UserRequest, crawl_id: int) -> JsonResponse:
    """What the chart begins with: the latest pages, the whole crawl in small, flags, reference."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    reference = reference_of(crawl)
    return JsonResponse(
        {
            "seq": crawl.seq,
            "view": _view_values(view_of(crawl, crawl.seq - DOTS + 1, crawl.seq)),
            "map": _stretch_values(overview(crawl)),
            "events": [event_values(event) for event in events_of(crawl.pk)],
            "reference": reference and {"pages": reference.pages, "averages": reference.averages},
            "threshold": RELEVANT_FROM,
            "dots": DOTS,
        }
    )


@require_safe
def view(request: UserRequest, crawl_id: int) -> HttpResponse:
    """Another part of the crawl, from page `first` to page `last`."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    asked = _numbers(request, "first", "last")
    if asked is None:
        return HttpResponseBadRequest("first and last must be page numbers.")
    return JsonResponse(_view_values(view_of(crawl, *asked)))


@require_safe
def points(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The frames of the websocket for those who ask again and again instead."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    asked = _numbers(request, "after", "event")
    if asked is None:
        return HttpResponseBadRequest("after and event must be numbers.")
    after, event_id = asked
    look = look_at(crawl.pk, after, with_state=True)
    frames = [look.batch.text] if look.batch else []
    frames += [event_frame(event) for event in look.events if event["id"] > event_id]
    text = ",".join([*frames, look.state or ""])
    return HttpResponse(f'{{"frames":[{text}]}}', content_type="application/json")


@require_safe
@vary_on_headers("HX-Request")
def page(request: UserRequest, crawl_id: int, seq: int) -> HttpResponse:
    """One page of the crawl: in the drawer of the chart, or with an address of its own."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    details = page_details(crawl, seq)
    judging = judging_of(request, crawl, details.page)
    context = {"details": details, "crawl": crawl, "judging": judging}
    if request.headers.get("HX-Request"):
        return render(request, "crawler/_page.html", context)
    return crawl_page(request, crawl, "crawl", "crawler/page.html", context)


@require_safe
@vary_on_headers("HX-Request")
def stretch(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The pages of a part of the chart, as a list."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    asked = _numbers(request, "first", "last")
    if asked is None:
        return HttpResponseBadRequest("first and last must be page numbers.")
    first, last = asked
    shown = pages_between(crawl.pk, first, min(last, first + LIST_MOST - 1))
    context = {"crawl": crawl, "pages": shown, "first": first, "last": last, "most": LIST_MOST}
    if request.headers.get("HX-Request"):
        return render(request, "crawler/_page_list.html", context)
    return crawl_page(request, crawl, "crawl", "crawler/stretch.html", context)


@require_safe
def upcoming(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The fragment with the URLs that are next."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    return render(
        request, "crawler/_upcoming.html", {"crawl": crawl, "upcoming": upcoming_of(crawl)}
    )


@require_safe
def rank(request: UserRequest, crawl_id: int, number: int) -> HttpResponse:
    """The fragment that explains the rank of a waiting URL."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    return render(request, "crawler/_rank.html", {"crawl": crawl, "rank": explained(crawl, number)})


def _numbers(request: UserRequest, *names: str) -> list[int] | None:
    """Whole numbers from 0 of the address; None if one is missing or something else."""
    given = [request.GET.get(name, "") for name in names]
    if not all(text.isascii() and text.isdigit() and len(text) < 19 for text in given):
        return None
    return [int(text) for text in given]


def _view_values(view: View) -> dict[str, Any]:
    return {
        "first": view.first,
        "last": view.last,
        "points": _point_columns(view.points),
        "lead": view.lead,
        "steps": _stretch_values(view.stretches),
    }


def _point_columns(points: Sequence[Point]) -> dict[str, list[Any]]:
    """By column: half as long, and what the chart takes."""
    return {
        "seq": [point.seq for point in points],
        "t": [point.t for point in points],
        "relevance": [point.relevance for point in points],
        "kind": [kind_of(point.outcome) for point in points],
        "title": [point.title for point in points],
        "site": [point.site for point in points],
    }


def _stretch_values(stretches: Sequence[Stretch]) -> list[dict[str, Any]]:
    return [{**asdict(each), "mean": each.mean and round(each.mean, 4)} for each in stretches]
