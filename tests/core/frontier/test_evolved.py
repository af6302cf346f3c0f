import pytest

from crawler.core.frontier.evolved import START, Evolved, EvolvedParameters
from crawler.core.types import Merge
from tests.core.frontier.pages import page, priorities

BAD, GOOD = 0.2, 0.9  # classifier scores 2R - 1 of -0.6 and 0.8


def evolved(weights: str, relevant_at: float = 0.5) -> Evolved:
    return Evolved(EvolvedParameters(weights, relevant_at), seed=0)


def test_nothing_comes_before_the_start_set_even_where_it_is_found_again():
    strategy = evolved("authority=1")
    assert priorities(strategy.start([1, 2])) == {1: START, 2: START}
    assert priorities(strategy.learn(page(1, [2, 3]))).keys() == {3}
    assert strategy.merge is Merge.REPLACE


def test_hub_compares_the_out_links_of_the_parents_with_the_mean():
    strategy = evolved("hub=1")
    strategy.start([1, 2])
    assert priorities(strategy.learn(page(1, [3]))) == {3: 1.0}  # 1 / mean 1
    # Page 2 has 3 links, the mean is (1 + 3) / 2 = 2: 3/2 for its own, and for 3, whose parents
    # have (1 + 3) / 2 links, 2/2.
    assert priorities(strategy.learn(page(2, [3, 4, 5]))) == {3: 1.0, 4: 1.5, 5: 1.5}


def test_authority_compares_the_known_parents_with_the_mean():
    strategy = evolved("authority=1")
    strategy.start([1, 2])
    strategy.learn(page(1, [3, 4]))
    # 5 links to 4 URLs (3, 4, 5, 6) so far, mean 5/4: 2 / (5/4) = 1.6 and 1 / (5/4) = 0.8
    told = strategy.learn(page(2, [3, 5, 6]))
    assert priorities(told) == pytest.approx({3: 1.6, 5: 0.8, 6: 0.8})


def test_community_in_is_the_share_of_parents_in_the_community():
    strategy = evolved("community_in=1")
    strategy.start([1])
    assert priorities(strategy.learn(page(1, [2, 3, 4], relevance=BAD))) == {2: 1.0, 3: 1.0, 4: 1.0}
    assert priorities(strategy.learn(page(2, [4, 5], relevance=BAD))) == {4: 0.5, 5: 0.0}
    assert priorities(strategy.learn(page(3, [4, 5], relevance=GOOD))) == pytest.approx(
        {4: 2 / 3, 5: 1 / 2}
    )


def test_community_out_is_the_share_of_the_parents_links_that_lead_into_the_community():
    strategy = evolved("community_out=1")
    strategy.start([1])
    assert priorities(strategy.learn(page(1, [2, 3, 4], relevance=BAD)))[4] == 0.0
    # Page 2 is relevant and links to the start page: 1 of its 2 links; and now that 2 belongs to
    # the community, 1 of the 3 links of page 1 leads there. For 4: (1 + 1) / (3 + 2).
    assert priorities(strategy.learn(page(2, [1, 4], relevance=GOOD))) == pytest.approx({4: 2 / 5})


def test_a_page_judged_relevant_later_counts_for_its_links_and_its_parents():
    strategy = evolved("community_in=1, community_out=1")
    strategy.start([1])
    strategy.learn(page(1, [2], relevance=BAD))
    strategy.learn(page(2, [3], relevance=BAD))
    strategy.learn(page(2, [3], relevance=GOOD))  # fetched again, its text has changed
    # Parents of 3 are now 2 (community, 0 of its 1 link) and 4 (outside, 0 of 1).
    assert priorities(strategy.learn(page(4, [3], relevance=BAD))) == {3: 0.5 * 0.5}
    # Parents of 5: page 1, which got a new link, has 1 of 2 links (to 2) in the community.
    assert priorities(strategy.learn(page(1, [2, 5], relevance=BAD))) == {5: 0.5 * 1 + 0.5 * 0.5}


