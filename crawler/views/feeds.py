"""The news for feed readers, at an address that is a secret of its owner."""

import hashlib
from collections.abc import Callable

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.cache import get_conditional_response
from django.utils.http import http_date
from django.views.decorators.http import require_POST, require_safe

from crawler.core.feeds import Entry, Feed, atom, rss
from crawler.models import Crawl, NewsFeed, NewsItem
from crawler.selectors.crawls import crawl_get
from crawler.selectors.news import NewsFilter, ShownNews, news_found
from crawler.services.feeds import feed_renew, feed_revoke, token_hash
from focusadmin.accounts.views import UserRequest
from taxonomy.models import Focus
from taxonomy.selectors.focuses import focus_get

FORMATS: dict[str, tuple[str, Callable[[Feed], bytes]]] = {
    "atom": ("application/atom+xml; charset=utf-8", atom),
    "rss": ("application/rss+xml; charset=utf-8", rss),
}


@require_POST
def of_focus(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = focus_get(user=request.user, focus_id=focus_id)
    back = f"{reverse('crawler:new')}?focus={focus_id}"
    return _made(request, back, focus=focus)


@require_POST
def of_crawl(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    return _made(request, reverse("crawler:crawl-new", args=[crawl_id]), crawl=crawl)


def _made(
    request: UserRequest, back: str, focus: Focus | None = None, crawl: Crawl | None = None
) -> HttpResponse:
    """The address is shown in this one answer and never again."""
    if request.POST.get("do") == "revoke":
        feed_revoke(user=request.user, focus=focus, crawl=crawl)
        messages.success(request, "The feed's address does not work any more.")
        return redirect(back)
    token = feed_renew(user=request.user, focus=focus, crawl=crawl)
    urls = {
        name: request.build_absolute_uri(reverse("crawler:feed", args=[token, name]))
        for name in FORMATS
    }
    context = {"urls": urls, "back": back, "about": focus or crawl}
    return render(request, "crawler/feed_made.html", context)


@login_not_required  # the token says whose it is; what that person may see is asked each time
@require_safe
def feed(request: HttpRequest, token: str, kind: str) -> HttpResponseBase:
    found = NewsFeed.objects.filter(token_hash=token_hash(token), user__is_active=True)
    mine = found.select_related("user", "focus", "crawl").first()
    if mine is None or kind not in FORMATS or not _is_visible(mine):
        raise Http404
    content_type, write = FORMATS[kind]
    made = _feed(request, mine)
    body = write(made)
    etag = f'"{hashlib.sha256(body).hexdigest()[:32]}"'
    changed_at = int(made.updated.timestamp())
    answer = HttpResponse(body, content_type=content_type)
    response = get_conditional_response(request, etag, changed_at, answer) or answer
    response["ETag"] = etag
    response["Last-Modified"] = http_date(changed_at)
    response["Cache-Control"] = "private, no-cache"
    return response


def _is_visible(mine: NewsFeed) -> bool:
    if mine.focus_id is not None:
        return Focus.objects.visible_to(mine.user).filter(pk=mine.focus_id).exists()
    return Crawl.objects.visible_to(mine.user).filter(pk=mine.crawl_id or 0).exists()


def _feed(request: HttpRequest, mine: NewsFeed) -> Feed:
    wanted = NewsFilter(crawl=mine.crawl, focus=mine.focus, with_seen=True)
    shown = news_found(mine.user, wanted).shown
    host = request.get_host().partition(":")[0]
    page = reverse("crawler:new")
    if mine.crawl_id is not None:
        page = reverse("crawler:crawl-new", args=[mine.crawl_id])
    return Feed(
        id=f"tag:{host},2026:feed-{mine.pk}",
        title=f"New on {mine.focus or mine.crawl}",
        href=request.build_absolute_uri(page),
        updated=shown[0].item.at if shown else mine.created_at,
        entries=[_entry(one, host) for one in shown],
    )


def _entry(one: ShownNews, host: str) -> Entry:
    item, page = one.item, one.page
    words = [item.get_kind_display(), page.site, f"relevance {page.relevance or 0.0:.2f}"]
    if item.kind == NewsItem.Kind.LINKS:
        words.append("links to " + ", ".join(link.href for link in one.links))
    return Entry(
        id=f"tag:{host},2026:news-{item.pk}",
        title=f"{item.get_kind_display()}: {page.title or page.url}",
        href=one.address.href if one.address else None,
        at=item.at,
        summary=" · ".join(words),
    )
