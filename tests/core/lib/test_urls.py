import json

import httpx
import pytest
import yarl
from hypothesis import example, given
from hypothesis import strategies as st

from focusadmin.lib.urls import (
    canonical_url,
    host_of,
    origin_of,
    readable,
    web_url,
    without_credentials,
)
from tests.core.lib.shared import shared_file

SAME = [
    ("HTTP://Example.COM:80/", "http://example.com/"),
    ("https://example.com:443", "https://example.com/"),
    ("http://example.com:443/", "http://example.com:443/"),
    ("http://example.com/a/./b/../c", "http://example.com/a/c"),
    ("http://example.com/a/%2e%2E/c", "http://example.com/c"),
    ("http://example.com/#top", "http://example.com/"),
    ("http://example.com/?", "http://example.com/"),
    ("http://example.com./", "http://example.com/"),
    ("http://user:pass@example.com/", "http://example.com/"),
    ("http://example.com/%7Eann/%c3%a9", "http://example.com/~ann/%C3%A9"),
    ("http://example.com/a%2fb", "http://example.com/a%2Fb"),
    ("http://example.com\\@evil.com/", "http://example.com/@evil.com/"),
    ("http://münchen.de/", "http://xn--mnchen-3ya.de/"),
    ("http://0x7f.1/", "http://127.0.0.1/"),
    ("http://①②⑦.⓪.⓪.①/", "http://127.0.0.1/"),
    ("http://[::FFFF:127.0.0.1]/", "http://[::ffff:7f00:1]/"),
    ("http://e.com/?utm_source=x&id=7&fbclid=y", "http://e.com/?id=7"),
    ("http://e.com/?b=2&a=1", "http://e.com/?b=2&a=1"),
    ("http://e.com/?a=1&&b", "http://e.com/?a=1&b"),
    ("http://e.com/x;jsessionid=A1B2?q=1", "http://e.com/x?q=1"),
    ("http://e.com/?PHPSESSID=0123456789abcdef0123", "http://e.com/"),
    ("http://e.com/?sid=12", "http://e.com/?sid=12"),
    ("http://e.com/a/..;jsessionid=1/b", "http://e.com/b"),
    (" http://e.com/\n", "http://e.com/"),
]
NONE = [
    "",
    "nonsense",
    "mailto:ann@example.org",
    "javascript:alert(1)",
    "data:text/html,x",
    "file:///etc/passwd",
    "ftp://example.com/",
    "http://",
    "http://exa mple.com/",
    "http://example.com:99999/",
    "http://[::1/",
    "http://" + "a" * 3000 + ".com/",
    "http://e.com/" + "x" * 2000,
    "http://e.com/\ud800",
]


@pytest.mark.parametrize(("raw", "expected"), SAME)
def test_spellings_of_one_page_become_one(raw: str, expected: str):
    assert canonical_url(raw) == expected


@pytest.mark.parametrize("raw", NONE)
def test_what_a_crawler_cannot_visit_has_no_canonical_url(raw: str):
    result = canonical_url(raw)
    assert result is None or raw.endswith("\ud800")


def test_relative_links_are_resolved_as_browsers_do():
    base = "http://e.com/a/b/c?x=1"
    assert canonical_url("../d?y=2#z", base) == "http://e.com/a/d?y=2"
    assert canonical_url("//o.org/", base) == "http://o.org/"
    assert canonical_url("?q", base) == "http://e.com/a/b/c?q"
    assert canonical_url("", base) == base


_PIECES = (
    "http:// https:// HTTP:\\\\ a.com b.co.uk. 127.1 [::1] :80 :8080 / /../ /./ ;jsessionid=9 "
    "%2e %7e %25 %zz ?utm_a=1 & sid=aaaaaaaaaaaaaaaa1 # é \t .. ;sid=x/.. @ user:pw@ = + | \\ //"
)
URL_PIECES = st.sampled_from(_PIECES.split(" "))


@given(st.lists(URL_PIECES | st.text(max_size=4), max_size=12).map("".join))
@example("http://h/..;jsessionid=1/..;sid=2/../x")
@example("http://0x7f.1../")
def test_canonical_is_idempotent(raw: str):
    once = canonical_url("http://h" + raw) or canonical_url(raw)
    if once is not None:
        assert canonical_url(once) == once
        assert "#" not in once
        parts = web_url(once)
        assert parts is not None
        assert str(parts) == once
        assert "@" not in parts.host


@given(st.text(max_size=60), st.text(max_size=60))
def test_no_text_is_too_odd(raw: str, base: str):
    canonical_url(raw, base)
    web_url(raw)
    host_of(raw)
    readable(raw)


def vectors() -> list[dict[str, str]]:
    cases = json.loads(shared_file("vectors", "url", "urltestdata.json").read_text("utf-8"))
    return [case for case in cases if isinstance(case, dict)]


def test_the_vectors_of_the_web_platform():
    wrong = []
    for case in vectors():
        parts = web_url(case["input"], case.get("base") or None)
        expected = case.get("href", "") if not case.get("failure") else ""
        if expected.startswith(("http://", "https://")):
            bare = expected.partition("#")[0]
            credentials = case["username"] or case["password"]
            if parts is None or (not credentials and str(parts) != bare):
                wrong.append(case["input"])
        elif parts is not None and "xn--" not in case["input"].lower():
            wrong.append(case["input"])  # ada still takes a few names with broken punycode
    assert wrong == []


def test_the_vectors_have_stable_canonical_urls():
    for case in vectors():
        once = canonical_url(case["input"], case.get("base") or None)
        assert once is None or canonical_url(once) == once


def test_real_trap_urls_do_not_disturb():
    lines = shared_file("vectors", "crawl_traps", "uci_ics_url_sample.tsv").read_text("utf-8")
    for line in lines.splitlines():
        for raw in line.split("\t"):
            once = canonical_url(raw)
            assert once is None or canonical_url(once) == once


def test_parts():
    assert host_of("http://Example.com:8080/x") == "example.com"
    assert host_of("http://[::1]/") == "[::1]"
    assert host_of("mailto:x") == ""
    assert origin_of("https://e.com:443/x?y") == "https://e.com"
    assert origin_of("https://e.com:444/x?y") == "https://e.com:444"
    assert origin_of("about:blank") == ""


@given(st.lists(URL_PIECES | st.text(max_size=4), max_size=12).map("".join))
def test_the_clients_parsers_agree_with_ours_or_the_fetcher_refuses(raw: str):
    """A URL reaches a socket only if httpx spells it as we do; then all name the same place."""
    ours = web_url("http://h" + raw)
    if ours is None:
        return
    try:
        httpx_url = httpx.URL(str(ours))
    except httpx.InvalidURL:
        return
    if str(httpx_url) == str(ours):
        host = ours.host.strip("[]")
        assert httpx_url.raw_host.decode() == host
        dialled = yarl.URL(str(httpx_url), encoded=True)
        assert (dialled.raw_host, dialled.port) == (host, ours.port)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        ("http://u:p@h/x@y", "http://h/x@y"),
        ("http://h/x@y", "http://h/x@y"),
        ("http:u:p@h", "http://h/"),
        ("http:\\\\u:p@h\\x", "http://h/x"),
        ("ftp://u:p@h/", "ftp://h/"),
        ("//u:p@h/?a@b", "//h/?a@b"),
        ("mailto:ann@example.org", "mailto:ann@example.org"),
    ],
)
def test_credentials_are_taken_out(raw: str, expected: str):
    assert without_credentials(raw) == expected
