import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.budget import Budget
from focusadmin.lib.errors import FocusAdminError

MB = 1024 * 1024
bounds = st.none() | st.integers(1, 10**9)
amounts = st.integers(0, 10**9)


@pytest.mark.parametrize(
    ("budget", "used", "why"),
    [
        (Budget(max_pages=500), (500, 0.0, 0), "budget: 500 pages fetched"),
        (Budget(max_pages=1), (1, 0.0, 0), "budget: 1 page fetched"),
        (Budget(max_pages=20_000), (20_003, 0.0, 0), "budget: 20,000 pages fetched"),
        (Budget(max_seconds=3600), (0, 3600.0, 0), "budget: 1 hour of crawling"),
        (Budget(max_seconds=600), (0, 601.0, 0), "budget: 10 minutes of crawling"),
        (Budget(max_seconds=90), (0, 90.0, 0), "budget: 90 seconds of crawling"),
        (Budget(max_seconds=0.5), (0, 0.5, 0), "budget: 0.5 seconds of crawling"),
        (Budget(max_bytes=50 * MB), (0, 0.0, 50 * MB), "budget: 50 MB downloaded"),
        (Budget(max_bytes=3 * MB // 2), (0, 0.0, 2 * MB), "budget: 1.5 MB downloaded"),
        (Budget(max_bytes=1000), (0, 0.0, 1000), "budget: 1,000 bytes downloaded"),
    ],
)
def test_a_spent_budget_says_which_bound_was_reached(budget: Budget, used, why: str):
    assert budget.why_spent(*used) == why


def test_a_budget_lasts_up_to_its_last_page_second_and_byte():
    budget = Budget(max_pages=500, max_seconds=60.0, max_bytes=1000)
    assert budget.why_spent(499, 59.9, 999) is None
    assert Budget().why_spent(10**9, 1e9, 10**12) is None


def test_the_share_used_is_that_of_the_nearest_bound():
    budget = Budget(max_pages=100, max_seconds=60.0)
    assert budget.share_used(25, 30.0, 10**9) == 0.5
    assert budget.share_used(75, 30.0, 0) == 0.75
    assert Budget().share_used(75, 30.0, 0) == 0.0


@given(bounds, bounds, bounds, amounts, amounts, amounts)
def test_the_share_is_full_exactly_when_the_budget_is_spent(a, b, c, pages, seconds, size):
    budget = Budget(a, b, c)
    share = budget.share_used(pages, seconds, size)
    assert 0.0 <= share <= 1.0
    assert (share == 1.0) == (budget.why_spent(pages, seconds, size) is not None)


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan, math.inf])
def test_a_bound_is_a_positive_number(seconds: float):
    with pytest.raises(FocusAdminError, match="max_seconds must be more than 0 or none"):
        Budget(max_seconds=seconds)
