"""Speed and success of fetches: a fall is found, noise is not."""

import numpy as np
import pytest

from crawler.core.alarms.cusum import SPEED, SUCCESS, FallDetector, threshold


def fed(values, tuning) -> FallDetector:
    detector = FallDetector()
    for value in values:
        detector.add(float(value), tuning)
    return detector


def test_half_the_speed_is_found_in_two_minutes():
    dice = np.random.default_rng(3)
    detector = fed(np.log(dice.gamma(20, 3, 60)), SPEED)
    assert not detector.has_fallen
    for value in np.log(dice.gamma(20, 1.4, 12)):
        detector.add(float(value), SPEED)
    assert detector.has_fallen


def test_a_tenth_that_fails_is_usual_and_a_third_is_not():
    dice = np.random.default_rng(4)
    detector = fed(dice.random(3_000) < 0.9, SUCCESS)
    assert not detector.has_fallen
    for value in dice.random(150) < 0.65:
        detector.add(float(value), SUCCESS)
    assert detector.has_fallen


def test_nothing_is_judged_before_there_is_a_past():
    assert not fed([0.0] * 99, SUCCESS).knows(SUCCESS)


def test_one_bad_batch_proves_nothing_however_steady_the_crawl_was():
    detector = fed([1.0] * 1_000 + [0.0] * 30, SUCCESS)
    assert not detector.has_fallen
    for _ in range(10):
        detector.add(0.0, SUCCESS)
    assert detector.has_fallen


def test_the_threshold_grows_with_the_run_length_and_falls_with_the_drift():
    assert threshold(0.3, 2_000) > threshold(0.3, 200)
    assert threshold(0.1, 2_000) > threshold(0.3, 2_000)
    # Siegmund 1985: k = 0.5, h = 5 runs about 938 steps; tables say 930.
    assert threshold(0.5, 938) == pytest.approx(5.0, abs=0.05)


def test_a_detector_survives_json():
    values = list(np.random.default_rng(1).random(700) < 0.8)
    whole, half = fed(values, SUCCESS), FallDetector.from_json(fed(values[:333], SUCCESS).to_json())
    for value in values[333:]:
        half.add(float(value), SUCCESS)
    assert half == whole
