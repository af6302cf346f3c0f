"""Distances, the rise of authorities and the culture of a community, worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.community import UNREACHED, Community, community, distances, rise


def ints(*values) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def ends(pairs) -> tuple[np.ndarray, np.ndarray]:
    return ints(*(a for a, _ in pairs)), ints(*(b for _, b in pairs))


def test_distances_are_the_shortest_ways_from_any_start_page():
    #  0 -> 1 -> 2 -> 3,  4 -> 3,  5 alone; 0 and 4 are start pages
    sources, targets = ends([(0, 1), (1, 2), (2, 3), (4, 3), (3, 0)])
    found = distances(6, sources, targets, ints(0, 4))
    assert found.tolist() == [0, 1, 2, 1, 0, UNREACHED]


def test_without_start_pages_nothing_is_reached():
    assert distances(2, *ends([(0, 1)]), ints()).tolist() == [UNREACHED, UNREACHED]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), max_size=40))
def test_a_link_is_never_more_than_one_step(pairs):
    found = distances(10, *ends(pairs), ints(0))
    assert found[0] == 0
    for source, target in pairs:
        if found[source] != UNREACHED:
            assert 0 <= found[target] <= found[source] + 1


def test_an_authority_is_popular_when_five_other_sites_cite_it():
    # Page 0 on site 0; pages 1..7 cite it: a page of its own site, then sites 1, 1, 2, 3, 4, 5.
    sites = ints(0, 0, 1, 1, 2, 3, 4, 5)
    seqs = ints(20, 3, 8, 6, 30, 40, 50, 90)
    sources, targets = ends([(page, 0) for page in range(1, 8)])
    how = rise(0, sources=sources, targets=targets, sites=sites, seqs=seqs)
    assert how.seen == 3
    assert how.popular == 90  # sites 1 to 5 at 6, 30, 40, 50 and 90
    assert how.pages == 87
    assert how.sites == 5


def test_fewer_sites_make_nobody_popular():
    how = rise(0, sources=ints(1), targets=ints(0), sites=ints(0, 1), seqs=ints(5, 9))
    assert (how.seen, how.popular, how.pages, how.sites) == (5, None, None, 1)


def test_a_community_counts_links_between_its_sites():
    # Pages 0, 1, 2 are members on sites 0, 1, 2; page 3 is an outsider on site 3; 4 shares site 0.
    sites = ints(0, 1, 2, 3, 0)
    members = np.array([True, True, True, False, True])
    sources, targets = ends([(0, 1), (1, 0), (1, 2), (0, 3), (3, 0), (0, 4), (4, 1)])
    made = community(members, sources=sources, targets=targets, sites=sites)
    assert made == Community(
        pages=4, sites=3, links=5, inside=4, site_pairs=3, returned=2, linked_sites=3
    )
    assert made.inside_share == pytest.approx(0.8)
    assert made.reciprocity == pytest.approx(2 / 3)


def told(**changes) -> str:
    figures = {
        "pages": 100, "sites": 10, "links": 200, "inside": 120, "site_pairs": 30,
        "returned": 12, "linked_sites": 8,
    }  # fmt: skip
    return Community(**{**figures, **changes}).verdict


def test_the_verdict_follows_the_share_of_links_that_stay():
    assert told() == "cooperative"
    assert told(linked_sites=4) == "mixed"  # two sites that cite each other are no community
    assert told(inside=85) == "mixed"  # 42 %, but the interval begins at 36 %
    assert told(inside=10) == "competitive"
    assert told(inside=35) == "mixed"  # 17 %, but the interval ends at 23 %
    assert told(links=19, inside=0) == "too few links"
    assert told(sites=2) == "too few links"
    assert Community(0, 0, 0, 0, 0, 0, 0).verdict == "too few links"


def test_nothing_makes_shares_of_zero():
    empty = Community(0, 0, 0, 0, 0, 0, 0)
    assert (empty.inside_share, empty.reciprocity, empty.linked_share) == (0, 0, 0)
