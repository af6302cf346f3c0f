import gzip
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawler.core.traps import HostWatch, WatchLimits, path_pattern, trap_reason
from focusadmin.lib.duplicates import bands, signature
from focusadmin.lib.urls import canonical_url
from tests.core.lib.shared import shared_file

HEX = "0123456789abcdef" * 2

TRAPS = [
    ("http://e.com/" + "x" * 2000, "longer than 2,000 characters"),
    ("http://e.com" + "".join(f"/s{n}" for n in range(21)), "21 path segments"),
    ("http://e.com/x/x/x", "a path segment repeats 3 times"),
    ("http://e.com/a/b/c/b/d/b/", "a path segment repeats 3 times"),
    ("http://e.com/a/b/a/b/a/b", "a path segment repeats 3 times"),
    ("http://e.com/a/b/a/b/c", "2 path segments repeat in a row"),
    ("http://e.com/0/a/b/c/a/b/c", "3 path segments repeat in a row"),
    ("http://e.com/1/1/1/1", "2 path segments repeat in a row"),
    ("http://e.com/a///b//c", "a path segment repeats 3 times"),
    ("http://e.com/index.php/news.php/about.php", "pages inside pages in the path"),
    ("http://e.com/%252525/x", "percent-encoded again and again"),
    ("http://e.com/?" + "&".join(f"{c}=1" for c in "abcdefghi"), "9 query parameters"),
    ("http://e.com/?a=1&b=2&a=1", "the same query parameter twice"),
    ("http://e.com/?tag=a&tag=b&tag=c", "the query parameter tag repeats 3 times"),
    ("http://e.com/?f[0]=a&f[1]=b&f[2]=c", "the query parameter f[#] repeats 3 times"),
    ("http://e.com/events/2087/05", "a calendar in the year 2087"),
    ("http://e.com/events/1891-5-3/", "a calendar in the year 1891"),
    ("http://e.com/?date=2087-05-01", "a calendar in the year 2087"),
    ("http://e.com/?view=day&date=20870501", "a calendar in the year 2087"),
    ("http://e.com/?year=2087&x=1&month=5", "a calendar in the year 2087"),
    ("http://e.com/cal/2024/05?go=next", "a calendar's link to the next or previous page"),
    ("http://e.com/?date=2024-05&prev_month=1", "a calendar's link to the next or previous page"),
    (f"http://e.com/{HEX}/page.html", "a session number in the path"),
    ("http://e.com/(S(lit3py55t21z5v55vlm25s55))/a.aspx", "a session number in the path"),
    ("http://e.com/session/0123456789abcdef0123", "a session number in the path"),
    (f"http://e.com/?do=show&token={HEX}", "a session number among the parameters"),
    ("http://e.com/files/?C=S;O=A", "a folder's list in another order"),
    ("http://e.com/wiki?rev=1360894145", "a tool or an old version of a wiki, not a page"),
    ("http://e.com/wiki?x=1&action=login", "a tool or an old version of a wiki, not a page"),
]
HONEST = [
    "http://e.com",
    "http://e.com/",
    "http://e.com?x=1",
    "http://e.com/" + "x" * 1900,
    "http://e.com" + "".join(f"/s{n}" for n in range(20)),
    "http://e.com/a/a/b",
    "http://e.com/a/b/c/a",
    "http://e.com/2011/11/11/11",
    "http://e.com/book/1/1/1",
    "http://e.com/index.php/news.php",
    "http://e.com/?a=1&b=2&c=3&d=4&e=5&f=6&g=7&h=8",
    "http://e.com/?tag=a&tag=b",
    "http://e.com/blog/2024/05/17/title",
    "http://e.com/2376/01/report.pdf",
    "http://e.com/2100/13",
    "http://e.com/?year=1850",
    "http://e.com/?date=1712345678",
    "http://e.com/?page=next",
    "http://e.com/a/%25E9",
    f"http://gist.example/ann/{HEX}",
    f"http://gist.example/ann/{HEX}/raw/file.txt",
    "http://git.example/ann/x/blob/594e13cf2de386d8ea65dac88f643241f7a28363/index.js",
    "http://e.com/?action=show",
    "http://e.com/#/a/a/a/a",
]