def test_parents_count_by_the_best_of_each_generation():
    weights = "parent_1=1000, parent_2=100, parent_3=10"
    strategy = evolved(weights)
    strategy.start([1])
    whole = 1110
    # 2R - 1: page 1 0.8, page 2 -0.6, page 3 -0.2, page 4 0
    assert priorities(strategy.learn(page(1, [2, 3], relevance=0.9)))[2] == pytest.approx(
        1000 * 0.8 / whole
    )
    assert priorities(strategy.learn(page(2, [4, 5], relevance=0.2)))[5] == pytest.approx(
        (1000 * -0.6 + 100 * 0.8) / whole
    )
    # Both parents of 5 are negative: the smaller magnitude, -0.2, counts.
    assert priorities(strategy.learn(page(3, [5], relevance=0.4)))[5] == pytest.approx(
        (1000 * -0.2 + 100 * 0.8) / whole
    )
    # Page 4 is a third parent, with 0; its parent 2 (-0.6) is worse than 1, and 1 is its parent_2,
    # so that 1 is also three links away from 5.
    assert priorities(strategy.learn(page(4, [5], relevance=0.5)))[5] == pytest.approx(
        (1000 * 0.0 + 100 * 0.8 + 10 * 0.8) / whole
    )


def test_five_generations_are_remembered():
    strategy = evolved("parent_5=1")
    strategy.start([0])
    told = [priorities(strategy.learn(page(0, [1], relevance=GOOD)))[1]]
    told += [
        priorities(strategy.learn(page(k, [k + 1], relevance=0.5)))[k + 1] for k in range(1, 6)
    ]
    assert told == pytest.approx([0, 0, 0, 0, 0.8, 0])


def test_context_counts_by_the_best_link():
    strategy = evolved("context=1")
    strategy.start([1, 2, 3])
    assert priorities(strategy.learn(page(1, {9: 0.3}))) == pytest.approx({9: -0.4})
    assert priorities(strategy.learn(page(2, {9: 0.8}))) == pytest.approx({9: 0.6})
    assert priorities(strategy.learn(page(3, {9: 0.5}))) == pytest.approx({9: 0.6})


def test_host_counts_the_relevant_pages_seen_there():
    hosts = {1: "a.test", 2: "a.test", 3: "b.test", 8: "a.test", 9: "b.test"}
    strategy = evolved("host=1")
    strategy.start([1, 2, 3])
    strategy.learn(page(1, relevance=GOOD, hosts=hosts))
    strategy.learn(page(2, relevance=BAD, hosts=hosts))
    # a.test has 1 relevant page of 2: 1 / (2 + 1); b.test has page 3 only: 0 / (1 + 1)
    told = strategy.learn(page(3, [8, 9], relevance=BAD, hosts=hosts))
    assert priorities(told) == pytest.approx({8: 1 / 3, 9: 0.0})


def test_the_threshold_decides_who_belongs_to_the_community():
    for relevant_at, share in ((0.4, 1.0), (0.41, 0.0)):
        strategy = evolved("community_in=1", relevant_at)
        strategy.start([1])
        strategy.learn(page(1, [2]))
        assert priorities(strategy.learn(page(2, [3], relevance=0.4))) == {3: share}


def test_scores_are_weighed_and_summed():
    strategy = evolved("johnson_2003")
    strategy.start([1])
    # hub 1, authority 1, community_in 1, community_out 0, parent_1 0.8, no other ancestors
    expected = 0.025828 + 0.025852 + 0.196382 + 0.250646 * 0.8
    assert priorities(strategy.learn(page(1, [2, 3], relevance=GOOD)))[2] == pytest.approx(
        expected, abs=1e-5
    )


def test_a_link_seen_again_on_the_same_page_is_no_new_parent():
    strategy = evolved("authority=1")
    strategy.start([1])
    strategy.learn(page(1, [2]))
    assert strategy.learn(page(1, [2])).changes == ()
    assert priorities(strategy.learn(page(1, [2, 3]))) == {3: 1.0}
