"""What a crawl has seen and not fetched, as a list: the latest found first, a screenful at a time.

The order in which URLs will be fetched is known to the engine alone, which holds the frontier in
memory (docs/decisions/0012); it tells the next twenty. The table is in order of discovery, so a
place in the list is the number of its last URL and stays valid while the crawl grows. Nothing is
counted, and no request reads longer than its time allows.
"""

import time
from dataclasses import dataclass

from django.db.models import Q

from crawler.models import Crawl, CrawlHost, FrontierUrl
from crawler.selectors.frontier import Waiting, waiting_of

SHOWN = 50
SECONDS = 0.2
_WINDOW = 20_000
_HOSTS_MOST = 500


@dataclass(frozen=True)
class QueueFilter:
    """What is wanted; the fields are those of the address."""

    state: int = FrontierUrl.State.WAITING
    host: str = ""  # a part of its name
    words: str = ""  # a part of the URL


@dataclass(frozen=True)
class Queue:
    urls: list[Waiting]
    next: int | None  # the place to go on behind; None: there are no more
    is_unfinished: bool  # the time was up before the page was full


def queue_of(
    crawl: Crawl, wanted: QueueFilter, below: int | None = None, *, seconds: float = SECONDS
) -> Queue:
    """The next screenful of URLs whose number is below a place."""
    until = time.monotonic() + seconds
    urls = FrontierUrl.objects.filter(_conditions(crawl, wanted), crawl=crawl).order_by("-number")
    top = _last_number(crawl) + 1 if below is None else below
    found: list[FrontierUrl] = []
    while top > 0 and len(found) <= SHOWN:
        if found and time.monotonic() > until:
            break
        bottom = max(0, top - _WINDOW)
        found += urls.filter(number__gte=bottom, number__lt=top)[: SHOWN + 1 - len(found)]
        top = bottom
        if time.monotonic() > until:
            break
    shown = waiting_of(crawl, found[:SHOWN])
    if len(found) > SHOWN:
        return Queue(shown, found[SHOWN - 1].number, is_unfinished=False)
    return Queue(shown, top or None, is_unfinished=top > 0)


def _conditions(crawl: Crawl, wanted: QueueFilter) -> Q:
    found = Q(state=wanted.state)
    if wanted.words:
        found &= Q(url__icontains=wanted.words)
    if wanted.host:
        hosts = CrawlHost.objects.filter(crawl=crawl, host__icontains=wanted.host)
        found &= Q(host__in=list(hosts.values_list("number", flat=True)[:_HOSTS_MOST]))
    return found


def _last_number(crawl: Crawl) -> int:
    last = FrontierUrl.objects.filter(crawl=crawl).order_by("-number")
    return last.values_list("number", flat=True).first() or 0
