"""Capture and recapture: by hand, and on random webs whose size is known."""

import numpy as np
import pytest

from crawler.core.diagnosis.record import RecordedPage
from crawler.core.intervals import poisson_interval, wilson_interval
from crawler.core.remaining import recaptured, remaining
from tests.core.diagnosis_pages import SOCCER, page


def test_the_textbook():
    # 100 caught, 100 caught again, 20 of them marked: about 500.
    draw = recaptured(100, 100, 20)
    assert draw.total == pytest.approx(101 * 101 / 21 - 1)
    assert 180 < draw.low < draw.total < draw.high < 800


def test_two_halves_that_saw_the_same_leave_nothing():
    draw = recaptured(50, 50, 50)
    assert draw.low == draw.total == draw.high == 50


def crawl_of_random_web(size: int, fetched: int, seed: int) -> tuple[list[RecordedPage], list[int]]:
    """`size` relevant pages that link to each other at random, of which the first are fetched."""
    dice = np.random.default_rng(seed)
    pages: list[RecordedPage] = []
    found_on, known = dict.fromkeys(range(10), -1), list(range(10))
    for number in known:
        if len(pages) == fetched:
            break
        targets = tuple(int(target) for target in dice.choice(size, 5, replace=False))
        for target in targets:
            if target not in found_on:
                found_on[target] = number
                known.append(target)
        contexts = (0.9,) * len(targets)
        pages.append(page(number, found_on=found_on[number], targets=targets, contexts=contexts))
    return pages, [number for number in known if number not in {one.number for one in pages}]


@pytest.mark.parametrize("fetched", [80, 150, 300])
def test_the_true_size_of_a_random_web_is_in_the_interval(fetched):
    inside = 0
    for seed in range(10):
        left = remaining(*crawl_of_random_web(400, fetched, seed))
        assert left is not None
        inside += left.total.low <= 400 <= left.total.high
        assert left.total.value == pytest.approx(400, rel=0.3)
        assert left.found == fetched
    assert inside >= 9


def test_a_crawl_that_has_everything_says_so():
    left = remaining(*crawl_of_random_web(200, 200, 1))
    assert left is not None
    assert left.recall.low >= 0.95
    assert left.waiting == 0


def test_start_pages_that_others_lead_to_are_found_again():
    pages, waiting = crawl_of_random_web(60, 60, 3)
    left = remaining(pages, waiting)
    assert left is not None
    assert left.held_back_found == left.starts == 10
    loners = [
        page(one.number, found_on=one.found_on, contexts=one.contexts,
             targets=tuple(max(target, 10) for target in one.targets))
        for one in pages
    ]  # fmt: skip
    alone = remaining(loners, waiting)
    assert alone is not None
    assert alone.held_back_found == 0
    assert alone.held_back.high < 0.4


def test_too_little_is_not_estimated():
    pages, waiting = crawl_of_random_web(400, 15, 1)
    assert remaining(pages, waiting) is None
    assert remaining([], []) is None
    strays = [page(number, SOCCER) for number in range(100)]
    assert remaining(strays, []) is None


def test_percentages_promise_nothing():
    left = remaining(*crawl_of_random_web(400, 150, 2))
    assert left is not None
    shown = left.recall.in_percent
    assert shown.low <= 100 * left.recall.low
    assert shown.high >= 100 * left.recall.high


def test_intervals():
    assert wilson_interval(0, 0) == (0.0, 1.0)
    low, high = wilson_interval(5, 10)
    assert low == pytest.approx(0.237, abs=0.002)
    assert high == pytest.approx(0.763, abs=0.002)
    assert poisson_interval(0)[0] == 0
    assert poisson_interval(25)[0] < 25 < poisson_interval(25)[1]
