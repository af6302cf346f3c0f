"""What a diagnosis says of crawls made by hand, one cause each."""

import pytest

from crawler.core.diagnosis.causes import diagnosed, harvest_of
from crawler.core.diagnosis.record import Cause, CrawlRecord, Finding, Left, RemedyKind
from crawler.core.diagnosis.widening import kinship
from tests.core.diagnosis_pages import GOOD, SOCCER, STOCKS, page, record


def finding(crawl: CrawlRecord, cause: Cause) -> Finding | None:
    return next((one for one in diagnosed(crawl).findings if one.cause is cause), None)


def mixed(**values) -> CrawlRecord:
    """Ten funds that nobody but pages on stocks knows, and pages on soccer that know nothing."""
    funds = [page(number) for number in range(10)]
    stocks = [page(20 + n, STOCKS, targets=(n % 10,), site=f"t{n % 5}.example") for n in range(40)]
    soccer = [page(100 + n, SOCCER, targets=(21,)) for n in range(40)]
    return record([*funds, *stocks, *soccer], **values)


def test_neighbours_that_lead_to_what_is_wanted_lead_to_the_widening_advice():
    found = finding(mixed(), Cause.MIXED_TOPICS)
    assert found is not None
    assert found.remedy is not None
    assert found.remedy.kind is RemedyKind.WIDEN
    assert found.remedy.values == ("/Business/Investing",)
    assert "40 of 80 irrelevant pages are about Business / Investing." in found.evidence
    assert "1.00 times a page, against 0.00" in found.evidence[2]


def test_neighbours_that_lead_nowhere_do_not():
    funds = [page(number, targets=((number + 1) % 30,)) for number in range(30)]
    stocks = [page(50 + n, STOCKS, targets=(51,)) for n in range(60)]
    assert finding(record([*funds, *stocks]), Cause.MIXED_TOPICS) is None


def test_one_site_that_cites_itself_proves_no_mixture():
    funds = [page(number, site="one.example") for number in range(10)]
    stocks = [page(20 + n, STOCKS, targets=(n % 10,), site="one.example") for n in range(40)]
    assert finding(record([*funds, *stocks]), Cause.MIXED_TOPICS) is None


def test_what_is_wide_already_is_not_widened():
    assert finding(mixed(pass_through=[("Business", "Investing")]), Cause.MIXED_TOPICS) is None


def test_the_gain_is_what_was_measured_on_pages_found_the_same_way():
    crawl = mixed()
    found_there = [page(200 + n, GOOD if n < 5 else SOCCER, found_on=20) for n in range(20)]
    pages = [*crawl.pages, *found_there]
    waiting = dict.fromkeys(range(1000, 1100), 20) | {1_200: 100}
    found = finding(record(pages, waiting=waiting), Cause.MIXED_TOPICS)
    assert found is not None
    assert found.gain is not None
    assert found.gain.expected == pytest.approx(100 * 5 / 20)
    assert found.gain.low < 25 < found.gain.high


def test_without_a_measurement_no_gain_is_promised():
    found = finding(mixed(), Cause.MIXED_TOPICS)
    assert found is not None
    assert found.gain is None


def test_while_widening_helps_nobody_is_told_to_stop():
    found = finding(mixed(waiting={}), Cause.EXHAUSTED)
    assert found is not None
    assert found.remedy is None


@pytest.mark.parametrize(
    ("topic", "kin"),
    [
        (STOCKS, "sibling"),
        ((*STOCKS, "Penny"), "sibling"),
        (("Business", "Investing"), "parent"),
        (GOOD, ""),
        ((*GOOD, "Index"), ""),
        (SOCCER, ""),
    ],
)
def test_kinship(topic, kin):
    assert kinship(topic, [GOOD]) == kin


def test_a_top_level_topic_has_no_kin():
    assert kinship(("Sports",), [("Business",)]) == ""


def test_an_empty_frontier_under_hard_focus_asks_for_soft_focus():
    pages = [page(number) for number in range(30)]
    found = finding(record(pages, waiting={}, strategy="hard_focus"), Cause.EXHAUSTED)
    assert found is not None
    assert found.remedy is not None
    assert found.remedy.values == ("soft_focus",)


