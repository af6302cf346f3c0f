import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.harvest import Harvest, MovingAverage, harvest_curve

relevances = st.lists(st.floats(0.0, 1.0), max_size=200)


@given(relevances, st.integers(1, 50))
def test_the_curve_equals_the_running_average(series: list[float], window: int):
    average = MovingAverage(window)
    running = [average.add(relevance) for relevance in series]
    assert harvest_curve(series, window).tolist() == pytest.approx(running, abs=1e-9)


@given(relevances, st.integers(1, 50))
def test_the_running_average_is_the_mean_of_the_last_pages(series: list[float], window: int):
    average = MovingAverage(window)
    for relevance in series:
        average.add(relevance)
    last = series[-window:]
    expected = math.fsum(last) / len(last) if last else 0.0
    assert average.mean == pytest.approx(expected, abs=1e-9)


def test_a_huge_number_leaves_no_rounding_error_behind():
    average = MovingAverage(10)
    average.add(1e17)
    for _ in range(20):
        average.add(0.1)
    assert average.mean == pytest.approx(0.1, abs=1e-12)


def test_an_average_of_nothing_is_nothing():
    assert MovingAverage(5).mean == 0.0
    assert harvest_curve([], 5).tolist() == []
    assert Harvest().rate == Harvest().relevant_share == Harvest().average == 0.0


@pytest.mark.parametrize("make", [MovingAverage, lambda window: harvest_curve([0.5], window)])
def test_a_window_without_pages_is_refused(make):
    with pytest.raises(ValueError, match="at least one page"):
        make(0)


def test_harvest_counts_pages_relevant_from_one_half():
    harvest = Harvest()
    for relevance in (0.5, 0.49, 1.0, 0.01):
        harvest.add(relevance)
    assert (harvest.pages, harvest.relevant_pages) == (4, 2)
    assert harvest.relevant_share == 0.5
    assert harvest.rate == pytest.approx(0.5)


def test_the_average_forgets_what_the_rate_remembers():
    harvest = Harvest(window=10)
    for relevance in [0.0] * 90 + [1.0] * 10:
        harvest.add(relevance)
    assert harvest.rate == pytest.approx(0.1)
    assert harvest.average == pytest.approx(1.0)


def test_a_resumed_harvest_goes_on_as_if_never_stopped():
    chance = random.Random(7)
    series = [chance.random() for _ in range(500)]
    whole, before = Harvest(window=50), Harvest(window=50)
    for relevance in series:
        whole.add(relevance)
    for relevance in series[:300]:
        before.add(relevance)
    resumed = Harvest(
        before.pages, before.relevant_pages, before.relevance_sum, 50, latest=series[250:300]
    )
    for relevance in series[300:]:
        resumed.add(relevance)
    assert (resumed.pages, resumed.relevant_pages) == (whole.pages, whole.relevant_pages)
    assert resumed.rate == pytest.approx(whole.rate)
    assert resumed.average == pytest.approx(whole.average)
