from crawler.core.frontier.registry import build
from crawler.core.frontier.unfocused import shuffled
from crawler.core.types import Merge, url_key
from tests.core.frontier.pages import page, priorities

MANY = [url_key(f"http://site.test/{number}") for number in range(4000)]


def test_a_url_has_one_place_in_the_order_wherever_it_is_found():
    strategy = build("unfocused", seed=3)
    started = priorities(strategy.start(MANY[:5]))
    hot = strategy.learn(page(1, MANY[:5], relevance=1.0))
    cold = strategy.learn(page(2, MANY[:5], relevance=0.0, on_topic=False))
    assert priorities(hot) == priorities(cold) == started
    assert strategy.merge is Merge.REPLACE


def test_priorities_are_spread_evenly_from_0_to_1():
    drawn = priorities(build("unfocused").learn(page(1, MANY))).values()
    tenths = [sum(low <= 10 * chance < low + 1 for chance in drawn) for low in range(10)]
    # 400 are expected in each tenth, with a standard deviation of sqrt(4000 * 0.1 * 0.9) = 19.
    assert sum(tenths) == 4000
    assert all(300 < tenth < 500 for tenth in tenths)


def test_neighbouring_keys_are_not_neighbours_in_the_order():
    drawn = priorities(build("unfocused").learn(page(-1, range(1000))))
    rises = sum(drawn[key] < drawn[key + 1] for key in range(999))
    assert 400 < rises < 600


def test_the_seed_decides_the_order():
    orders = []
    for seed in (0, 1, -1, 2**63):
        drawn = priorities(build("unfocused", seed=seed).learn(page(1, MANY[:50])))
        orders.append(sorted(drawn, key=drawn.__getitem__))
    assert all(orders[a] != orders[b] for a in range(4) for b in range(a))


def test_the_scramble_loses_no_key():
    assert len(
        {shuffled(number) for number in [*range(20_000), *range(2**64 - 20_000, 2**64)]}
    ) == (40_000)
