"""What the chart of a crawl is drawn from."""

import random
from itertools import pairwise

import pytest

from crawler.core.series import Stretch, joined, thinned
from crawler.models import Crawl, PageBucket
from crawler.selectors import monitor
from crawler.selectors.monitor import (
    averages,
    lead_in,
    overview,
    points_after,
    reference_of,
    stretches,
    view_of,
)
from crawler.store import buckets_renewed
from tests.crawl_rows import commit_pages, held, make_crawl

pytestmark = pytest.mark.django_db


def some(count: int, seed: int = 0) -> list[float | None]:
    dice = random.Random(seed)
    return [None if dice.random() < 0.1 else round(dice.random(), 4) for _ in range(count)]


def plain(stretch: Stretch) -> tuple[int, int, int, int, float]:
    return stretch.first, stretch.last, stretch.judged, stretch.failed, round(stretch.total, 6)


def expected(relevances: list[float | None], first: int, last: int) -> tuple[object, ...]:
    part = relevances[first - 1 : last]
    judged = [relevance for relevance in part if relevance is not None]
    return first, last, len(judged), len(part) - len(judged), round(sum(judged), 6)


@pytest.mark.parametrize("batch", [7, 99, 100, 101, 250, 430])
def test_a_bucket_is_written_with_its_last_page(crawl, batch):
    relevances = some(430)
    for at in range(0, 430, batch):
        commit_pages(crawl, relevances[at : at + batch])
    assert PageBucket.objects.filter(crawl=crawl).count() == 4
    found = stretches(crawl.pk, 1, 430)
    ends = [(1, 100), (101, 200), (201, 300), (301, 400), (401, 430)]
    assert [plain(each) for each in found] == [expected(relevances, *end) for end in ends]
    known = [relevance for relevance in relevances[100:200] if relevance is not None]
    assert (found[1].least, found[1].most) == (min(known), max(known))


def test_pages_that_are_committed_one_by_one_fill_a_bucket_with_the_hundredth(crawl):
    commit_pages(crawl, [0.5] * 98)
    for count in (0, 1, 1):
        commit_pages(crawl, [1.0])
        assert PageBucket.objects.filter(crawl=crawl).count() == count
    assert plain(stretches(crawl.pk, 1, 101)[0]) == (1, 100, 100, 0, 51.0)


def test_buckets_follow_relevances_that_were_judged_again(crawl):
    commit_pages(crawl, [0.5] * 250)
    crawl.pages.filter(seq__lte=100).update(relevance=1.0)
    buckets_renewed(crawl.pk, crawl.seq)
    assert [each.mean for each in stretches(crawl.pk, 1, 250)] == [1.0, 0.5, 0.5]


def test_thinning_keeps_counts_and_extremes():
    dice = random.Random(1)
    fine = [
        Stretch(first, first + 99, 90, 10, 45.0, dice.random() / 2, 1 - dice.random() / 2, 0.0, 1.0)
        for first in range(1, 100_101, 100)
    ]
    coarse = thinned(fine, 300)
    assert len(coarse) <= 300
    assert sum(each.judged for each in coarse) == 90 * 1001
    assert min(each.least or 0 for each in coarse) == min(each.least or 0 for each in fine)
    assert all(one.last + 1 == other.first for one, other in pairwise(coarse))
    assert thinned(fine[:300], 300) == fine[:300]


def test_stretches_without_a_judged_page_have_no_mean():
    failed = Stretch(1, 2, 0, 2, 0.0, None, None, 1.0, 2.0)
    assert joined([failed, failed]).mean is None
    assert joined([failed, failed]).least is None


def test_a_view_holds_every_page_or_stretches(crawl, monkeypatch):
    monkeypatch.setattr(monitor, "DOTS", 150)
    relevances = some(400)
    commit_pages(crawl, relevances)
    near = view_of(crawl, 251, 10**9)
    assert [point.relevance for point in near.points] == relevances[250:]
    assert near.lead == [relevance for relevance in relevances[:250] if relevance is not None]
    assert near.stretches == []
    far = view_of(crawl, 0, 400)
    assert (far.first, far.last, far.points, len(far.stretches)) == (1, 400, [], 4)


def test_a_view_of_nothing_is_empty(crawl):
    view = view_of(crawl, 1, 100)
    assert (view.points, view.stretches, overview(crawl)) == ([], [], [])


def test_the_moving_average_leaves_failures_out_and_knows_what_was_before(crawl):
    commit_pages(crawl, [1.0, 0.0, None, 0.5])
    points = points_after(crawl.pk, 1, until=4, limit=10)
    assert averages(lead_in(crawl.pk, 2, 100), points) == [0.5, 0.5, 0.5]
    assert averages([], points[1:2]) == [0.0]


def test_the_reference_is_an_unfocused_crawl_of_the_same_kind(crawl, focus):
    def other(**changes) -> Crawl:
        run = held(make_crawl(focus, strategy="unfocused", **changes), "two")
        commit_pages(run, [0.0, 0.5, 1.0])
        Crawl.objects.filter(pk=run.pk).update(state=Crawl.State.FINISHED)
        return run

    assert reference_of(crawl) is None
    other(start_urls=["https://elsewhere.example/"])
    other(good=[["Arts"]])
    assert reference_of(crawl) is None
    right = other()
    found = reference_of(crawl)
    assert found is not None
    assert (found.crawl, found.pages, found.averages) == (right, [1, 2, 3], [0.0, 0.25, 0.5])
    assert reference_of(right) is None
