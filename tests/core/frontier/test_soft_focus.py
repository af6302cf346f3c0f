from crawler.core.frontier.registry import DEFAULT, build
from crawler.core.types import Merge
from tests.core.frontier.pages import page, priorities


def test_soft_focus_gives_links_the_relevance_of_their_page():
    strategy = build("soft_focus")
    told = strategy.learn(page(1, {2: 0.9, 3: 0.0}, relevance=0.4, on_topic=False))
    assert priorities(told) == {2: 0.4, 3: 0.4}


def test_the_best_page_that_links_to_a_url_counts():
    assert build("soft_focus").merge is Merge.MAX


def test_pages_of_pass_through_topics_lend_their_links_priority():
    told = build("soft_focus").learn(page(1, [2], relevance=0.8, shown_relevance=0.1))
    assert priorities(told) == {2: 0.8}


def test_nothing_comes_before_the_start_set():
    assert priorities(build("soft_focus").start([1, 2])) == {1: 1.0, 2: 1.0}


def test_soft_focus_is_the_default():
    assert DEFAULT == "soft_focus"
