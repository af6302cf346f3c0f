import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.frontier.opic import Opic, OpicParameters
from crawler.core.types import NOTHING, Merge
from tests.core.frontier.pages import page, priorities

WEBS = st.dictionaries(
    st.integers(0, 9), st.lists(st.integers(0, 9), max_size=6, unique=True), min_size=1
)


def opic(total: float = 1.0) -> Opic:
    return Opic(OpicParameters(total), seed=0)


def test_start_pages_share_the_cash():
    assert priorities(opic(2.0).start([1, 2, 3, 4])) == {1: 0.5, 2: 0.5, 3: 0.5, 4: 0.5}


def test_a_fetched_page_hands_its_cash_to_its_links_in_equal_parts():
    strategy = opic()
    strategy.start([1, 2])  # 1/2 each
    assert priorities(strategy.learn(page(1, [3, 4]))) == {3: 0.25, 4: 0.25}
    # 2 hands 1/2 in three parts; 3 then has 1/4 + 1/6 = 5/12, which it hands to 6.
    assert priorities(strategy.learn(page(2, [3, 4, 5]))) == pytest.approx(
        dict.fromkeys((3, 4, 5), 1 / 6)
    )
    assert priorities(strategy.learn(page(3, [6]))) == pytest.approx({6: 5 / 12})
    assert strategy.merge is Merge.ADD


def test_a_page_keeps_nothing_for_itself():
    strategy = opic()
    strategy.start([1])
    assert priorities(strategy.learn(page(1, [1, 2]))) == {2: 1.0}


def test_the_cash_of_a_dead_end_goes_to_the_links_of_the_next_page():
    strategy = opic()
    strategy.start([1, 2, 3, 4])  # 1/4 each
    assert strategy.learn(page(1)) == NOTHING
    assert strategy.learn(page(2, [2])) == NOTHING  # links to itself only: as good as none
    # 3 hands out its own 1/4 and the 1/2 of the pool.
    assert priorities(strategy.learn(page(3, [5, 6]))) == {5: 0.375, 6: 0.375}
    assert priorities(strategy.learn(page(4, [5]))) == {5: 0.25}  # the pool is empty again


def test_cash_of_a_fetched_page_waits_until_it_is_fetched_again():
    strategy = opic()
    strategy.start([1])
    strategy.learn(page(1, [2]))
    assert strategy.learn(page(2, [1])) == NOTHING  # 1 is not in the frontier
    assert priorities(strategy.learn(page(1, [2, 3]))) == {3: 0.5}
    assert strategy.total_cash() == 1.0


@settings(deadline=None, max_examples=60)
@given(WEBS, st.lists(st.integers(0, 9), max_size=40), st.floats(0.001, 1000))
def test_cash_is_neither_made_nor_lost(web: dict[int, list[int]], visits: list[int], total: float):
    strategy = opic(total)
    strategy.start([0, 1])
    for key in visits:
        strategy.learn(page(key, web.get(key, [])))
        assert strategy.total_cash() == pytest.approx(total)


@pytest.mark.parametrize("total", [0, -1, float("inf"), "1"])
def test_there_must_be_cash(total):
    with pytest.raises(ValueError, match="total must be"):
        OpicParameters(total)
