import pytest

from crawler.core.frontier.registry import StrategyError, build
from crawler.core.types import Merge
from tests.core.frontier.pages import page, priorities


def test_page_and_words_around_the_link_are_weighed_one_to_three():
    told = build("link_context").learn(page(1, {2: 0.4, 3: 0.0, 4: 1.0}, relevance=0.8))
    # 0.25 * 0.8 = 0.2 from the page; 0.75 * 0.4 = 0.3, 0.75 * 0 = 0 and 0.75 * 1 from the words
    assert priorities(told) == pytest.approx({2: 0.5, 3: 0.2, 4: 0.95})


def test_a_url_found_again_keeps_the_higher_score():
    assert build("link_context").merge is Merge.MAX


def test_beta_shifts_the_weight_to_the_page():
    told = build("link_context", {"beta": 1.0}).learn(page(1, {2: 0.4}, relevance=0.8))
    assert priorities(told) == {2: 0.8}


@pytest.mark.parametrize("beta", [-0.1, 1.1, float("nan"), "much", None, True])
def test_beta_is_a_share(beta: object):
    with pytest.raises(StrategyError, match="link_context: beta must be"):
        build("link_context", {"beta": beta})
