from crawler.core.frontier.registry import build
from tests.core.frontier.pages import page, priorities


def test_every_link_has_the_same_priority_in_the_order_of_the_page():
    strategy = build("breadth_first")
    assert priorities(strategy.start([9])) == {9: 0.0}
    told = strategy.learn(page(9, [5, 3, 4], relevance=0.9, on_topic=False))
    assert [(change.key, change.priority) for change in told.changes] == [(5, 0), (3, 0), (4, 0)]
