import tarfile
import time

from hypothesis import given
from hypothesis import strategies as st

from focusadmin.lib.outcomes import FetchResult
from focusadmin.lib.politeness import crawl_delay
from focusadmin.lib.robots import Access, robots_from
from focusadmin.lib.urls import canonical_url
from tests.core.lib.shared import shared_file


def result(body: bytes, status: int = 200, **headers: str) -> FetchResult:
    url = "http://e.com/robots.txt"
    return FetchResult(url, url, status, headers, body, "9.9.9.9", (), len(body), 0.1)


def test_rules_for_us_win_over_rules_for_all():
    ours = b"User-agent: focusadmin\nAllow: /\nDisallow: /no\nCrawl-delay: 2"
    text = b"User-agent: *\nDisallow: /\n\n" + ours
    robots = robots_from(result(text), "http://e.com", 0.0)
    assert robots.may_visit("http://e.com/yes")
    assert not robots.may_visit("http://e.com/no/x")
    assert robots.crawl_delay_seconds == 2


def test_the_longest_match_wins():
    text = b"User-agent: *\nDisallow: /a\nAllow: /a/b\nDisallow: /*.pdf$"
    robots = robots_from(result(text), "http://e.com", 0.0)
    assert robots.may_visit("http://e.com/a/b/c")
    assert not robots.may_visit("http://e.com/a/c")
    assert not robots.may_visit("http://e.com/x.pdf")
    assert robots.may_visit("http://e.com/x.pdf?y")


def test_retry_after_moves_the_next_try():
    robots = robots_from(result(b"", 503, **{"retry-after": "7200"}), "http://e.com", 1_000.0)
    assert robots.access is Access.NOTHING
    assert robots.expires_at == 8_200.0


def test_many_wildcards_take_no_time():
    text = b"User-agent: *\n" + b"Disallow: /" + b"*a" * 200 + b"$\n"
    robots = robots_from(result(text), "http://e.com", 0.0)
    began = time.process_time()
    robots.may_visit("http://e.com/" + "a" * 1_900 + "b")
    assert time.process_time() - began < 0.5  # backtracking would take longer than the universe


def test_robots_files_of_real_sites():
    archive = shared_file("vectors", "robots", "protego_fetched_robots_txt.tar.gz")
    count, slowest = 0, 0.0
    with tarfile.open(archive) as files:
        for member in files:
            file = files.extractfile(member)
            if file is None:
                continue
            body = file.read()
            began = time.perf_counter()
            robots = robots_from(result(body), "http://e.com", 0.0)
            robots.may_visit("http://e.com/some/page?x=1")
            assert robots.crawl_delay_seconds is None or robots.crawl_delay_seconds >= 0
            assert len(robots.sitemaps) <= 50
            slowest = max(slowest, time.perf_counter() - began)
            count += 1
    assert count > 4_000
    assert slowest < 2.0


_PIECES = (
    "User-agent: *\n|User-agent: FocusAdmin\n|Disallow: |Allow: |Crawl-delay: |Sitemap: |/|*|$|%|"
    "%zz|%e9|\n|\r|1e309|nan|-1|1_0|Request-rate: |1/0|Visit-time: |2400-2500|http://[|://|#|?|\x00|\u2028"
)
PIECES = st.sampled_from(_PIECES.split("|"))


@given(
    st.lists(PIECES | st.text(max_size=3), max_size=30).map("".join),
    st.lists(PIECES, max_size=5).map("".join),
)
def test_no_rules_are_too_odd(text: str, path: str):
    body = f"User-agent: *\n{text}".encode("utf-8", "replace")
    robots = robots_from(result(body), "http://e.com", 0.0)
    robots.may_visit(canonical_url(f"http://e.com/{path}") or "http://e.com/")
    assert 1.0 <= crawl_delay(robots.crawl_delay_seconds, own_seconds=1.0) <= 300.0
    assert len(robots.sitemaps) <= 50
