import math

import pytest

from focusadmin.lib.clock import ManualClock, SystemClock
from focusadmin.lib.politeness import Pacing, crawl_delay, retry_after

NOW = 1_700_000_000.0  # Tue, 14 Nov 2023 22:13:20 GMT


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        (None, 1.0),
        (0.0, 1.0),
        (0.5, 1.0),
        (-7.0, 1.0),
        (5.0, 5.0),
        (3600.0, 300.0),
        (float("1e309"), 300.0),
        (math.nan, 1.0),
        (-math.inf, 1.0),
    ],
)
def test_the_delay_that_a_site_asks_for_is_bounded(asked: float | None, seconds: float):
    assert crawl_delay(asked, own_seconds=1.0) == seconds


@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("120", 120.0),
        ("0", 1.0),
        ("-5", 1.0),
        ("1e12", 86_400.0),
        ("inf", 86_400.0),
        ("nan", None),
        ("Tue, 14 Nov 2023 22:15:20 GMT", 120.0),
        ("Tue, 14 Nov 2000 22:15:20 GMT", 1.0),
        ("Tue, 14 Nov 9999 22:15:20 GMT", 86_400.0),
        ("soon", None),
        ("", None),
        ("Tue, 99 Nov 2023 99:99:99 GMT", None),
        ("9" * 400, 86_400.0),
    ],
)
def test_retry_after_is_bounded(asked: str, seconds: float | None):
    assert retry_after({"retry-after": asked}, now=NOW) == seconds


def test_no_header_no_wait():
    assert retry_after({}, now=NOW) is None


def test_pace_is_kept_by_host_and_by_address():
    clock, pacing = ManualClock(), Pacing(own_seconds=2.0)
    pacing.note_request("a.test", "9.9.9.9", clock.now(), delay_seconds=10.0)
    assert pacing.wait_seconds("a.test", "9.9.9.9", clock.now()) == 10.0
    assert pacing.wait_seconds("b.test", "9.9.9.9", clock.now()) == 2.0
    assert pacing.wait_seconds("b.test", "8.8.8.8", clock.now()) == 0.0
    clock.advance(2.0)
    assert pacing.wait_seconds("b.test", "9.9.9.9", clock.now()) == 0.0
    assert pacing.wait_seconds("a.test", "", clock.now()) == 8.0


def test_a_host_that_wants_rest_gets_it():
    pacing = Pacing()
    pacing.note_rest("a.test", 500.0)
    pacing.note_rest("a.test", 100.0)
    assert pacing.wait_seconds("a.test", "", 400.0) == 100.0


def test_memory_is_bounded():
    pacing = Pacing(max_entries=10)
    for number in range(100):
        pacing.note_request(f"h{number}.test", "", 0.0)
    assert len(pacing._next_at) == 10


def test_the_system_clock_moves():
    clock = SystemClock()
    assert clock.now() > NOW
    assert clock.monotonic() <= clock.monotonic()
    assert ManualClock(5.0).monotonic() == 5.0