@pytest.mark.parametrize(("url", "why"), TRAPS)
def test_a_trap_is_named(url: str, why: str):
    assert trap_reason(url) == why


@pytest.mark.parametrize("url", HONEST)
def test_an_honest_url_passes(url: str):
    assert trap_reason(url) is None


@given(st.text(max_size=200))
def test_any_text_can_be_asked_about(text: str):
    why = trap_reason("http://e.com/" + text)
    assert why is None or why


@given(st.lists(st.sampled_from("abcd"), max_size=19), st.integers(3, 6), st.data())
def test_a_word_that_repeats_is_found_wherever_it_stands(others: list[str], times: int, data):
    segments = data.draw(st.permutations(others + ["again"] * times))
    assert trap_reason("http://e.com/" + "/".join(segments)) is not None


def test_endless_relative_links_are_stopped_before_they_are_long():
    url, steps = "http://e.com/x/", 0
    while trap_reason(url) is None:
        url, steps = f"{url}x/", steps + 1
    assert steps == 2


def test_real_traps_are_caught():
    """A third of this crawl of one university is ordinary pages and only the rest is traps.

    So the shares are those of the whole sample, and of the URLs that are traps at first sight.
    """
    rows = shared_file("vectors", "crawl_traps", "uci_ics_url_sample.tsv").read_text("utf-8")
    more = shared_file("vectors", "crawl_traps", "uci_ics_url_sample2.json").read_text("utf-8")
    bare = [row.split("\t")[1] for row in rows.splitlines()] + list(json.loads(more).values())
    urls = [canonical_url(f"http://{url}") or f"http://{url}" for url in bare]
    assert len(urls) > 1_400
    caught = [url for url in urls if trap_reason(url)]
    assert len(caught) / len(urls) > 0.38
    known = ("/datasets/datasets/datasets/", "/hall_of_fame/stayconnected/", "?C=", "do=media")
    glaring = [url for url in urls if any(sign in url for sign in known)]
    assert len(glaring) > 300
    assert set(glaring) <= set(caught)


def test_ordinary_urls_are_hardly_ever_taken_for_traps():
    packed = shared_file("webdir_awesome", "entries.tsv.gz")
    with gzip.open(packed, "rt", encoding="utf-8") as lines:
        next(lines)
        sample = [line.split("\t")[0] for number, line in enumerate(lines) if number % 7 == 0]
    urls = {url for raw in sample if (url := canonical_url(raw))}
    assert len(urls) > 15_000
    alarms = [url for url in urls if trap_reason(url)]
    assert len(alarms) / len(urls) < 0.0005


@pytest.mark.parametrize(
    ("url", "pattern"),
    [
        ("https://e.com/2024/05/item-77.html?x=1", "e.com/#/#/item-#.html"),
        (f"https://e.com/v/{HEX}", "e.com/v/#"),
        ("http://h2.e.com:8080/a", "h2.e.com/a"),
        ("http://e.com/facade/beef", "e.com/facade/beef"),
        ("http://e.com", "e.com/"),
    ],
)
def test_the_pattern_of_a_path(url: str, pattern: str):
    assert path_pattern(url) == pattern


def test_a_script_may_fill_so_many_pages_and_no_more():
    watch = HostWatch(WatchLimits(max_pages_per_pattern=3))
    whys = [watch.admit(f"http://e.com/item/{n}") for n in range(5)]
    assert whys[:3] == [None] * 3
    assert whys[3:] == ["3 pages of the kind e.com/item/# already"] * 2
    assert watch.admit("http://e.com/other/1") is None
    assert watch.admit("http://f.com/item/1") is None


