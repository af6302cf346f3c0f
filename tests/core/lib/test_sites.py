import ast
import re

import pytest

from focusadmin.lib.sites import site_of
from tests.core.lib.shared import shared_file


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("news.bbc.co.uk", "bbc.co.uk"),
        ("www.example.com", "example.com"),
        ("EXAMPLE.com.", "example.com"),
        ("ann.github.io", "ann.github.io"),
        ("deep.ann.github.io", "ann.github.io"),
        ("co.uk", "co.uk"),
        ("localhost", "localhost"),
        ("127.0.0.1", "127.0.0.1"),
        ("[2001:db8::1]", "[2001:db8::1]"),
    ],
)
def test_the_site_of_a_host(host: str, site: str):
    assert site_of(host) == site


def test_the_vectors_of_the_public_suffix_list():
    text = shared_file("vectors", "psl", "test_psl.txt").read_text("utf-8")
    cases = re.findall(r"^checkPublicSuffix\((.+), (.+)\);", text, re.MULTILINE)
    assert len(cases) > 70
    wrong = []
    for quoted_host, quoted_site in cases:
        if "null" in quoted_host or quoted_host.startswith("'."):
            continue
        host = ast.literal_eval(quoted_host).lower()
        site = host if quoted_site == "null" else ast.literal_eval(quoted_site)
        if host.isascii() and site_of(host) != site:
            wrong.append((host, site, site_of(host)))
    assert wrong == []
