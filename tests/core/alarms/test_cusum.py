"""Falls are found, noise is not: on seeded simulations, and by hand."""

import numpy as np
import pytest

from benchmarks.simulated_crawls import (
    SimulatedCrawl,
    false_alarms,
    pages_until_found,
    relevances,
)
from crawler.core.alarms.cusum import RELEVANCE, SPEED, FallDetector, threshold

# The 1999 paper (section 4.2): between a third and half of all fetches succeed.
USUAL = [SimulatedCrawl(0.35, 0.0), SimulatedCrawl(0.35, 0.3), SimulatedCrawl(0.5, 0.3)]


def fed(values, tuning=RELEVANCE) -> FallDetector:
    detector = FallDetector()
    for value in values:
        detector.add(value, tuning)
    return detector


def test_under_one_false_alarm_in_ten_thousand_pages_without_a_change():
    alarms = [false_alarms(crawl, 10_000, seed) for crawl in USUAL for seed in range(4)]
    assert sum(alarms) / len(alarms) < 1


def delays(crawl: SimulatedCrawl, seeds: range) -> list[int]:
    """Pages until a halving is found; 1,500 where it is not."""
    found = (pages_until_found(crawl, before=1_000, patience=1_500, seed=seed) for seed in seeds)
    return [1_500 if pages is None else pages for pages in found]


def test_a_lasting_halving_is_found_within_300_pages():
    found = [delay for crawl in USUAL for delay in delays(crawl, range(12))]
    assert np.median(found) <= 200
    assert np.mean([delay <= 300 for delay in found]) >= 0.8
    assert max(found) < 1_500


def test_a_steadier_crawl_is_alarmed_sooner():
    steady, noisy = SimulatedCrawl(0.8, 0.0), SimulatedCrawl(0.35, 0.3)
    assert max(delays(steady, range(8))) < np.median(delays(noisy, range(8)))


def test_nothing_is_judged_before_there_is_a_past():
    detector = fed([0.0] * 99)
    assert not detector.knows(RELEVANCE)
    assert not detector.has_fallen


def test_a_crawl_without_relevant_pages_has_nothing_to_lose():
    assert not fed([0.01] * 3_000).knows(RELEVANCE)


def test_a_short_dip_is_forgotten():
    detector = fed([0.5, 0.7] * 100 + [0.2] * 20 + [0.5, 0.7] * 100)
    assert detector.statistic == 0
    assert not detector.has_fallen


def test_one_bad_batch_proves_nothing_however_steady_the_crawl_was():
    detector = fed([0.9] * 200 + [0.0] * 30)
    assert not detector.has_fallen
    for _ in range(10):
        detector.add(0.0, RELEVANCE)
    assert detector.has_fallen


def test_the_fall_is_dated_to_where_it_began():
    detector = fed([0.5, 0.7] * 100 + [0.1, 0.2] * 30)
    assert detector.has_fallen
    assert detector.since(RELEVANCE) == 60


def test_a_rise_is_no_alarm():
    assert not fed([0.2, 0.4] * 100 + [0.9] * 500).has_fallen


def test_a_recovery_is_seen():
    detector = fed([0.5, 0.7] * 100 + [0.1] * 200)
    assert detector.has_fallen
    for _ in range(100):
        detector.add(0.6, RELEVANCE)
    assert not detector.is_in_doubt


def test_after_a_remedy_the_same_fall_is_found_again_if_it_stays():
    detector = fed([0.5, 0.7] * 100 + [0.1] * 100)
    detector.forgive()
    assert not detector.has_fallen
    for _ in range(100):
        detector.add(0.1, RELEVANCE)
    assert detector.has_fallen


def test_half_the_speed_is_found_in_two_minutes():
    dice = np.random.default_rng(3)
    usual = list(np.log(dice.gamma(20, 3, 60)))
    detector = fed(usual, SPEED)
    assert not detector.has_fallen
    for value in np.log(dice.gamma(20, 1.4, 12)):
        detector.add(float(value), SPEED)
    assert detector.has_fallen


def test_the_threshold_grows_with_the_run_length_and_falls_with_the_drift():
    assert threshold(0.3, 2_000) > threshold(0.3, 200)
    assert threshold(0.1, 2_000) > threshold(0.3, 2_000)
    # Siegmund 1985: k = 0.5, h = 5 runs about 938 steps; tables say 930.
    assert threshold(0.5, 938) == pytest.approx(5.0, abs=0.05)


def test_a_detector_survives_json():
    pages = list(relevances(USUAL[1], 700, np.random.default_rng(1)))
    whole, half = fed(pages), FallDetector.from_json(fed(pages[:333]).to_json())
    for value in pages[333:]:
        half.add(value, RELEVANCE)
    assert half == whole
