"""The frontier of a crawl: what is next, what waits, and what was given up."""

from django.http import HttpResponse
from django.views.decorators.http import require_safe

from crawler.forms.queue import QueueForm
from crawler.models import FrontierUrl
from crawler.selectors.crawls import crawl_get
from crawler.selectors.figures import live_state
from crawler.selectors.frontier import upcoming_of
from crawler.selectors.queue import queue_of
from crawler.views.places import crawl_page
from focusadmin.accounts.views import UserRequest


@require_safe
def page(request: UserRequest, crawl_id: int) -> HttpResponse:
    """A screenful of URLs; everything that decides over it stands in the address."""
    crawl = crawl_get(user=request.user, crawl_id=crawl_id)
    form = QueueForm(request.GET)
    after = request.GET.get("after", "")
    below = int(after) if after.isascii() and after.isdigit() and len(after) < 16 else None
    queue = queue_of(crawl, form.wanted, below)
    context = {
        "form": form,
        "live": live_state(crawl),
        "upcoming": [] if below is not None or form.given else upcoming_of(crawl),
        "queue": queue,
        "is_dead": form.wanted.state == FrontierUrl.State.DEAD,
        "is_begun": below is not None,
        "first_query": form.query(),
        "next_query": form.query(after=queue.next) if queue.next is not None else "",
    }
    return crawl_page(request, crawl, "frontier", "crawler/frontier.html", context)
