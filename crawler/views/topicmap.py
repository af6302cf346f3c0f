"""How the topics of a crawl cite each other, and how its authorities lie and rose."""

from typing import Any
from urllib.parse import urlencode

from django.http import Http404, HttpResponse
from django.urls import reverse
from django.views.decorators.http import require_safe

from crawler.core import mapdrawing
from crawler.core.topicmap import depth_of
from crawler.forms.topicmap import depth_asked, pair_asked
from crawler.models import Crawl, CrawlSurvey
from crawler.selectors.crawls import crawl_get
from crawler.selectors.survey import (
    authorities,
    communities,
    depths_of,
    good_topics,
    survey_of,
    topic_map,
)
from crawler.selectors.topicmatrix import citations_told, matrix_of
from crawler.selectors.topicpairs import topic_pairs
from crawler.views.judging import may_judge
from crawler.views.places import crawl_page
from focusadmin.accounts.views import UserRequest

DRAWN = 24  # citations in the graph
LISTED = 25


@require_safe
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The map as it was counted with the latest distillation."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    survey = survey_of(crawl)
    context: dict[str, Any] = {"survey": survey, "may_judge": may_judge(request, crawl)}
    if survey and depths_of(survey):
        context |= _of_topics(request, crawl, survey) | _of_authorities(survey)
    return crawl_page(request, crawl, "map", "crawler/map.html", context)


def _of_topics(request: UserRequest, crawl: Crawl, survey: CrawlSurvey) -> dict[str, Any]:
    depths = depths_of(survey)
    depth = depth_asked(request.GET.get("depth", ""), depths)
    made = topic_map(survey, depth)
    topic = request.GET.get("topic", "")
    topic = topic if topic in made.counted.topics else ""
    found = citations_told(made, topic)
    most = len(found) if request.GET.get("all") == "1" else LISTED
    return {
        "depths": depths,
        "depth": depth,
        "topic": topic,
        "map": made,
        "own": made.of_good(good_topics(crawl)),
        "matrix": matrix_of(made),
        "drawn": DRAWN,
        "drawing": mapdrawing.drawn(made.more[:DRAWN]),
        "listed": found[:most],
        "unlisted": max(0, len(found) - most),
        "communities": communities(survey, depth),
    }


def _of_authorities(survey: CrawlSurvey) -> dict[str, Any]:
    told = authorities(survey)
    counts = [
        ("no way" if each.links is None else str(each.links), each.authorities)
        for each in told.distances
    ]
    return {
        "authorities": told,
        "bars": mapdrawing.bars(counts),
        "bars_width": mapdrawing.BARS_WIDTH,
        "bars_height": mapdrawing.BARS_HEIGHT,
        "bars_floor": mapdrawing.BARS_HEIGHT - mapdrawing.BARS_FOOT,
    }


@require_safe
def pairs(request: UserRequest, crawl_id: int) -> HttpResponse:
    """The links that one cell of the map counts."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    survey = survey_of(crawl)
    source, target = request.GET.get("from", ""), request.GET.get("to", "")
    if not source.startswith("/") or not target.startswith("/"):
        raise Http404("no such cell")
    after = pair_asked(request.GET.get("after", ""))
    up_to = survey.seq if survey else crawl.seq
    found = topic_pairs(crawl, source=source, target=target, up_to=up_to, after=after)
    asked = {"from": source, "to": target}
    last = "-".join(map(str, found.next)) if found.next else ""
    context = {
        "up_to": up_to,
        "source": source,
        "target": target,
        "found": found,
        "is_begun": after != (0, 0),
        "first_query": urlencode(asked),
        "next_query": urlencode({**asked, "after": last}) if last else "",
        "map_url": f"{reverse('crawler:map', args=[crawl_id])}?depth={depth_of(source)}",
    }
    return crawl_page(request, crawl, "map", "crawler/map_pairs.html", context)
