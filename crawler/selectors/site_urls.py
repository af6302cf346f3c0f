"""The URLs of a site that wait."""

from django.db.models import QuerySet

from crawler.models import Crawl, CrawlHost, FrontierUrl


def _waiting(crawl: Crawl, site: str) -> QuerySet[FrontierUrl]:
    hosts = CrawlHost.objects.filter(crawl=crawl, site=site).values_list("number", flat=True)
    waiting = FrontierUrl.State.WAITING
    return FrontierUrl.objects.filter(crawl=crawl, host__in=list(hosts), state=waiting)


def waiting_count(crawl: Crawl, site: str) -> int:
    return _waiting(crawl, site).count()


def waiting_numbers(crawl: Crawl, site: str, most: int) -> list[int]:
    """The best of them as the strategy ranks them."""
    best = _waiting(crawl, site).order_by("-priority", "number")
    return list(best.values_list("number", flat=True)[:most])