def test_facets_that_explode_are_stopped_but_known_parameters_go_on():
    watch = HostWatch()
    whys = [watch.admit(f"http://e.com/shop?key{chr(97 + n)}=1&page={n}") for n in range(26)]
    whys += [watch.admit(f"http://e.com/shop?more{chr(97 + n)}=1") for n in range(5)]
    assert whys == [None] * 29 + ["more than 30 different query parameters on e.com"] * 2
    assert watch.admit("http://e.com/list?page=1&keya=2") is None
    assert watch.admit("http://f.com/shop?another=1") is None


def test_one_page_has_only_so_many_queries():
    watch = HostWatch(WatchLimits(max_queries_per_path=2))
    assert watch.admit("http://e.com/view?id=1") is None
    assert watch.admit("http://e.com/view?id=2") is None
    assert watch.admit("http://e.com/view?id=3") == "2 different queries of e.com/view already"
    assert watch.admit("http://e.com/view?id=1") is None
    assert watch.admit("http://e.com/view") is None
    assert watch.admit("http://e.com/show?id=3") is None


def test_what_is_refused_is_not_counted():
    watch = HostWatch(WatchLimits(max_query_keys=1, max_pages_per_pattern=2))
    assert watch.admit("http://e.com/?a=1") is None
    assert watch.admit("http://e.com/?b=1") is not None
    assert watch.admit("http://e.com/?a=2") is None


def _page(words: str) -> tuple[int, ...]:
    return bands(signature(words))


TEMPLATE = " ".join(f"template{n}" for n in range(200))
SAME = [_page(f"{TEMPLATE} visit number {n} of many") for n in range(60)]
OTHER = [_page(" ".join(f"w{n}of{m}" for m in range(200))) for n in range(60)]


def test_twenty_near_duplicates_in_a_row_slow_a_host():
    watch = HostWatch()
    for page in SAME[:20]:  # the first is like no page before it
        watch.note_page("e.com", page)
    assert not watch.is_slowed("e.com")
    watch.note_page("e.com", SAME[20])
    assert watch.is_slowed("e.com")
    assert not watch.is_slowed("f.com")


def test_a_different_page_ends_the_streak():
    watch = HostWatch()
    for page in SAME[:30]:
        watch.note_page("e.com", page)
    watch.note_page("e.com", OTHER[0])
    assert not watch.is_slowed("e.com")


def test_different_pages_never_slow_a_host():
    watch = HostWatch()
    for page in OTHER:
        watch.note_page("e.com", page)
    assert not watch.is_slowed("e.com")


def test_pages_that_share_half_of_their_words_are_no_duplicates():
    watch = HostWatch()
    for number in range(60):
        own = " ".join(f"w{number}of{m}" for m in range(100))
        watch.note_page("e.com", _page(f"{TEMPLATE[: len(TEMPLATE) // 2]} {own}"))
    assert not watch.is_slowed("e.com")


def test_two_kinds_of_page_in_turn_are_a_streak_too():
    watch = HostWatch()
    for number in range(15):
        watch.note_page("e.com", SAME[number])
        watch.note_page("e.com", _page(f"{' '.join(reversed(TEMPLATE.split()))} {number}"))
    assert watch.is_slowed("e.com")


def test_pages_without_words_are_alike():
    watch = HostWatch()
    for _ in range(21):
        watch.note_page("e.com", ())
    assert watch.is_slowed("e.com")


def test_memory_is_bounded_by_forgetting_the_oldest():
    watch = HostWatch(WatchLimits(max_hosts=5, max_paths=7, max_patterns=9))
    for number in range(50):
        watch.admit(f"http://h{number}.com/view?id=1")
        watch.note_page(f"h{number}.com", SAME[0])
    assert (len(watch._hosts), len(watch._queries), len(watch._patterns)) == (5, 7, 9)
    for page in SAME:
        watch.note_page("h49.com", page)
    assert len(watch._hosts["h49.com"].recent) == watch.limits.recent_pages
