from crawler.core.frontier.registry import build
from crawler.core.types import NOTHING
from tests.core.frontier.pages import page, priorities


def test_hard_focus_follows_all_links_of_pages_on_topic():
    strategy = build("hard_focus")
    assert priorities(strategy.start([1])) == {1: 0.0}
    assert priorities(strategy.learn(page(1, [2, 3], relevance=0.1))) == {2: 0.0, 3: 0.0}


def test_hard_focus_drops_links_of_pages_off_topic():
    # The best leaf decides, not the relevance, which sums over all good topics.
    assert build("hard_focus").learn(page(1, [2, 3], relevance=0.9, on_topic=False)) == NOTHING
