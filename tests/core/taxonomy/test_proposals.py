"""Which topics are proposed for a set of routed examples."""

import pytest

from taxonomy.core.proposals import (
    Placed,
    address_words,
    gathered_counts,
    mixed_parents,
    outside,
    proposals,
    relevance_of,
)
from taxonomy.core.tree import split_path


def placed(path: str, probability: float = 0.9) -> Placed:
    """An example that went to `path`, with the same probability at every step."""
    way = split_path(path)
    return Placed(way, {way[:depth]: probability for depth in range(1, len(way) + 1)})


def many(**counts: int) -> list[Placed]:
    return [
        placed("/" + name.replace("__", "/"))
        for name, count in counts.items()
        for _ in range(count)
    ]


def proposed(examples: list[Placed]) -> list[str]:
    return ["/".join(proposal.lineage) for proposal in proposals(examples)]


def test_the_most_common_class_comes_first():
    examples = many(Arts__Music=2, Sport__Rowing=5)
    assert proposed(examples) == ["Sport/Rowing", "Arts/Music"]
    assert proposals(examples)[0].members == (2, 3, 4, 5, 6)


def test_a_topic_whose_sub_topics_split_the_examples_is_proposed_itself():
    assert proposed(many(Sport__Cycling__Road=4, Sport__Cycling__Repair=4)) == ["Sport/Cycling"]


def test_a_sub_topic_that_holds_nearly_all_is_proposed_in_its_place():
    assert proposed(many(Sport__Cycling__Road=9, Sport__Cycling__Repair=1)) == [
        "Sport/Cycling/Road"
    ]


def test_top_topics_are_too_broad_to_propose():
    assert proposed(many(Sport__Rowing=3, Sport__Golf=3)) == ["Sport/Golf", "Sport/Rowing"]


def test_one_example_among_many_is_no_common_class():
    assert proposed(many(Sport__Rowing=9, Arts__Opera=1)) == ["Sport/Rowing"]
    assert "Arts/Opera" in proposed(many(Sport__Rowing=5, Arts__Opera=1))


def test_doubtful_examples_weigh_less_and_stand_last():
    examples = [placed("/Sport/Golf", 0.2)] * 3 + [placed("/Arts/Opera", 0.9)] * 2
    first, second = proposals(examples)
    assert (first.lineage, second.lineage) == (("Arts", "Opera"), ("Sport", "Golf"))
    assert first.confidence == pytest.approx(0.9)
    mixed = [placed("/Arts/Opera", 0.3), placed("/Arts/Opera", 0.8)]
    assert proposals(mixed)[0].members == (1, 0)


def test_nothing_is_proposed_for_nothing():
    assert proposals([]) == []
    assert proposals([Placed((), {})]) == []


def test_every_topic_on_the_way_counts_its_examples():
    assert gathered_counts(many(Sport__Golf=2, Sport__Rowing=1)) == {
        ("Sport",): 3,
        ("Sport", "Golf"): 2,
        ("Sport", "Rowing"): 1,
    }


def test_examples_outside_the_good_topics_are_named():
    examples = many(Sport__Golf=2, Arts__Opera=1)
    assert outside(examples, [("Sport",)]) == [2]
    assert outside(examples, []) == [0, 1, 2]


def test_a_parent_whose_pages_commingle_is_found():
    funds, investing = ("Business", "Investing", "Funds"), ("Business", "Investing")
    examples = many(Business__Investing__Funds=5, Business__Investing__Stocks=4, Arts__Opera=9)
    assert mixed_parents(examples, [funds]) == [(investing, 4)]
    assert mixed_parents(many(Business__Investing__Funds=5), [funds]) == []
    assert mixed_parents(examples, [investing]) == []
    assert mixed_parents(examples, [("Arts",)]) == []  # there is nothing above a top topic


def test_relevance_sums_the_good_topics_and_stays_a_probability():
    page = Placed(("A", "B"), {("A",): 0.7, ("A", "B"): 0.6, ("C",): 0.2})
    assert relevance_of(page, [("A", "B"), ("C",)]) == pytest.approx(0.8)
    assert relevance_of(page, [("D",)]) == 0.0
    assert relevance_of(page, [("A",), ("A", "B")]) == 1.0


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("https://www.bike-tours.example.org/Alps/steep_passes.html?id=7", "bike tours example"),
        ("http://b%C3%BCcher.example/l%C3%A4nder", "bücher"),
        ("http://[broken", ""),
        ("https://a.example/1/2/3", ""),
    ],
)
def test_the_words_of_an_address(url, words):
    assert address_words(url).startswith(words)
