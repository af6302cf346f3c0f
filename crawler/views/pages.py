"""The pages of a crawl: the list with its filters, and each page by itself."""

from django.http import HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe
from django.views.decorators.vary import vary_on_headers

from crawler.forms.pages import PagesForm
from crawler.selectors.crawls import crawl_get
from crawler.selectors.page_filter import place_in
from crawler.selectors.page_list import pages_found
from crawler.selectors.pages import WHOLE_TEXT_SHOWN, page_details
from crawler.selectors.revisits import page_history
from crawler.selectors.surroundings import surroundings, why_there
from crawler.views.judging import judging_of
from crawler.views.places import crawl_page
from focusadmin.accounts.views import UserRequest


@require_safe
def index(request: UserRequest, crawl_id: int) -> HttpResponse:
    """A screenful of pages; everything that decides over it stands in the address."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    form = PagesForm(request.GET, crawl=crawl)
    wanted = form.wanted
    after = place_in(request.GET.get("after", ""), wanted.sort)
    found = pages_found(crawl, wanted, after)
    seen = request.GET.get("seen", "")
    seen_seq = int(seen) if seen.isascii() and seen.isdigit() and len(seen) < 16 else crawl.seq
    context = {
        "form": form,
        "found": found,
        "chips": form.chips,
        "is_begun": after is not None,
        "newer": max(0, crawl.seq - seen_seq) if after else 0,
        "first_query": form.query(),
        "next_query": form.query(after=str(found.next), seen=seen_seq) if found.next else "",
        "has_no_words": bool(form.value("q")) and wanted.words is None,
    }
    return crawl_page(request, crawl, "pages", "crawler/pages.html", context)


@require_safe
@vary_on_headers("HX-Request")
def page(request: UserRequest, crawl_id: int, seq: int) -> HttpResponse:
    """One page of the crawl: in the drawer of the chart, or with an address of its own."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    if request.headers.get("HX-Request"):
        details = page_details(crawl, seq)
        judging = judging_of(request, crawl, details.page)
        part = {"details": details, "crawl": crawl, "judging": judging}
        return render(request, "crawler/_page.html", part)
    details = page_details(crawl, seq, most=WHOLE_TEXT_SHOWN)
    context = {
        "details": details,
        "judging": judging_of(request, crawl, details.page),
        "around": surroundings(crawl, details.page),
        "judgement": why_there(crawl, details.page),
        "visits": page_history(crawl, details.page.number),
        "taxonomy": crawl.focus.taxonomy,
    }
    return crawl_page(request, crawl, "pages", "crawler/page.html", context)
