import pytest

from crawler.core.caps import CapCounter, Caps
from focusadmin.lib.errors import FocusAdminError

SMALL = Caps(max_pages_per_site=3, max_pages_per_pattern=2, max_pages_per_address=4, max_depth=5)


def test_a_site_is_full_after_its_pages():
    counter = CapCounter(SMALL)
    for pattern in "abc":
        assert counter.why_full("e.com", "9.9.9.9", pattern) is None
        counter.note_page("e.com", "9.9.9.9", pattern)
    assert counter.why_full("e.com", "8.8.8.8", "d") == "cap: 3 pages of the site e.com"
    assert counter.why_full("f.com", "9.9.9.9", "d") is None


def test_a_site_may_have_a_cap_of_its_own():
    counter = CapCounter(SMALL, own={"e.com": 1, "f.com": 5}, sites={"e.com": 1, "f.com": 4})
    assert counter.why_full("e.com", "", "a") == "cap: 1 pages of the site e.com"
    assert counter.why_full("f.com", "", "a") is None


def test_a_pattern_is_full_after_its_pages():
    counter = CapCounter(SMALL)
    counter.note_page("e.com", "", "e.com/#")
    counter.note_page("e.com", "", "e.com/#")
    assert counter.why_full("e.com", "", "e.com/#") == "cap: 2 pages of the kind e.com/#"
    assert counter.why_full("e.com", "", "e.com/x") is None


def test_a_farm_of_names_on_one_address_is_full_after_its_pages():
    counter = CapCounter(SMALL)
    for number in range(4):
        counter.note_page(f"farm{number}.com", "9.9.9.9", f"farm{number}.com/")
    why = counter.why_full("farm5.com", "9.9.9.9", "farm5.com/")
    assert why == "cap: 4 pages from the address 9.9.9.9"
    assert counter.why_full("farm5.com", "8.8.8.8", "farm5.com/") is None


def test_pages_of_unknown_address_fill_no_address():
    counter = CapCounter(SMALL)
    for number in range(9):
        counter.note_page(f"s{number}.com", "", f"s{number}.com/")
    assert counter.why_full("other.com", "", "other.com/") is None


def test_a_counter_made_of_stored_counts_answers_like_the_first():
    first = CapCounter(SMALL)
    for pattern in "aabc":
        first.note_page("e.com", "9.9.9.9", pattern)
    again = CapCounter(SMALL, **first.counts())
    for asked in [("e.com", "", "z"), ("f.com", "", "a"), ("f.com", "9.9.9.9", "z")]:
        assert again.why_full(*asked) == first.why_full(*asked) is not None
    again.note_page("g.com", "", "g")
    assert "g.com" not in first.counts()["sites"]


def test_asking_counts_nothing():
    counter = CapCounter(SMALL)
    counter.why_full("e.com", "9.9.9.9", "a")
    assert counter.counts() == {"sites": {}, "addresses": {}, "patterns": {}}


def test_depth_is_capped():
    assert SMALL.why_too_deep(5) is None
    assert SMALL.why_too_deep(6) == "cap: more than 5 links away from the start pages"
    assert Caps().max_depth == 50


def test_a_cap_below_one_is_refused():
    with pytest.raises(FocusAdminError, match="max_pages_per_site must be at least 1, not 0"):
        Caps(max_pages_per_site=0)
