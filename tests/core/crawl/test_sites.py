"""What can be expected of a site, whose say counts, and what the ledger of politeness measures."""

import pytest

from crawler.core.hosts import Hosts
from crawler.core.robot_words import robots_words
from crawler.core.sites import SiteEvidence, in_force, predicted_relevance, stay_away_entries


def test_nothing_known_is_the_average_and_pages_outweigh_the_frontier():
    assert predicted_relevance(SiteEvidence(0, 0.0, 0, 0.0), 0.3) == pytest.approx(0.3)
    cited_well = [SiteEvidence(n, 0.0, 8, 8.0) for n in (0, 5, 45)]
    predictions = [predicted_relevance(site, 0.5) for site in cited_well]
    assert predictions == pytest.approx([0.9, 0.45, 0.09])


@pytest.mark.parametrize(
    ("said", "state"),
    [
        ([], "new"),
        (["in"], "in"),
        (["in", "out"], "undecided"),
        (["undecided", "undecided", "out"], "out"),
        (["in", "out", "out"], "out"),
        (["undecided"], "undecided"),
    ],
)
def test_the_majority_of_in_and_out_counts(said, state):
    assert in_force(said) == state


def test_staying_away_from_a_site_means_all_names_below_it():
    assert stay_away_entries("bbc.co.uk") == ["bbc.co.uk", "*.bbc.co.uk"]
    assert stay_away_entries("127.0.0.1") == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("", "not asked yet"),
        ("status 200", "read; it keeps us from 1 address"),
        ("status 404", "there is none: everything may be visited"),
        ("status 429", "not readable (status 429): nothing may be visited for now"),
        ("connect_timeout", "not readable (connect timeout): nothing may be visited for now"),
        ("redirect_loop", "only redirects: everything may be visited"),
    ],
)
def test_robots_in_words(note, words):
    assert robots_words(note, 1) == words


def test_the_pause_counts_from_the_request_and_not_from_its_turn():
    hosts = Hosts(1.0)
    host = hosts.of_url("https://a.example/")
    hosts.note_request(host, 100.0)  # its turn
    hosts.note_asked(host, 100.4)  # a busy loop sends it later
    hosts.note_end(host)
    assert hosts.free_at(host, 100.5) == pytest.approx(101.4)
    for at in (101.5, 104.5):
        hosts.note_asked(host, at)
    assert (host.requests, host.first_asked, host.last_asked) == (3, 100.4, 104.5)
    assert host.shortest_gap == pytest.approx(1.1)
