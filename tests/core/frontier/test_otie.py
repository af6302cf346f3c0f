from random import Random

import pytest

from crawler.core.frontier.otie import Otie, OtieParameters
from crawler.core.types import Merge
from tests.core.frontier.pages import page, priorities


def otie(**parameters) -> Otie:
    return Otie(OtieParameters(**parameters), seed=0)


def test_start_pages_share_the_cash():
    assert priorities(otie().start([1, 2])) == {1: 0.5, 2: 0.5}


def test_parts_are_proportional_to_the_link_context_scores():
    strategy = otie()
    strategy.start([1])
    told = strategy.learn(page(1, {2: 0.5, 3: 0.1}, relevance=0.5))
    # r = 0.5 leaves the cash at 1. Equation 9: 0.25 * 0.5 + 0.75 * 0.5 = 0.5 for 2 and
    # 0.125 + 0.075 = 0.2 for 3; so 5/7 and 2/7.
    assert priorities(told) == pytest.approx({2: 5 / 7, 3: 2 / 7})
    assert strategy.merge is Merge.ADD


def test_with_beta_0_only_the_words_around_the_link_count():
    strategy = otie(beta=0)
    strategy.start([1])
    told = strategy.learn(page(1, {2: 0.6, 3: 0.2, 4: 0.0}, relevance=0.5))
    assert priorities(told) == pytest.approx({2: 0.75, 3: 0.25, 4: 0.0})


@pytest.mark.parametrize(
    ("relevance", "cash"),
    [
        (1.0, 1.85),  # 1 + 0.85 * 1^3
        (0.0, 0.15),  # 1 + 0.85 * (-1)^3
        (0.75, 1.10625),  # 1 + 0.85 * 0.5^3 = 1 + 0.85 * 0.125
        (0.25, 0.89375),
    ],
)
def test_relevant_pages_are_rewarded_and_others_punished(relevance: float, cash: float):
    strategy = otie()
    strategy.start([1])
    assert priorities(strategy.learn(page(1, [2], relevance=relevance))) == pytest.approx({2: cash})


def test_a_punishment_takes_all_the_cash_and_no_more():
    strategy = otie(a=2.0)
    strategy.start([1])
    assert priorities(strategy.learn(page(1, {2: 0.5}, relevance=0.0))) == {2: 0.0}


def test_where_no_link_promises_anything_the_parts_are_equal():
    strategy = otie()
    strategy.start([1])
    told = strategy.learn(page(1, [2, 3, 4], relevance=0.0))
    assert priorities(told) == pytest.approx(dict.fromkeys((2, 3, 4), 0.05))  # 0.15 / 3


def test_a_fetched_target_counts_by_its_own_relevance():
    strategy = otie(beta=0)
    strategy.start([1, 2])
    strategy.learn(page(1, relevance=0.9))  # a dead end: its half is gone, as in the paper
    told = strategy.learn(page(2, {1: 0.0, 3: 0.3}, relevance=0.5))
    # sim' is 0.9 for page 1, whatever the link to it says, and 0.3 for 3, which gets 1/4 of 1/2.
    assert priorities(told) == pytest.approx({3: 0.125})


def test_the_richest_fetched_page_is_due_again_after_every_fifty_pages():
    strategy = otie(beta=0, revisit_every=50)
    strategy.start(list(range(50)))  # 0.02 each
    told = []
    for key in range(49):
        # Pages 0 and 1 are dead ends; 2 to 29 link to 0, the rest to 1.
        links = [] if key < 2 else [0] if key < 30 else [1]
        told.append(strategy.learn(page(key, links)))
    assert [expansion.revisits for expansion in told] == [()] * 49
    due = strategy.learn(page(49, [1])).revisits
    # 28 pages paid 0.02 to page 0, 20 to page 1.
    assert priorities(due) == pytest.approx({0: 0.56})


def test_a_page_fetched_again_hands_on_what_it_gained():
    strategy = otie(revisit_every=2)
    strategy.start([1])
    strategy.learn(page(1, [2]))
    due = strategy.learn(page(2, [1]))
    assert (due.changes, priorities(due.revisits)) == ((), {1: 1.0})
    assert priorities(strategy.learn(page(1, [3]))) == {3: 1.0}


def test_a_page_that_is_due_is_not_named_again_and_what_it_gains_is_added():
    strategy = otie(revisit_every=2)
    strategy.start([1, 9])
    strategy.learn(page(1, [2]))
    assert priorities(strategy.learn(page(2, [1])).revisits) == {1: 0.5}
    assert priorities(strategy.learn(page(9, [1]))) == {1: 0.5}
    assert strategy.learn(page(8)).revisits == ()
    assert priorities(strategy.learn(page(1, [3]))) == {3: 1.0}


def test_the_richest_page_is_found_among_thousands_of_outdated_sums():
    strategy, random = otie(revisit_every=3), Random(5)
    pages = range(20)
    due: set[int] = set()
    cash = {change.key: change.priority for change in strategy.start(pages)}
    for key in pages:  # all are fetched at first, and are dead ends
        strategy.learn(page(key))
        cash[key] = 0.0
    strategy.start([0])
    cash[0] = 1.0
    for turn in range(len(pages), 3000):
        key = random.choice(sorted(due) or pages)
        links = random.sample([other for other in pages if other != key], 10)
        revisits = strategy.learn(page(key, links)).revisits  # sim' is 0.5 everywhere: equal parts
        part, cash[key] = cash[key] * 0.1, 0.0
        for link in links:
            cash[link] += part
        due.discard(key)
        rich = [other for other in pages if other not in due and cash[other] > 0]
        if (turn + 1) % 3 or not rich:
            assert revisits == ()
        else:
            assert revisits[0].priority == pytest.approx(max(cash[other] for other in rich))
            assert cash[revisits[0].key] == pytest.approx(revisits[0].priority)
            due.add(revisits[0].key)


def test_a_long_chain_of_relevant_pages_never_overflows():
    strategy = otie()
    strategy.start([0])
    for key in range(3000):  # 1.85^1152 is beyond the largest float
        told = strategy.learn(page(key, [key + 1], relevance=1.0))
    assert 1e200 < priorities(told)[3000] < 1e201


def test_a_page_gives_nothing_to_itself():
    strategy = otie()
    strategy.start([1])
    assert priorities(strategy.learn(page(1, {1: 1.0, 2: 0.1}))) == {2: 1.0}


@pytest.mark.parametrize(
    ("parameters", "complaint"),
    [
        ({"a": 0}, "a must be above 0"),
        ({"d": 2}, "d must be odd"),
        ({"d": 3.0}, "d must be a whole number"),
        ({"beta": 2}, "beta must be between 0 and 1"),
        ({"revisit_every": 0}, "revisit_every must be between 1"),
    ],
)
def test_parameters_are_checked(parameters, complaint):
    with pytest.raises(ValueError, match=complaint):
        otie(**parameters)
