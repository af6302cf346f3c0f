"""What each rule says of pages and vitals made by hand."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from crawler.core.alarms.rules import RULES, RuleKey
from crawler.core.alarms.states import Signal
from crawler.core.alarms.watch import PageSeen, Vitals, Watch

VITALS = Vitals(
    is_active=True,
    is_running=True,
    reason="",
    fetched=500,
    seconds_run=100.0,
    seconds_quiet=0.0,
    frontier=400,
    budget_share=0.1,
    budget_pages_left=None,
    disk_free=10 * 1024**3,
    seconds_unheld=0.0,
)


def pages(
    count: int,
    *,
    start: int = 1,
    outcome: str = "ok",
    relevance: float = 0.6,
    site: str = "a.example",
    host: str = "a.example",
) -> list[PageSeen]:
    judged = relevance if outcome == "ok" else None
    return [PageSeen(start + n, outcome, judged, site, host) for n in range(count)]


def signal(watch: Watch, key: RuleKey, seq: int = 1_000) -> Signal:
    return watch.page_readings(seq)[key].signal


def vital(watch: Watch, key: RuleKey, vitals: Vitals) -> Signal:
    return watch.vital_readings(vitals)[key].signal


def test_every_rule_is_read():
    watch = Watch()
    assert {*watch.page_readings(0), *watch.vital_readings(VITALS)} == set(RULES) == set(RuleKey)


def test_relevance_tells_how_it_was_and_is():
    watch = Watch()
    watch.take(pages(200))
    assert signal(watch, RuleKey.RELEVANCE) is Signal.CLEAR
    watch.take(pages(60, relevance=0.1))
    reading = watch.page_readings(260)[RuleKey.RELEVANCE]
    assert reading.signal is Signal.BAD
    assert "0.10 over the last 60 pages" in reading.text
    assert "used to 0.60" in reading.text
    assert reading.began == 200


def test_errors_against_what_is_usual():
    watch = Watch()
    watch.take(pages(200))
    assert signal(watch, RuleKey.ERRORS) is Signal.CLEAR
    watch.take(pages(60, outcome="status_500"))
    assert signal(watch, RuleKey.ERRORS) is Signal.BAD


def test_a_crawl_that_always_had_many_errors_is_used_to_them():
    watch = Watch()
    for _ in range(100):
        watch.take(pages(3) + pages(2, outcome="status_404"))
    assert signal(watch, RuleKey.ERRORS) is Signal.CLEAR


def test_our_own_decisions_are_no_errors():
    watch = Watch()
    watch.take(pages(200))
    watch.take(pages(200, outcome="excluded: example.com") + pages(100, outcome="robots_denied"))
    assert signal(watch, RuleKey.ERRORS) is Signal.CLEAR


def test_one_site_captures_the_crawl():
    watch = Watch()
    for n in range(150):
        watch.take(pages(4, site=f"s{n % 20}.example"))
    assert signal(watch, RuleKey.CAPTURE) is Signal.CLEAR
    watch.take(pages(300, site="farm.example"))
    reading = watch.page_readings(900)[RuleKey.CAPTURE]
    assert reading.signal is Signal.BAD
    assert "farm.example" in reading.text


def test_a_crawl_of_one_site_is_not_captured_by_it():
    watch = Watch()
    for seen in range(0, 1_500, 100):
        watch.take(pages(100))
        assert signal(watch, RuleKey.CAPTURE) in {Signal.CLEAR, Signal.NO_DATA}, seen


def test_sites_met_once_are_not_remembered_for_ever():
    watch = Watch()
    for n in range(3_000):
        watch.take(pages(1, site=f"s{n}.example"))
    assert len(watch.sites_before) <= 1_000
    assert signal(watch, RuleKey.CAPTURE) is Signal.CLEAR


@pytest.mark.parametrize("outcome", ["status_403", "status_429", "connect_failed"])
def test_a_host_that_refuses_five_times_in_a_row(outcome):
    watch = Watch()
    watch.take(pages(4, outcome=outcome, host="b.example"))
    assert signal(watch, RuleKey.BLOCKED) is Signal.CLEAR
    watch.take(pages(1, outcome=outcome, host="b.example"))
    assert signal(watch, RuleKey.BLOCKED) is Signal.BAD
    watch.take(pages(1, host="b.example"))
    assert signal(watch, RuleKey.BLOCKED) is Signal.CLEAR


def test_a_host_not_heard_of_for_long_is_forgotten():
    watch = Watch()
    watch.take(pages(5, outcome="status_403", host="b.example"))
    watch.take(pages(3_995, start=6))
    assert signal(watch, RuleKey.BLOCKED) is Signal.CLEAR


def test_a_frontier_that_runs_dry():
    watch = Watch()
    assert vital(watch, RuleKey.FRONTIER, replace(VITALS, frontier=3_000)) is Signal.CLEAR
    assert vital(watch, RuleKey.FRONTIER, replace(VITALS, frontier=40)) is Signal.BAD


def test_a_small_frontier_is_enough_for_the_rest_of_the_budget():
    few = replace(VITALS, frontier=15, budget_pages_left=10)
    assert vital(Watch(), RuleKey.FRONTIER, few) is Signal.CLEAR


def test_an_empty_frontier_is_told_after_the_end():
    ended = replace(VITALS, is_active=False, is_running=False, reason="frontier empty")
    reading = Watch().vital_readings(ended)[RuleKey.FRONTIER]
    assert reading.signal is Signal.BAD
    assert reading.is_final


def test_disk():
    full = replace(VITALS, disk_free=10_000)
    assert vital(Watch(), RuleKey.RESOURCES, full) is Signal.BAD


def test_the_budget_rings_only_while_relevant_pages_come_in():
    nearly = replace(VITALS, budget_share=0.95)
    fruitful, barren = Watch(), Watch()
    fruitful.take(pages(300))
    barren.take(pages(300) + pages(100, relevance=0.0))
    assert vital(fruitful, RuleKey.RESOURCES, nearly) is Signal.BAD
    assert vital(barren, RuleKey.RESOURCES, nearly) is Signal.CLEAR


def test_a_lost_worker():
    assert vital(Watch(), RuleKey.WORKER, VITALS) is Signal.CLEAR
    assert vital(Watch(), RuleKey.WORKER, replace(VITALS, seconds_unheld=30.0)) is Signal.BAD
    paused = replace(VITALS, is_active=False, seconds_unheld=30.0)
    assert vital(Watch(), RuleKey.WORKER, paused) is Signal.NO_DATA


def crawled(watch: Watch, seconds: range, pages_a_second: float) -> Signal:
    for second in seconds:
        at = replace(VITALS, seconds_run=float(second), fetched=round(second * pages_a_second))
        found = vital(watch, RuleKey.SPEED, at)
    return found


def test_half_the_speed_and_a_stall():
    watch = Watch()
    assert crawled(watch, range(0, 400, 5), 2.0) is Signal.CLEAR
    stalled = replace(VITALS, seconds_run=395.0, fetched=790)
    found = [
        vital(watch, RuleKey.SPEED, replace(stalled, seconds_quiet=float(quiet)))
        for quiet in range(0, 120, 5)
    ]
    assert found[-1] is Signal.BAD


def many_sites(count: int) -> list[PageSeen]:
    return [seen for n in range(count) for seen in pages(1, site=f"s{n % 20}.example")]


BAD_AND_OVER: dict[RuleKey, tuple[Callable[[Watch], object], ...]] = {
    # What makes it usual, what is wrong, and what is usual again.
    RuleKey.RELEVANCE: (
        lambda watch: watch.take(pages(200)),
        lambda watch: watch.take(pages(100, relevance=0.1)),
        lambda watch: watch.take(pages(400)),
    ),
    RuleKey.ERRORS: (
        lambda watch: watch.take(pages(200)),
        lambda watch: watch.take(pages(60, outcome="status_500")),
        lambda watch: watch.take(pages(400)),
    ),
    RuleKey.CAPTURE: (
        lambda watch: watch.take(many_sites(600)),
        lambda watch: watch.take(pages(300, site="farm.example")),
        lambda watch: watch.take(many_sites(480)),
    ),
    RuleKey.BLOCKED: (
        lambda watch: watch.take(pages(5)),
        lambda watch: watch.take(pages(5, outcome="status_429", host="b.example")),
        lambda watch: watch.take(pages(1, host="b.example")),
    ),
}


@pytest.mark.parametrize("rule", BAD_AND_OVER)
def test_what_pages_tell_is_over_when_pages_are_as_usual(rule):
    watch, found = Watch(), []
    for happen in BAD_AND_OVER[rule]:
        happen(watch)
        found.append(signal(watch, rule))
    assert found == [Signal.CLEAR, Signal.BAD, Signal.CLEAR]


@pytest.mark.parametrize(
    ("rule", "wrong"),
    [
        (RuleKey.FRONTIER, {"frontier": 10}),
        (RuleKey.RESOURCES, {"disk_free": 10_000}),
        (RuleKey.WORKER, {"seconds_unheld": 30.0}),
    ],
)
def test_what_vitals_tell_is_over_when_they_are_as_usual(rule, wrong):
    watch = Watch()
    vitals = [VITALS, replace(VITALS, **wrong), VITALS]
    found = [vital(watch, rule, each) for each in vitals]
    assert found == [Signal.CLEAR, Signal.BAD, Signal.CLEAR]


def test_a_stall_is_over_when_pages_come_as_fast_as_before():
    watch = Watch()
    crawled(watch, range(0, 400, 5), 2.0)
    for quiet in range(0, 120, 5):
        at = replace(VITALS, seconds_run=395.0, fetched=790, seconds_quiet=float(quiet))
        found = vital(watch, RuleKey.SPEED, at)
    assert found is Signal.BAD
    for second in range(515, 900, 5):
        at = replace(VITALS, seconds_run=float(second), fetched=790 + 2 * (second - 515))
        found = vital(watch, RuleKey.SPEED, at)
    assert found is Signal.CLEAR


def test_a_pause_is_no_stall():
    watch = Watch()
    crawled(watch, range(0, 400, 5), 2.0)
    paused = replace(VITALS, is_running=False, seconds_run=395.0, fetched=790, seconds_quiet=9_999)
    watch.vital_readings(paused)
    assert crawled(watch, range(400, 500, 5), 2.0) is Signal.CLEAR


def test_other_good_topics_make_a_new_past_and_pass_through_topics_do_not():
    watch = Watch()
    watch.settings_changed(1, [["A"]])
    watch.take(pages(200))
    watch.settings_changed(2, [["A"]])
    assert signal(watch, RuleKey.RELEVANCE) is Signal.CLEAR
    watch.settings_changed(3, [["B"]])
    assert signal(watch, RuleKey.RELEVANCE) is Signal.NO_DATA


def test_a_watch_survives_json():
    watch = Watch()
    watch.take(pages(205) + pages(6, outcome="status_403", start=206))
    watch.vital_readings(VITALS)
    assert Watch.from_json(watch.to_json()) == watch
