"""Stop a crawl when surely enough was found."""

from crawler.core.config import CrawlConfig
from crawler.core.remaining import Remaining
from crawler.models import AlarmWatch, Crawl
from crawler.selectors.diagnosis import remaining_in
from crawler.services.crawls import crawl_stop

GROWTH, LEAST_NEW = 0.1, 50  # pages since the last estimate before the next


def crawls_stop_enough() -> None:
    """Look at the crawls that have the rule, each when it has grown by a tenth."""
    for crawl in Crawl.objects.filter(state=Crawl.State.RUNNING, round_until=None).order_by("pk"):
        crawl_stop_if_enough(crawl=crawl)


def crawl_stop_if_enough(*, crawl: Crawl) -> None:
    """By the low end of the estimate: what is likely enough may be too little."""
    wanted = CrawlConfig.from_json(crawl.config).enough_recall
    if wanted is None:
        return
    watch, _ = AlarmWatch.objects.get_or_create(crawl=crawl)
    if crawl.seq < watch.estimated_seq * (1 + GROWTH) + LEAST_NEW:
        return
    AlarmWatch.objects.filter(pk=watch.pk).update(estimated_seq=crawl.seq)
    left = remaining_in(crawl)
    if left is not None and left.recall.low >= wanted:
        crawl_stop(crawl=crawl, reason=_why(left, wanted))


def _why(left: Remaining, wanted: float) -> str:
    return (
        f"enough found: {left.found:,} relevant pages, at least {left.recall.low:.0%} of all that "
        f"can be reached (about {left.total.value:,.0f}, at most {left.total.high:,.0f}); "
        f"{wanted:.0%} were wanted"
    )
