import random

from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.duplicates import BANDS, POSITIONS, bands, signature, similarity


def words(count: int, seed: int = 1) -> list[str]:
    rng = random.Random(seed)
    return [f"w{rng.randrange(5_000)}" for _ in range(count)]


def test_equal_texts_have_equal_signatures_whatever_their_spacing():
    text = " ".join(words(300))
    assert signature(text) == signature(text.upper().replace(" ", "\n "))
    assert similarity(signature(text), signature(text)) == 1.0
    assert len(signature(text)) == POSITIONS


def test_the_estimate_follows_the_common_share():
    common, mine, yours = words(600, 1), words(200, 2), words(200, 3)
    estimate = similarity(signature(" ".join(common + mine)), signature(" ".join(common + yours)))
    assert abs(estimate - 598 / 1_002) < 0.2


def test_near_duplicates_share_a_band_and_strangers_do_not():
    text = words(500)
    nearly = [*text[:250], "changed", *text[251:]]
    ours = set(bands(signature(" ".join(text))))
    assert len(ours) == BANDS
    assert ours & set(bands(signature(" ".join(nearly))))
    assert not ours & set(bands(signature(" ".join(words(500, 9)))))


def test_the_order_of_words_counts():
    text = words(200)
    assert similarity(signature(" ".join(text)), signature(" ".join(reversed(text)))) < 0.2


def test_signatures_do_not_change_between_runs():
    pinned = (1887533569, 503941911, 1253054342)  # stored in databases
    assert signature("focused crawling of the web")[:3] == pinned


def test_nothing_is_like_nothing():
    assert signature("  ") == ()
    assert bands(()) == ()
    assert similarity((), ()) == 0.0
    assert len(signature("one")) == POSITIONS


@given(st.text(max_size=200))
def test_any_text_has_keys_that_a_database_can_hold(text: str):
    keys = bands(signature(text))
    assert all(-(2**63) <= key < 2**63 for key in keys)
