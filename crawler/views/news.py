"""What is new on somebody's topics: the list, what is seen, rounds of revisits, and letters."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_not_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from crawler.forms.news import NewsForm
from crawler.models import Crawl, NewsDigest, NewsFeed
from crawler.selectors.crawls import crawl_get
from crawler.selectors.news import news_found, unseen_count
from crawler.selectors.revisits import revisit_state
from crawler.services.digests import digest_by_token, digest_off, digest_set
from crawler.services.news import news_mark_seen, news_mark_undo
from crawler.services.revisits import revisit_round_start
from crawler.views.places import crawl_page, steered_crawl
from focusadmin.accounts.core.toasts import undo_tag
from focusadmin.accounts.views import UserRequest
from focusadmin.lib.errors import FocusAdminError
from taxonomy.models import Focus
from taxonomy.selectors.focuses import focus_get


@require_safe
def index(request: UserRequest) -> HttpResponse:
    """Of all crawls that the person sees; with a focus chosen, its feed and its letters, too."""
    form = NewsForm(request.GET, user=request.user)
    focus = form.wanted.focus
    context = {**_listed(request, form), "focus": focus}
    if focus is not None:
        context |= ways_of(request, focus=focus)
    return render(request, "crawler/new.html", context)


@require_safe
def of_crawl(request: UserRequest, crawl_id: int) -> HttpResponse:
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    form = NewsForm(request.GET, user=request.user, crawl=crawl)
    context = {
        **_listed(request, form, crawl),
        **ways_of(request, crawl=crawl),
        "focus": crawl.focus,
        "revisits": revisit_state(crawl),
        "is_finished": crawl.state == Crawl.State.FINISHED,
    }
    return crawl_page(request, crawl, "crawl-new", "crawler/crawl_new.html", context)


def _listed(request: UserRequest, form: NewsForm, crawl: Crawl | None = None) -> dict[str, Any]:
    wanted = form.wanted
    found = news_found(request.user, wanted)
    return {
        "form": form,
        "found": found,
        "unseen": unseen_count(request.user, crawl),
        "with_seen": wanted.with_seen,
        "is_begun": wanted.below is not None,
        "first_query": form.query(),
        "next_query": form.query(below=found.next_below) if found.next_below else "",
    }


def ways_of(
    request: UserRequest, focus: Focus | None = None, crawl: Crawl | None = None
) -> dict[str, Any]:
    """By which ways the person gets the news."""
    about = focus or (crawl.focus if crawl else None)
    return {
        "feed": NewsFeed.objects.filter(user=request.user, focus=focus, crawl=crawl).first(),
        "digest": NewsDigest.objects.filter(user=request.user, focus=about).first(),
        "digest_choices": NewsDigest.Every.choices,
    }


@require_POST
def seen(request: UserRequest) -> HttpResponse:
    """Everything up to the newest item that the person had on the screen, or its undoing."""
    given, crawl = request.POST.get("upto", request.POST.get("token", "")), _crawl_named(request)
    crawl_part, _, upto = given.rpartition("/")
    if crawl is None and _is_number(crawl_part):
        crawl = crawl_get(user=request.user, crawl_id=int(crawl_part))
    back = reverse("crawler:crawl-new", args=[crawl.pk]) if crawl else reverse("crawler:new")
    if not _is_number(upto):
        messages.error(request, "Nothing was marked: the page was not whole. Load it again.")
    elif "token" in request.POST:
        news_mark_undo(user=request.user, upto=int(upto), crawl=crawl)
        messages.success(request, "Undone: they are unseen again.")
    else:
        news_mark_seen(user=request.user, upto=int(upto), crawl=crawl)
        token = f"{crawl.pk}/{upto}" if crawl else upto
        tag = undo_tag(reverse("crawler:news-seen"), token)
        messages.success(request, "All of it is marked as seen.", extra_tags=tag)
    return redirect(back)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) < 19


def _crawl_named(request: UserRequest) -> Crawl | None:
    given = request.POST.get("crawl", "")
    return crawl_get(user=request.user, crawl_id=int(given)) if _is_number(given) else None


@require_POST
def revisit(request: UserRequest, crawl_id: int) -> HttpResponse:
    """A round over the best pages of a crawl that has ended."""
    crawl = steered_crawl(request, crawl_id)
    try:
        made = revisit_round_start(crawl=crawl, by=request.user)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        messages.success(request, f"A revisit round begins: {made} pages are visited again.")
    return redirect("crawler:crawl-new", crawl_id)


@require_POST
def digest(request: UserRequest, focus_id: int) -> HttpResponse:
    focus = focus_get(user=request.user, focus_id=focus_id)
    every = request.POST.get("every", "")
    root = request.build_absolute_uri("/")
    try:
        made = digest_set(user=request.user, focus=focus, every=every, base_url=root)
    except FocusAdminError as error:
        messages.error(request, str(error))
    else:
        told = f"By e-mail: {made.get_every_display().lower()}." if made else "No e-mail any more."
        messages.success(request, told)
    return redirect(f"{reverse('crawler:new')}?focus={focus_id}")


@csrf_exempt  # mail programs send it without having seen a page; the token is what allows it
@login_not_required
@require_http_methods(["GET", "HEAD", "POST"])
def digest_end(request: HttpRequest, token: str) -> HttpResponse:
    """Looking at the address changes nothing; pressing the button, or one click in mail, does."""
    found = digest_by_token(token)
    if found is None and request.method != "POST":
        raise Http404
    if request.method == "POST" and found is not None:
        digest_off(found)
    is_off = request.method == "POST"
    return render(request, "crawler/digest_off.html", {"digest": found, "is_off": is_off})
