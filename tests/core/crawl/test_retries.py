import pytest

from crawler.core.retries import (
    MAX_RESTS,
    RULES,
    STATUS_RULES,
    Dead,
    Failure,
    Refusal,
    Retry,
    after_failure,
)
from focusadmin.lib.outcomes import FetchFailure, FetchResult, Reason
from focusadmin.lib.parsing_worker import WorkFailure, WorkReason

NOW = 1_700_000_000.0
URL = "http://e.com/page"


def failed(reason: Reason, url: str = URL) -> FetchFailure:
    return FetchFailure(url, reason, "detail", url)


def answered(status: int, url: str = URL, **headers: str) -> FetchResult:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return FetchResult(url, url, status, named, b"", "9.9.9.9", (), 0, 0.1)


def tries_until_dead(outcome: Failure) -> int:
    """How often a URL is fetched in all if it always fails like this."""
    for tries in range(20):
        if isinstance(after_failure(outcome, tries, NOW), Dead):
            return tries + 1
    raise AssertionError(f"{outcome} never dies")


TRIES = {
    Reason.NAME_NOT_FOUND: 2,
    Reason.CONNECT_FAILED: 3,
    Reason.CONNECT_TIMEOUT: 3,
    Reason.FIRST_BYTE_TIMEOUT: 3,
    Reason.TOO_SLOW: 3,
    Reason.DEADLINE: 3,
    Reason.CUT_OFF: 3,
}


def test_every_kind_of_failure_has_a_row_of_its_own():
    kinds = [*Reason, *Refusal, *WorkReason]
    assert set(RULES) == set(kinds)
    assert len(RULES) == len(kinds)  # names that are equal as text would share a row


@pytest.mark.parametrize("reason", Reason)
def test_a_failed_fetch_is_tried_so_often(reason: Reason):
    assert tries_until_dead(failed(reason)) == TRIES.get(reason, 1)


@pytest.mark.parametrize("reason", Reason)
def test_the_table_agrees_with_what_the_fetcher_calls_passing(reason: Reason):
    assert (RULES[reason].max_tries > 1) == failed(reason).may_retry


@pytest.mark.parametrize("kind", WorkReason)
def test_a_page_that_cannot_be_parsed_is_dead_at_once(kind: WorkReason):
    assert tries_until_dead(WorkFailure(kind, "detail")) == 1


@pytest.mark.parametrize(
    ("status", "tries"),
    [
        (101, 1),
        (300, 1),
        (304, 1),
        (400, 1),
        (401, 1),
        (403, 1),
        (404, 1),
        (410, 1),
        (451, 1),
        (408, 3),
        (425, 2),
        (429, 3),
        (500, 3),
        (502, 3),
        (503, 3),
        (504, 3),
        (599, 3),
        (999, 1),
    ],
)
def test_a_status_is_tried_so_often(status: int, tries: int):
    assert tries_until_dead(answered(status)) == tries


def test_robots_that_deny_are_final_and_robots_that_are_down_are_not():
    denied = after_failure(Refusal.ROBOTS_DENIED, 0, NOW, url=URL)
    assert denied == Dead("robots.txt asks us not to visit this page")
    down = after_failure(Refusal.ROBOTS_UNREACHABLE, 0, NOW, url=URL)
    assert isinstance(down, Retry)
    assert down.delay_seconds == down.host_rest_seconds >= 450.0


def test_the_pauses_grow_fourfold():
    pauses = [after_failure(failed(Reason.TOO_SLOW), tries, NOW) for tries in range(2)]
    first, second = (pause.delay_seconds for pause in pauses if isinstance(pause, Retry))
    assert 22.5 <= first < 37.5
    assert second == pytest.approx(4 * first)


def test_an_unknown_name_is_tried_once_more_after_about_a_minute():
    verdict = after_failure(failed(Reason.NAME_NOT_FOUND), 0, NOW)
    assert isinstance(verdict, Retry)
    assert 45.0 <= verdict.delay_seconds < 75.0
    assert verdict.host_rest_seconds == verdict.delay_seconds


