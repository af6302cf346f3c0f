"""Distillation by numbers that can be worked out on paper, and by laws that hold for any graph."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawler.core.distiller import NOWHERE, LinkGraph, authority_threshold, distil


def graph(links, relevance, sites=None, addresses=None, weights=None) -> LinkGraph:
    size = len(relevance)
    sources, targets = zip(*links, strict=True) if links else ((), ())
    return LinkGraph(
        sources=np.array(sources, dtype=np.int64),
        targets=np.array(targets, dtype=np.int64),
        relevance=np.array(relevance, dtype=float),
        sites=np.array(sites if sites is not None else range(size), dtype=np.int64),
        addresses=np.array(addresses if addresses is not None else [NOWHERE] * size),
        weights=np.array(weights if weights is not None else [1.0] * size),
    )


def all_authorities(made: LinkGraph):
    return distil(made, authority_share=1.0)


def test_one_link_makes_one_hub_and_one_authority():
    scores = all_authorities(graph([(0, 1)], [0.5, 0.9]))
    assert scores.hubs.tolist() == [1.0, 0.0]
    assert scores.authorities.tolist() == [0.0, 1.0]


def test_scores_worked_out_by_hand():
    # 0 and 1 link to 2, only 0 links to 3. F = [[.8, .4], [.8, 0]], B = [[.5, .5], [1, 0]].
    made = graph([(0, 2), (1, 2), (0, 3)], [0.5, 1.0, 0.8, 0.4])
    scores = distil(made, authority_share=1.0, restart=0.0)
    # h is the main eigenvector of B F^T = [[.6, .4], [.8, .8]].
    eigenvalue = (1.4 + math.sqrt(0.2**2 + 4 * 0.4 * 0.8)) / 2
    ratio = (eigenvalue - 0.6) / 0.4  # h(1) : h(0)
    assert scores.hubs[1] / scores.hubs[0] == pytest.approx(ratio, rel=1e-6)
    # a = F^T h: a(2) : a(3) = .8 (h0 + h1) : .4 h0
    assert scores.authorities[2] / scores.authorities[3] == pytest.approx(2 * (1 + ratio), rel=1e-6)
    assert scores.has_converged


def test_links_within_a_site_do_not_count():
    scores = all_authorities(graph([(0, 1), (1, 0)], [1.0, 1.0], sites=[7, 7]))
    assert not scores.hubs.any()
    assert not scores.authorities.any()
    assert scores.links == 0


def test_pages_below_the_threshold_are_no_authorities_but_may_be_hubs():
    relevance = [0.1, 0.9, 0.2, 0.3, 0.05]
    made = graph([(0, 1), (0, 2), (4, 1), (1, 3)], relevance)
    scores = distil(made, authority_share=0.2)
    assert np.flatnonzero(scores.authorities).tolist() == [1]
    assert np.flatnonzero(scores.hubs).tolist() == [0, 4]
    assert 0.3 < scores.threshold <= 0.9


def test_irrelevant_pages_get_no_prestige_and_reflect_none():
    scores = all_authorities(graph([(0, 2), (0, 3), (1, 2)], [1.0, 0.0, 0.8, 0.0]))
    assert scores.authorities[3] == 0.0
    assert scores.hubs[1] == 0.0


def test_many_pages_of_one_site_have_one_vote():
    # Ten pages of site 0 cite page 12; pages 10 and 11 of two sites cite page 13.
    links = [(page, 12) for page in range(10)] + [(10, 13), (11, 13)]
    sites = [0] * 10 + [1, 2, 3, 4]
    scores = all_authorities(graph(links, [0.5] * 14, sites))
    assert scores.authorities[13] > scores.authorities[12]


def test_many_sites_of_one_address_have_one_vote():
    links = [(page, 12) for page in range(10)] + [(10, 13), (11, 13)]
    addresses = [5] * 10 + [6, 7, 8, 9]
    farm = all_authorities(graph(links, [0.5] * 14, addresses=addresses))
    honest = all_authorities(graph(links, [0.5] * 14))
    assert farm.authorities[13] > farm.authorities[12]
    assert honest.authorities[12] > honest.authorities[13]


def test_eight_links_to_one_site_count_as_four():
    # Both pages cite all authorities; those of page 0 are of one site, those of page 1 of eight.
    links = [(hub, page) for hub in (0, 1) for page in range(2, 10)]
    relevance = [0.5] * 10
    honest = all_authorities(graph(links, relevance))
    assert honest.hubs[0] == pytest.approx(honest.hubs[1])
    one_site = [(0, page) for page in range(2, 10)] + [(1, page) for page in range(10, 14)]
    sites = [0, 1] + [2] * 8 + [3, 4, 5, 6]
    scores = distil(graph(one_site, [0.5] * 14, sites), authority_share=1.0, max_rounds=1)
    assert scores.hubs[0] == pytest.approx(scores.hubs[1])


def test_eight_links_to_one_address_count_as_four():
    links = [(0, page) for page in range(2, 10)] + [(1, page) for page in range(10, 14)]
    addresses = [0, 1] + [2] * 8 + [3, 4, 5, NOWHERE]
    made = graph(links, [0.5] * 14, addresses=addresses)
    scores = distil(made, authority_share=1.0, max_rounds=1)
    assert scores.hubs[0] == pytest.approx(scores.hubs[1])


def test_a_tightly_knit_community_does_not_take_all():
    # Four pages that cite the same four, and a list of six pages that nobody else cites.
    knit = [(hub, page) for hub in range(4) for page in range(4, 8)]
    made = graph([*knit, *((8, page) for page in range(9, 15))], [0.9] * 15)
    plain = distil(made, authority_share=1.0, restart=0.0)
    assert plain.hubs[8] < 1e-6
    assert all_authorities(made).hubs[8] > all_authorities(made).hubs[0] / 5


def test_rounds_end_when_nothing_moves_or_at_the_cap():
    # Two communities of nearly the same weight, joined by one link: it takes long to tell.
    links = [(0, 4), (1, 4), (1, 5), (2, 5), (2, 6), (3, 6), (3, 7)]
    made = graph(links, [0.9, 0.8, 0.8, 0.9, 0.9, 0.8, 0.8, 0.9])
    cut = distil(made, authority_share=1.0, max_rounds=3)
    assert (cut.rounds, cut.has_converged) == (3, False)
    done = distil(made, authority_share=1.0, max_rounds=10_000)
    assert done.has_converged
    one_more = distil(made, authority_share=1.0, tolerance=0.0, max_rounds=done.rounds + 1)
    assert np.abs(one_more.hubs - done.hubs).max() < 1e-8


def test_what_people_find_useful_weighs_more():
    links = [(0, 2), (1, 3), (0, 3), (1, 2)]
    even = all_authorities(graph(links, [0.5] * 4))
    assert even.hubs[0] == pytest.approx(even.hubs[1])
    liked = all_authorities(graph(links, [0.5] * 4, weights=[2.0, 1.0, 1.0, 1.0]))
    assert liked.hubs[0] == pytest.approx(2 * liked.hubs[1])
    shunned = all_authorities(graph(links, [0.5] * 4, weights=[1.0, 1.0, 0.1, 1.0]))
    assert shunned.authorities[2] < shunned.authorities[3] / 5


def test_nothing_gives_nothing():
    scores = distil(graph([], []))
    assert (len(scores.hubs), scores.links, scores.has_converged) == (0, 0, True)
    assert authority_threshold(np.zeros(0), 0.15) == 1.0


@st.composite
def some_graph(draw):
    size = draw(st.integers(2, 12))
    page = st.integers(0, size - 1)
    links = draw(st.lists(st.tuples(page, page), max_size=40, unique=True))
    numbers = st.lists(st.integers(0, 4), min_size=size, max_size=size)
    relevance = draw(st.lists(st.floats(0, 1), min_size=size, max_size=size))
    return graph(links, relevance, draw(numbers), draw(numbers))


@given(some_graph())
@settings(max_examples=60, deadline=None)
def test_scores_are_finite_not_negative_and_of_unit_length(made):
    scores = distil(made)
    for vector in (scores.hubs, scores.authorities):
        assert np.isfinite(vector).all()
        assert (vector >= 0).all()
        assert np.linalg.norm(vector) == pytest.approx(1.0) or not vector.any()


@given(some_graph(), st.randoms(use_true_random=False))
@settings(max_examples=40, deadline=None)
def test_the_order_of_links_does_not_matter(made, random):
    order = list(range(len(made.sources)))
    random.shuffle(order)
    mixed = graph(
        list(zip(made.sources[order].tolist(), made.targets[order].tolist(), strict=True)),
        made.relevance,
        made.sites,
        made.addresses,
    )
    assert np.allclose(distil(made).hubs, distil(mixed).hubs, atol=1e-6)