def test_a_frontier_full_of_what_strays_lead_to_promises_little():
    pages = [page(number) for number in range(30)] + [page(40, SOCCER)]
    waiting = dict.fromkeys(range(1000, 1100), 40)
    found = finding(record(pages, waiting=waiting), Cause.EXHAUSTED)
    assert found is not None
    assert found.title == "What is left in the frontier promises little"


def fallen(**values) -> CrawlRecord:
    """Good pages first, strays of many topics later; every waiting URL was found on a good page."""
    good = [page(number) for number in range(200)]
    strays = [page(300 + n, ("Top", f"T{n % 40}")) for n in range(120)]
    return record([*good, *strays], waiting=dict.fromkeys(range(1000, 2000), 0), **values)


def test_where_hardly_anything_that_waits_is_expected_to_be_relevant_it_is_nearly_all_found():
    found = finding(fallen(left=Left(expected=22.4, found=0.908)), Cause.EXHAUSTED)
    assert found is not None
    assert found.title == "Nearly everything that can be reached is found"
    assert found.evidence[0].startswith("About 22 of the 1,000 URLs that wait")
    assert found.evidence[1] == "At least 90 % of what can be reached is found."
    assert found.remedy is not None
    assert found.remedy.kind is RemedyKind.STOP


@pytest.mark.parametrize("left", [None, Left(expected=100.0, found=0.5)])
def test_without_an_estimate_or_with_much_left_that_is_not_said(left):
    assert finding(fallen(left=left), Cause.EXHAUSTED) is None


def test_a_trap_by_its_addresses():
    good = [page(number) for number in range(30)]
    trap = [
        page(100 + n, SOCCER, site="trap.example", url=f"http://trap.example/cal/2024/{n}")
        for n in range(60)
    ]
    found = finding(record([*good, *trap]), Cause.TRAP)
    assert found is not None
    assert found.remedy is not None
    assert found.remedy.values == ("trap.example/cal/",)


def test_numbered_pages_that_are_relevant_are_no_trap():
    pages = [page(n, site="fund.example", url=f"http://fund.example/{n}") for n in range(60)]
    assert finding(record(pages), Cause.TRAP) is None


def test_a_host_that_refuses_and_mattered_is_visited_less_often():
    pages = [page(number, host="a.example:81") for number in range(30)]
    refusing = [("a.example:81", 7, "status_429")]
    found = finding(record(pages, refusing_hosts=refusing), Cause.BLOCKED)
    assert found is not None
    assert found.remedy is not None
    assert found.remedy.kind is RemedyKind.SLOWER


def test_a_host_that_refuses_and_gave_nothing_is_left_alone():
    refusing = [("b.example:81", 7, "status_403")]
    found = finding(record([page(1)], refusing_hosts=refusing), Cause.BLOCKED)
    assert found is not None
    assert found.remedy is not None
    assert found.remedy.values == ("b.example",)


def test_drift_to_a_foreign_topic():
    good = [page(number) for number in range(300)]
    strays = [page(400 + n, SOCCER) for n in range(150)]
    found = finding(record([*good, *strays]), Cause.DRIFT)
    assert found is not None
    assert "/Sports/Soccer" in found.title


def test_drift_to_a_neighbour_is_no_drift():
    pages = [page(n) for n in range(300)] + [page(400 + n, STOCKS) for n in range(150)]
    assert finding(record(pages), Cause.DRIFT) is None


def test_errors_by_kind_and_host():
    pages = [page(number) for number in range(200)]
    failed = [page(300 + n, outcome="status_500", site="x.example") for n in range(80)]
    found = finding(record([*pages, *failed]), Cause.ERRORS)
    assert found is not None
    assert found.title == "40% of the last 200 fetches failed"
    assert found.evidence[1] == "80 of 80 are on x.example."


def test_a_healthy_crawl_has_no_findings():
    pages = [page(n, targets=((n + 1) % 200,)) for n in range(200)]
    assert diagnosed(record(pages)).findings == []


def test_a_crawl_that_has_not_begun():
    assert diagnosed(record([])).findings == []
    assert harvest_of([]).window == 0


def test_the_harvest_at_its_best_and_of_late():
    harvest = harvest_of(
        [page(n) for n in range(200)] + [page(300 + n, SOCCER) for n in range(200)]
    )
    assert harvest.best == pytest.approx(0.9)
    assert harvest.latest == pytest.approx(0.05)
    assert harvest.has_fallen
