"""The order of the frontier against Python's own sorting."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.ranking import best_ranked

# Few different values, so that ties are the rule and not the exception.
TRIES = st.integers(min_value=0, max_value=3) | st.just(255)
PRIORITIES = st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(-1e6, 1e6)
URLS = st.lists(st.tuples(TRIES, PRIORITIES), max_size=80)


def ranked(urls: list[tuple[int, float]], limit: int) -> list[int]:
    tries = np.array([tries for tries, _ in urls], dtype=np.uint8)
    priorities = np.array([priority for _, priority in urls], dtype=np.float64)
    return [int(place) for place in best_ranked(tries, priorities, limit)]


def sorted_places(urls: list[tuple[int, float]]) -> list[int]:
    return sorted(range(len(urls)), key=lambda place: (urls[place][0], -urls[place][1], place))


@given(urls=URLS, limit=st.integers(min_value=1, max_value=90))
def test_the_best_are_those_that_sorting_puts_first(urls, limit):
    assert ranked(urls, limit) == sorted_places(urls)[:limit]


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 5, 9])
def test_of_equal_urls_the_first_discovered_comes_first_at_any_edge(limit):
    urls = [(0, 0.5), (0, 0.9), (0, 0.5), (0, 0.5), (1, 1.0)]
    assert ranked(urls, limit) == [1, 0, 2, 3, 4][:limit]


def test_a_url_never_tried_comes_before_any_that_failed():
    assert ranked([(1, 1.0), (0, 0.0), (2, 9.0)], 3) == [1, 0, 2]


def test_nothing_is_ranked_among_no_urls():
    assert ranked([], 5) == []
