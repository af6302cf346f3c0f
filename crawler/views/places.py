"""What the pages of one crawl have in common: who may see it, its head and its tabs."""

from dataclasses import dataclass
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse

from crawler.models import Crawl
from crawler.selectors.crawls import crawl_figures, crawl_get
from focusadmin.accounts.core.roles import Role
from focusadmin.accounts.selectors import has_role, require_role
from focusadmin.accounts.views import UserRequest


@dataclass(frozen=True)
class Tab:
    """A page of a crawl: its route below `crawler:`, and what people call it."""

    route: str
    label: str
    is_for_operators: bool = False


TABS = (
    Tab("crawl", "Monitor"),
    Tab("pages", "Pages"),
    Tab("hubs", "Hubs"),
    Tab("sites", "Sites"),
    Tab("map", "Map"),
    Tab("labels", "Label"),
    Tab("crawl-new", "New"),
    Tab("diagnosis", "Diagnosis"),
    Tab("frontier", "Frontier"),
    Tab("questions", "Questions", is_for_operators=True),
    Tab("crawl-settings", "Settings"),
)


def steered_crawl(request: UserRequest, crawl_id: int, wanted: Role = Role.OPERATOR) -> Crawl:
    """The crawl, for somebody who may do this with it."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    require_role(user=request.user, team=crawl.team, wanted=wanted)
    return crawl


def crawl_page(
    request: UserRequest, crawl: Crawl, tab: str, template: str, context: dict[str, Any]
) -> HttpResponse:
    """A page of the crawl under the head that all of them share."""
    may_steer = has_role(user=request.user, team=crawl.team, wanted=Role.OPERATOR)
    frame = {
        "crawl": crawl,
        "figures": crawl_figures(crawl),
        "may_steer": may_steer,
        "tabs": [
            {
                "label": each.label,
                "url": reverse(f"crawler:{each.route}", args=[crawl.pk]),
                "is_current": each.route == tab,
            }
            for each in TABS
            if may_steer or not each.is_for_operators
        ],
    }
    return render(request, template, {**frame, **context})
