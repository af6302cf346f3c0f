"""How often a page changes, when to look again, and which page first."""

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.config import ConfigError, CrawlConfig
from crawler.core.revisits import (
    GROWTH,
    HOUR,
    Candidate,
    Look,
    Revisit,
    best_first,
    chance_of_change,
    change_rate,
    interval,
)

RULES = Revisit(on=True, least_hours=1.0, most_hours=400.0)
LOOKS = st.lists(
    st.builds(Look, st.floats(1.0, 1e7), st.booleans()), min_size=1, max_size=20
)  # fmt: skip


def poisson_looks(dice: random.Random, rate: float, gaps: list[float]) -> list[Look]:
    return [Look(gap, dice.random() < -math.expm1(-rate * gap)) for gap in gaps]


@pytest.mark.parametrize(("changed", "visits"), [(1, 1), (3, 10), (9, 10), (10, 10), (1, 20)])
def test_for_regular_visits_it_is_the_papers_corrected_estimator(changed, visits):
    looks = [Look(50.0, n < changed) for n in range(visits)]
    expected = -math.log((visits - changed + 0.5) / (visits + 0.5)) / 50.0
    assert change_rate(looks) == pytest.approx(expected, rel=1e-9)


def test_irregular_visits_find_the_rate_of_simulated_changes():
    dice, rate = random.Random(2003), 1 / (30 * HOUR)
    estimates = []
    for _ in range(400):
        gaps = [dice.uniform(4, 70) * HOUR for _ in range(20)]
        estimates.append(change_rate(poisson_looks(dice, rate, gaps)))
    assert sum(estimates) / len(estimates) == pytest.approx(rate, rel=0.05)


def test_the_share_of_visits_that_saw_a_change_would_be_wrong():
    """Several changes between two visits look like one: the naive estimate is far too low."""
    dice, rate, gaps = random.Random(7), 1 / (5 * HOUR), [12 * HOUR] * 20
    looks = [poisson_looks(dice, rate, gaps) for _ in range(200)]
    naive = sum(sum(one.changed for one in some) / sum(gaps) for some in looks) / len(looks)
    ours = sum(map(change_rate, looks)) / len(looks)
    assert naive < 0.5 * rate
    assert ours == pytest.approx(rate, rel=0.15)


@given(LOOKS)
def test_a_rate_is_finite_and_zero_only_if_nothing_was_seen(looks):
    rate = change_rate(looks)
    assert math.isfinite(rate)
    assert (rate > 0) == any(look.changed for look in looks)


@given(LOOKS, st.floats(0.1, 100.0))
def test_the_unit_of_time_does_not_matter(looks, factor):
    scaled = [Look(look.seconds * factor, look.changed) for look in looks]
    assert change_rate(scaled) * factor == pytest.approx(change_rate(looks), rel=1e-6)


@given(LOOKS, st.integers(0, 19))
def test_one_change_more_never_means_a_later_visit(looks, place):
    if place >= len(looks):
        return
    more = list(looks)
    more[place] = Look(looks[place].seconds, True)
    assert change_rate(more) >= change_rate(looks) * (1 - 1e-9)
    assert interval(more, RULES) <= interval(looks, RULES) * (1 + 1e-9)


@given(LOOKS)
def test_the_interval_keeps_to_its_bounds(looks):
    seconds = interval(looks, RULES)
    assert RULES.least <= seconds <= RULES.most
    assert seconds <= max(GROWTH * max(looks[-1].seconds, RULES.least), RULES.least)


def test_an_unknown_page_waits_for_the_middle_of_the_bounds():
    assert interval([], RULES) == pytest.approx(20 * HOUR)


@given(LOOKS, st.floats(0, 1e9), st.floats(0, 1e9))
def test_the_chance_of_a_change_is_a_probability_and_grows(looks, one, other):
    early, late = (chance_of_change(looks, t, RULES) for t in sorted((one, other)))
    assert 0.0 <= early <= late <= 1.0


def test_the_better_page_and_the_livelier_page_come_first():
    often = [Look(10 * HOUR, True)] * 5
    never = [Look(10 * HOUR, False)] * 5
    quiet, lively, poor = (
        Candidate(1, 0.9, never, 0.0),
        Candidate(2, 0.9, often, 0.0),
        Candidate(3, 0.2, often, 0.0),
    )
    best = best_first([quiet, poor, lively], 10 * HOUR, RULES, 3)
    assert [one.number for one in best] == [2, 1, 3]
    assert best_first([quiet, lively], 10 * HOUR, RULES, 1) == [lively]


def test_what_was_just_visited_comes_last():
    now = 100 * HOUR
    fresh, old = Candidate(1, 1.0, [], now), Candidate(2, 0.1, [], 0.0)
    assert best_first([fresh, old], now, RULES, 2) == [old, fresh]


@given(st.integers(0, 10_000), st.integers(0, 2_000), st.integers(0, 500))
def test_revisits_keep_to_their_share(fetched, revisited, asked):
    allowed = Revisit(share=0.2).allowed(fetched, revisited, asked)
    assert allowed >= 0
    if allowed:
        assert revisited + asked + allowed <= 0.2 * (fetched + revisited)


@pytest.mark.parametrize(
    "odd",
    [
        {"share": 0.0},
        {"share": 1.0},
        {"share": float("nan")},
        {"least_hours": 0.0},
        {"least_hours": 48.0, "most_hours": 24.0},
        {"most_hours": 10_000.0},
        {"round_pages": 0},
    ],
)
def test_odd_settings_are_refused_by_name(odd):
    with pytest.raises(ConfigError, match="revisit"):
        CrawlConfig.from_json({"revisit": odd})


def test_settings_outlive_their_storage():
    config = CrawlConfig(revisit=RULES)
    assert CrawlConfig.from_json(config.to_json()) == config
    assert not CrawlConfig.from_json({}).revisit.on
