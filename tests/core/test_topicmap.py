"""The topic map: chance, lift and its guards, with figures worked out by hand."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.intervals import poisson_interval
from crawler.core.mapdrawing import bars, drawn, level_of
from crawler.core.topicmap import (
    MOST_TOPICS,
    OTHERS,
    Citation,
    TopicLinks,
    citations,
    expected_links,
    is_at_or_below,
    numbered,
    rolled_up,
    topic_links,
)

Web = tuple[list[tuple[str, str]], list[tuple[int, int]]]


def counted(links: Web) -> TopicLinks:
    """Of pages given as (topic, site), and links among them by their places."""
    pages, pairs = links
    names = sorted({site for _, site in pages})
    leaves, leaf_of = numbered([topic for topic, _ in pages])
    return topic_links(
        leaves=leaves,
        leaf_of=leaf_of,
        sites=np.array([names.index(site) for _, site in pages]),
        sources=np.array([source for source, _ in pairs], dtype=np.int64),
        targets=np.array([target for _, target in pairs], dtype=np.int64),
        depth=2,
    )


def test_topics_roll_up_to_a_depth():
    assert rolled_up("/Recreation/Cycling/Bicycle_Repair", 1) == "/Recreation"
    assert rolled_up("/Health", 3) == "/Health"
    assert rolled_up("", 2) == ""
    assert is_at_or_below("/Health/First_Aid", "/Health")
    assert not is_at_or_below("/Healthy", "/Health")


def test_only_links_between_different_sites_are_counted():
    pages = [("/A/x/deep", "s"), ("/B/y", "s"), ("/B/y", "t"), ("", "u")]
    made = counted((pages, [(0, 1), (0, 2), (2, 0), (0, 3), (3, 0)]))
    a, b = made.topics.index("/A/x"), made.topics.index("/B/y")
    assert made.links[a, b] == 1
    assert made.links[b, a] == 1
    assert made.links.sum() == 2
    assert made.pages[b] == 2


def test_sites_are_counted_once_however_often_they_cite():
    pages = [("/A", "s"), ("/A", "s"), ("/A", "t"), ("/B", "u"), ("/B", "u")]
    made = counted((pages, [(0, 3), (1, 3), (0, 4), (2, 4)]))
    a, b = made.topics.index("/A"), made.topics.index("/B")
    assert (made.links[a, b], made.sites[a, b]) == (4, 2)


def test_chance_where_all_topics_are_alike():
    # All rows and columns sum to 8, so chance puts 4 into each of the six cells.
    links = np.array([[90, 6, 2], [2, 90, 6], [6, 2, 90]])
    expected = expected_links(links)
    assert expected == pytest.approx(4 * (1 - np.eye(3)))


def test_what_everybody_cites_is_no_more_than_chance():
    # A, B and C cite each other twice and the portal P ten times; P cites nobody.
    links = np.array([[5, 2, 2, 10], [2, 5, 2, 10], [2, 2, 5, 10], [0, 0, 0, 0]])
    off = links * (1 - np.eye(4))
    assert expected_links(links) == pytest.approx(off, abs=1e-6)


def test_a_topic_that_is_cited_above_chance_comes_first():
    made = counted(([("/A", "a")], []))
    assert citations(made) == []
    pages = [(f"/{topic}", f"{topic}{number}") for topic in "ABCDEFGH" for number in range(30)]
    place = {page: number for number, page in enumerate(pages)}

    def joins(source: str, target: str, count: int) -> list[tuple[int, int]]:
        return [
            (place[f"/{source}", f"{source}{n}"], place[f"/{target}", f"{target}{n}"])
            for n in range(count)
        ]

    pairs = [
        pair
        for source in "ABCDEFGH"
        for target in "ABCDEFGH"
        if source != target
        for pair in joins(source, target, 25 if (source, target) == ("A", "B") else 5)
    ]
    best = citations(counted((pages, pairs)))[0]
    assert (best.source, best.target, best.links, best.sites) == ("/A", "/B", 25, 25)
    assert best.is_more
    assert best.lift > best.at_least > 1


def cell(**changes) -> Citation:
    return Citation(
        **{"source": "/A", "target": "/B", "links": 20, "sites": 5, "expected": 10.0, **changes}
    )


def test_few_links_or_one_site_are_no_evidence():
    # sqrt(20) - 0.98 = 3.49, squared 12.2: at least 1.22 times chance.
    assert cell().at_least == pytest.approx(1.22, abs=0.01)
    assert cell().is_more
    assert not cell(sites=1).is_more  # a site with a list of links on each of its pages
    assert not cell(links=4, expected=0.1).is_more
    assert not cell(expected=13.0).is_more  # 20 may well be chance
    assert cell(links=2, expected=10.0).is_less
    assert not cell(links=0, expected=4.0).is_less


def test_topics_without_room_are_counted_as_one():
    size = MOST_TOPICS + 5
    pages = [(f"/T{number}", f"s{number}") for number in range(size)]
    pairs = [(number, (number + 1) % size) for number in range(size)]
    made = counted((pages, pairs))
    assert len(made.topics) == MOST_TOPICS + 1
    assert made.topics[-1] == OTHERS
    assert made.links.sum() == size
    assert made.pages[-1] == 5
    assert OTHERS not in {name for each in citations(made) for name in (each.source, each.target)}


@given(st.binary(min_size=25, max_size=25))
def test_chance_has_the_sums_that_were_observed(values):
    size = 5
    links = np.frombuffer(values, dtype=np.uint8).astype(np.int64).reshape(size, size)
    expected = expected_links(links)
    assert np.isfinite(expected).all()
    assert (expected >= 0).all()
    assert (np.diag(expected) == 0).all()
    off = links * (1 - np.eye(size))
    assert expected.sum() == pytest.approx(off.sum(), rel=1e-3, abs=1e-6)
    if (off + np.eye(size) > 0).all():  # with empty cells there may be no exact solution
        assert expected.sum(axis=0) == pytest.approx(off.sum(axis=0), rel=1e-2, abs=0.05)
        assert expected.sum(axis=1) == pytest.approx(off.sum(axis=1), rel=1e-2, abs=0.05)


@given(st.integers(0, 10_000), st.floats(0.1, 10_000))
def test_the_interval_holds_the_lift(links, expected):
    each = cell(links=links, expected=expected)
    assert each.at_least <= each.lift <= each.at_most
    assert each.at_least == poisson_interval(links)[0] / expected


def test_drawings_stay_in_their_frame():
    made = drawn([cell(), cell(source="/B", target="/A"), cell(target="/C/deep_topic")])
    assert [node.topic for node in made.nodes] == ["/A", "/B", "/C/deep_topic"]
    assert made.nodes[2].name == "deep topic"
    assert made.arcs[0].path != made.arcs[1].path
    assert all(0 <= float(node.x) <= made.width for node in made.nodes)
    assert all(0 <= float(node.y) <= made.height for node in made.nodes)
    assert [level_of(lift) for lift in (0.5, 1.9, 2, 4, 8, 900)] == [1, 1, 2, 3, 4, 4]


def test_the_highest_bar_fills_the_room_and_nothing_is_no_bar():
    low, high, none = bars([("0", 5), ("1", 10), ("2", 0)])
    assert float(high.height) == 2 * float(low.height)
    assert float(none.height) == 0
    assert bars([]) == []