def test_the_jitter_differs_by_url_and_never_by_run():
    urls = [f"http://e.com/{number}" for number in range(200)]
    runs = [[after_failure(failed(Reason.DEADLINE, url), 0, NOW) for url in urls] for _ in "12"]
    assert runs[0] == runs[1]
    delays = [verdict.delay_seconds for verdict in runs[0] if isinstance(verdict, Retry)]
    assert len(set(delays)) > 190
    assert 22.5 <= min(delays) < 25.0
    assert 35.0 < max(delays) < 37.5


def test_a_url_can_be_named_for_outcomes_without_one():
    one, other = (
        after_failure(Refusal.ROBOTS_UNREACHABLE, 0, NOW, url=url) for url in (URL, URL + "2")
    )
    assert one != other


@pytest.mark.parametrize(
    ("reason", "rests"),
    [
        (Reason.CONNECT_FAILED, True),
        (Reason.CONNECT_TIMEOUT, True),
        (Reason.FIRST_BYTE_TIMEOUT, False),
        (Reason.CUT_OFF, False),
    ],
)
def test_a_host_that_cannot_be_reached_rests_as_a_whole(reason: Reason, rests: bool):
    verdict = after_failure(failed(reason), 0, NOW)
    assert isinstance(verdict, Retry)
    assert (verdict.host_rest_seconds > 0) is rests


@pytest.mark.parametrize("status", [429, 503])
@pytest.mark.parametrize(
    ("asked", "seconds"),
    [
        ("120", 120.0),
        ("Tue, 14 Nov 2023 22:15:20 GMT", 120.0),
        ("-5", 1.0),
        ("1e12", 86_400.0),
    ],
)
def test_a_host_that_asks_for_a_rest_gets_it_and_no_try_is_counted(
    status: int, asked: str, seconds: float
):
    for tries in (0, 2, 9):
        verdict = after_failure(answered(status, retry_after=asked), tries, NOW)
        assert verdict == Retry(seconds, seconds, counts_as_try=False)


def test_a_host_cannot_put_a_url_off_for_ever_but_is_still_heard():
    outcome = answered(429, retry_after="7200")
    verdict = after_failure(outcome, 0, NOW, rests=MAX_RESTS)
    assert verdict == Retry(7200.0, 7200.0, counts_as_try=True)
    last = after_failure(outcome, 2, NOW, rests=MAX_RESTS)
    assert last == Dead("status 429: the host has had too many requests (3 tries)", 7200.0)


def test_retry_after_means_nothing_with_other_statuses():
    assert after_failure(answered(500, retry_after="7200"), 0, NOW) == after_failure(
        answered(500), 0, NOW
    )
    assert isinstance(after_failure(answered(404, retry_after="7200"), 0, NOW), Dead)


def test_too_many_requests_rest_the_host_even_when_it_does_not_say_how_long():
    for tries in range(3):
        assert after_failure(answered(429), tries, NOW).host_rest_seconds >= 45.0
    assert after_failure(answered(500), 0, NOW).host_rest_seconds == 0.0


def test_reasons_are_words_for_people():
    assert after_failure(answered(404), 0, NOW) == Dead("status 404: no such page")
    assert after_failure(answered(418), 0, NOW) == Dead("status 418: the host has no page to give")
    assert after_failure(failed(Reason.BOMB), 0, NOW) == Dead(RULES[Reason.BOMB].words)
    dead = after_failure(failed(Reason.CONNECT_TIMEOUT), 2, NOW)
    assert isinstance(dead, Dead)
    assert dead.reason == "the host did not answer (3 tries)"
    words = [rule.words for rule in [*RULES.values(), *STATUS_RULES.values()]]
    assert len(set(words)) == len(words)


def test_a_page_that_came_is_no_failure():
    with pytest.raises(ValueError, match="status 200 is no failure"):
        after_failure(answered(200), 0, NOW)
