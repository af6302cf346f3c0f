"""Falls of relevance are found, noise is not: on seeded simulations, and by hand."""

import json

import numpy as np
import pytest

from benchmarks.simulated_crawls import (
    SimulatedCrawl,
    false_alarms,
    pages_until_found,
    relevances,
)
from crawler.core.alarms.tilt import (
    CENTRES,
    FALL_TO,
    LEVELS,
    RelevanceDetector,
    Sample,
    scale_of,
    tilt_to,
    tilted,
)

# The 1999 paper (section 4.2): between a third and half of all fetches succeed.
USUAL = [
    SimulatedCrawl(0.35),
    SimulatedCrawl(0.35, 0.3),
    SimulatedCrawl(0.5, 0.3),
    SimulatedCrawl(0.5, by_site=True),
]


def fed(values) -> RelevanceDetector:
    detector = RelevanceDetector()
    for value in values:
        detector.add(value)
    return detector


def test_under_one_false_alarm_in_ten_thousand_pages_without_a_change():
    alarms = [false_alarms(crawl, 10_000, seed) for crawl in USUAL for seed in range(3)]
    assert sum(alarms) / len(alarms) < 1


def delays(crawl: SimulatedCrawl, seeds: range) -> list[int]:
    """Pages until a halving is found; 1,500 where it is not."""
    found = (pages_until_found(crawl, before=1_000, patience=1_500, seed=seed) for seed in seeds)
    return [1_500 if pages is None else pages for pages in found]


def test_a_lasting_halving_is_found_within_300_pages():
    found = [delay for crawl in USUAL for delay in delays(crawl, range(12))]
    assert np.median(found) <= 150
    assert np.mean([delay <= 300 for delay in found]) >= 0.9
    assert max(found) < 1_500


def test_a_rarely_relevant_crawl_is_judged_too():
    found = delays(SimulatedCrawl(0.2), range(20))
    assert np.mean([delay <= 300 for delay in found]) >= 0.75


def test_a_steadier_crawl_is_alarmed_sooner():
    steady, noisy = SimulatedCrawl(0.8), SimulatedCrawl(0.35, 0.3)
    assert np.median(delays(steady, range(8))) < np.median(delays(noisy, range(8)))


def test_a_tilt_reaches_the_mean_that_is_asked_for():
    shape = np.full(LEVELS, 1 / LEVELS)
    for mean in (0.1, 0.3, 0.5, 0.7):
        assert tilted(shape, tilt_to(shape, mean))[0] @ CENTRES == pytest.approx(mean, abs=1e-3)


def test_without_a_fall_the_ratio_has_mean_one_at_most():
    """What makes e^h a bound on false alarms: E e^step <= 1 under the past itself."""
    past = Sample()
    for value in relevances(SimulatedCrawl(0.4), 2_000, np.random.default_rng(7)):
        past.add(value)
    scale = scale_of(past)
    ratios = np.exp(scale.charge - scale.tilt * CENTRES)
    assert np.array(past.counts) / past.pages @ ratios <= 1.0
    assert scale.charge - scale.tilt * FALL_TO * past.mean > 0


def test_nothing_is_judged_before_there_is_a_past():
    detector = fed([0.0] * 99)
    assert not detector.knows
    assert not detector.has_fallen


def test_a_crawl_without_relevant_pages_has_nothing_to_lose():
    assert not fed([0.01] * 3_000).knows


def test_a_short_dip_is_forgotten():
    detector = fed([0.5, 0.7] * 100 + [0.2] * 10 + [0.5, 0.7] * 100)
    assert detector.statistic == 0
    assert not detector.has_fallen


def test_one_bad_run_proves_nothing_however_steady_the_crawl_was():
    detector = fed([0.9] * 200 + [0.0] * 45)
    assert not detector.has_fallen
    for _ in range(10):
        detector.add(0.0)
    assert detector.has_fallen


def test_the_fall_is_dated_to_where_it_began():
    detector = fed([0.5, 0.7] * 100 + [0.1, 0.2] * 40)
    assert detector.has_fallen
    assert detector.since == 80


def test_a_rise_is_no_alarm():
    assert not fed([0.2, 0.4] * 100 + [0.9] * 500).has_fallen


def test_a_recovery_is_seen():
    detector = fed([0.5, 0.7] * 100 + [0.1] * 200)
    assert detector.has_fallen
    for _ in range(100):
        detector.add(0.6)
    assert not detector.is_in_doubt


def test_after_a_remedy_the_same_fall_is_found_again_if_it_stays():
    detector = fed([0.5, 0.7] * 100 + [0.1] * 100)
    detector.forgive()
    assert not detector.has_fallen
    for _ in range(100):
        detector.add(0.1)
    assert detector.has_fallen


def test_a_detector_survives_json():
    pages = list(relevances(USUAL[1], 700, np.random.default_rng(1)))
    stored = json.loads(json.dumps(fed(pages[:333]).to_json()))
    whole, half = fed(pages), RelevanceDetector.from_json(stored)
    for value in pages[333:]:
        half.add(value)
    assert half == whole


def test_what_an_older_version_kept_is_learnt_anew():
    assert RelevanceDetector.from_json({"past": {"batches": 3}, "seen": 30}) == RelevanceDetector()
