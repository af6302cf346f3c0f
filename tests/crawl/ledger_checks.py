"""What must hold of a crawl's tables whenever one looks."""

from collections import Counter

from crawler.core.ports import OK
from crawler.models import Crawl, FrontierUrl, Page, PageBody

State = FrontierUrl.State


def committed_urls(crawl: Crawl) -> set[str]:
    return set(Page.objects.filter(crawl=crawl).values_list("url", flat=True))


def assert_consistent(crawl: Crawl) -> None:
    """Pages, bodies, frontier and the crawl's own figures tell the same story."""
    crawl.refresh_from_db()
    pages = list(Page.objects.filter(crawl=crawl).order_by("seq"))
    good = [page for page in pages if page.outcome == OK]
    assert [page.seq for page in pages] == list(range(1, len(pages) + 1))
    assert (crawl.seq, crawl.fetched, crawl.failed) == (
        len(pages), len(good), len(pages) - len(good),
    )  # fmt: skip
    assert abs(crawl.relevance_sum - sum(page.relevance or 0.0 for page in good)) < 1e-6
    bodies = PageBody.objects.filter(crawl=crawl).values_list("seq", flat=True)
    assert sorted(bodies) == [page.seq for page in good]
    assert not [number for number, times in Counter(p.number for p in pages).items() if times > 1]
    rows = FrontierUrl.objects.filter(crawl=crawl).order_by("number")
    states = dict(rows.values_list("number", "state"))
    assert list(states) == list(range(len(states)))
    assert len(set(rows.values_list("url_key", flat=True))) == len(states)
    for page in pages:
        assert states[page.number] == (State.DONE if page.outcome == OK else State.DEAD), page.url
    waiting = sum(state == State.WAITING for state in states.values())
    assert crawl.frontier_size <= waiting  # what is in flight waits in the table
