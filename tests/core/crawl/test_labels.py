"""Which pages are asked about, and what a random sample of labels tells."""

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.intervals import wilson_interval
from crawler.core.labels.choosing import (
    Candidate,
    farthest_first,
    mixed,
    most_influential,
    most_uncertain,
    spread,
    word_vectors,
)
from crawler.core.labels.precision import Precision, agreement_of, drawn

BIKES = "bicycle wheel spoke chain saddle"
OPERA = "aria soprano tenor overture libretto"
CHESS = "pawn bishop rook castling endgame"


def page(number: int, relevance: float = 0.9, **changes) -> Candidate:
    return Candidate(
        **{
            "number": number,
            "seq": number + 1,
            "site": f"h{number}.example",
            "text_key": None,
            "relevance": relevance,
            **changes,
        }
    )


def test_the_most_uncertain_lie_nearest_to_the_line_on_either_side():
    pages = [page(n, relevance) for n, relevance in enumerate([0.99, 0.45, 0.01, 0.52, 0.7])]
    assert [one.number for one in most_uncertain(pages, 3)] == [3, 1, 4]


def test_no_influence_without_urls_that_wait():
    pages = [page(n, waiting=waiting) for n, waiting in enumerate([0, 3, 9, 0])]
    assert [one.number for one in most_influential(pages, 4)] == [2, 1]


def test_a_batch_has_no_text_twice_and_few_pages_of_one_site():
    same_site = [page(n, site="one.example") for n in range(4)]
    same_text = [page(n, text_key=7) for n in range(4, 7)]
    assert [one.number for one in spread([*same_site, *same_text], 10)] == [0, 1, 4]
    assert len(list(spread([page(n) for n in range(9)], 3))) == 3


def test_the_farthest_from_what_is_known_comes_first():
    vectors = word_vectors([BIKES, f"{BIKES} pedal", OPERA, f"{OPERA} {BIKES}"])
    found = farthest_first(vectors, [0], 3)
    assert found[0][0] == 2
    assert {row for row, _ in found} == {1, 2, 3}
    distances = [distance for _, distance in found]
    assert distances[0] == pytest.approx(1.0)
    assert distances == sorted(distances, reverse=True)


def test_those_chosen_are_far_from_each_other():
    texts = [BIKES, *(f"{OPERA} {word}" for word in ("la", "scala", "milan")), CHESS]
    first_two = {row for row, _ in farthest_first(word_vectors(texts), [0], 2)}
    assert 4 in first_two
    assert len(first_two & {1, 2, 3}) == 1


def test_with_nothing_known_an_ordinary_page_comes_first_and_wordless_ones_never():
    vectors = word_vectors(["", BIKES, f"{BIKES} pedal", OPERA, "7 8 9"])
    found = farthest_first(vectors, [], 10)
    assert found[0][0] in {1, 2}
    assert sorted(row for row, _ in found) == [1, 2, 3]
    assert farthest_first(word_vectors(["", ""]), [], 2) == []


def test_vectors_have_unit_length_and_rare_words_weigh_more():
    vectors = word_vectors([f"{BIKES} the", f"{OPERA} the", f"{CHESS} the"])
    assert np.allclose(vectors.multiply(vectors).sum(axis=1), 1.0)
    assert (vectors[[0]] @ vectors[[1]].T).toarray()[0, 0] < 1 / 6


def test_parts_are_mixed_completely_by_chance():
    order = mixed({"a": 3, "b": 2}, random.Random(1))
    assert Counter(order) == {"a": 3, "b": 2}
    assert len({tuple(mixed({"a": 3, "b": 2}, random.Random(seed))) for seed in range(50)}) > 5


def test_a_sample_is_uniform_and_so_are_its_first_pages():
    counts = Counter[int]()
    for seed in range(3_000):
        counts.update(drawn(range(20), 8, seed)[:4])
    # 600 expected of each; six standard deviations are 131.
    assert all(abs(counts[number] - 600) < 131 for number in range(20))


def test_a_seed_fixes_the_sample():
    assert drawn(range(1_000), 30, 5) == drawn(range(1_000), 30, 5)
    assert drawn(range(1_000), 30, 5) != drawn(range(1_000), 30, 6)
    assert sorted(drawn(range(3), 30, 5)) == [0, 1, 2]


def test_the_sentence_has_the_interval_and_what_it_rests_on():
    some = Precision(useful=24, labelled=27, asked=30, population=400)
    low, high = wilson_interval(24, 27)
    assert (round(low, 2), round(high, 2)) == (0.72, 0.96)
    assert some.words == (
        "Of the pages the crawl calls relevant, between 72 % and 96 % are (27 of 30 labelled)"
    )


def test_nothing_labelled_tells_nothing_and_all_labelled_leaves_no_doubt():
    none = Precision(useful=0, labelled=0, asked=30, population=400)
    assert none.words.endswith("is not known (0 of 30 labelled)")
    whole = Precision(useful=9, labelled=12, asked=12, population=12)
    assert whole.interval == (0.75, 0.75)
    assert whole.words.endswith("relevant, 75 % are (12 of 12 labelled)")


@given(st.integers(1, 300), st.data())
def test_the_share_lies_in_its_interval(labelled, data):
    useful = data.draw(st.integers(0, labelled))
    one = Precision(useful=useful, labelled=labelled, asked=300, population=10_000)
    low, high = one.interval
    assert 0.0 <= low <= one.share + 1e-9
    assert one.share - 1e-9 <= high <= 1.0


def test_the_interval_covers_the_truth_nineteen_times_of_twenty():
    truth, hits, dice = 0.8, 0, random.Random(1)
    for _ in range(2_000):
        useful = sum(dice.random() < truth for _ in range(30))
        low, high = wilson_interval(useful, 30)
        hits += low <= truth <= high
    assert 0.93 < hits / 2_000 < 0.99


def test_agreement_counts_pairs_and_corrects_for_chance():
    agreed = agreement_of([(2, 0), (0, 2), (1, 1), (1, 0), (0, 0)])
    assert (agreed.pages, agreed.same, agreed.pairs) == (3, 2, 3)
    assert agreed.share == pytest.approx(2 / 3)
    assert agreed.kappa == pytest.approx((2 / 3 - 0.5) / 0.5)


def test_three_people_make_three_pairs():
    agreed = agreement_of([(2, 1)])
    assert (agreed.pairs, agreed.same) == (3, 1)


def test_labels_that_are_all_alike_have_no_kappa():
    assert agreement_of([(2, 0)]).kappa is None
    assert agreement_of([]).share == 0.0
