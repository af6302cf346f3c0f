import pytest

from crawler.core.frontier.hybrid_seed_rank import HybridSeedRank, HybridSeedRankParameters
from crawler.core.types import NOTHING, Merge
from tests.core.frontier.pages import page, priorities


def hybrid(low_water: int = 0) -> HybridSeedRank:
    return HybridSeedRank(HybridSeedRankParameters(low_water), seed=0)


def test_links_of_the_start_set_come_first():
    strategy = hybrid()
    assert priorities(strategy.start([1])) == {1: 1.0}
    assert priorities(strategy.learn(page(1, [2, 3]))) == {2: 1.0, 3: 1.0}
    assert strategy.merge is Merge.REPLACE


def test_links_of_other_pages_wait_below_those_of_seeds():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3]))
    told = strategy.learn(page(2, [3, 4], similarity=0.6))
    assert priorities(told) == {4: 0.3}  # 0.5 * 0.6; and 3 stays where it is


def test_the_page_with_the_best_rank_becomes_a_seed_when_links_run_out():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3, 4]))
    strategy.learn(page(2, [20], similarity=0.8))  # rank (0 + 1) * (0.1 + 0.8) = 0.9
    strategy.learn(page(3, [1, 30], similarity=0.4))  # rank (1 + 1) * (0.1 + 0.4) = 1.0
    told = strategy.learn(page(4, [40], similarity=0.7))  # rank (0 + 1) * 0.8
    assert priorities(told) == {40: 0.35, 30: 2.0}  # seed 3, the first after the start set


def test_links_between_candidates_and_a_new_seed_count_from_then_on():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3, 4]))
    strategy.learn(page(2, [20], similarity=0.5))  # 1 * 0.6
    strategy.learn(page(3, [4, 30], similarity=0.3))  # 1 * 0.4
    assert priorities(strategy.learn(page(4, [40], similarity=0.9)))[40] == 2.0  # 1 * 1.0: seed
    # Page 3 links to the new seed: (1 + 1) * 0.4 = 0.8 is more than the 0.6 of page 2.
    assert priorities(strategy.learn(page(40))) == {30: 3.0}
    assert priorities(strategy.learn(page(30))) == {20: 4.0}


def test_pages_that_a_new_seed_links_to_rise_as_well():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3, 4]))
    strategy.learn(page(2, [20], similarity=0.5))  # 1 * 0.6
    strategy.learn(page(3, [30], similarity=0.3))  # 1 * 0.4, and (1 + 1) * 0.4 once 4 is a seed
    strategy.learn(page(4, [3, 40], similarity=0.9))
    assert priorities(strategy.learn(page(40))) == {30: 3.0}


def test_the_next_seed_is_chosen_at_low_water():
    strategy = hybrid(low_water=2)
    strategy.start([1])
    strategy.learn(page(1, [2, 3, 4, 5]))
    assert priorities(strategy.learn(page(2, [20]))) == {20: 0.0}  # 3, 4 and 5 are left
    # 4 and 5 are left: page 2 becomes a seed (its 20 is the third left).
    assert priorities(strategy.learn(page(3, [30]))) == {30: 0.0, 20: 2.0}


def test_a_page_without_text_can_become_a_seed_through_its_links():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2]))
    assert priorities(strategy.learn(page(2, [20], similarity=0.0))) == {20: 2.0}  # rank 0.1


def test_a_page_that_no_seed_is_tied_to_never_becomes_one():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1))
    assert priorities(strategy.learn(page(5, [6], similarity=1.0))) == {6: 0.5}
    assert priorities(strategy.learn(page(6, [7], similarity=1.0))) == {7: 0.5}


def test_a_url_found_again_on_a_better_page_rises_and_never_falls():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3, 4, 5]))
    assert priorities(strategy.learn(page(2, [9], similarity=0.2))) == {9: 0.1}
    assert priorities(strategy.learn(page(3, [9], similarity=0.6))) == {9: 0.3}
    assert strategy.learn(page(4, [9], similarity=0.4)) == NOTHING


def test_links_that_never_arrive_do_not_hold_up_the_next_seed():
    strategy = hybrid(low_water=1)
    strategy.start([1])
    strategy.learn(page(1, [2, 90, 91, 92, 93]))  # the nineties cannot be fetched
    strategy.learn(page(2, [20, 21], similarity=0.9))
    assert priorities(strategy.learn(page(20, [30]))) == {30: 0.0}  # one page from outside
    # A second one: the frontier has nothing better left, so page 2 becomes a seed.
    assert priorities(strategy.learn(page(30))) == {21: 2.0}


def test_new_links_of_a_seed_fetched_again_are_treated_like_its_first():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3]))
    assert priorities(strategy.learn(page(1, [2, 3, 4]))) == {4: 1.0}


def test_links_of_a_page_that_is_later_added_to_the_start_set_rise_with_the_next_page():
    strategy = hybrid()
    strategy.start([1])
    strategy.learn(page(1, [2, 3]))
    strategy.learn(page(2, [20, 21], similarity=0.2))
    assert priorities(strategy.start([2])) == {2: 1.0}
    assert priorities(strategy.learn(page(20))) == {21: 1.0}


@pytest.mark.parametrize("low_water", [-1, 0.5, "ten", None])
def test_low_water_is_a_whole_number(low_water):
    with pytest.raises(ValueError, match="low_water must be"):
        hybrid(low_water)
