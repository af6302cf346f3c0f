"""The content policy forbids inline script and style: no template and no page may hold any."""

import re

import pytest
from django.urls import reverse

from focusadmin.settings import BASE_DIR
from tests.web.access_table import PAGES
from tests.web.pages import Page

TEMPLATES = sorted((BASE_DIR / "templates").rglob("*.html"))
FORBIDDEN = {
    "script without a source": r"<script(?![^>]*\ssrc=)[^>]*>",
    "style element": r"<style\b",
    "style attribute": r"\sstyle\s*=",
    "handler attribute": r"\son[a-z]+\s*=",
    "htmx handler": r"\s(?:data-)?hx-on[:\-=]",
    "script in an address or value": r"""["'\s](?:javascript|js):""",
    "mark that nothing is escaped": r"\|\s*safe\b|autoescape\s+off",
    "file of another site": r"""<(?:script|link|img|iframe)\b[^>]*=["'](?:https?:)?//""",
}


def assert_holds_no_inline_code(page: Page) -> None:
    for element in page.elements:
        names = set(element.attributes)
        assert element.tag != "style"
        assert "style" not in names, element
        assert not [name for name in names if re.match(r"on|(data-)?hx-on", name)], element
        if element.tag == "script":
            is_data = element.attributes.get("type") == "application/json"
            assert is_data or element.attributes.get("src", "").startswith("/static/"), element


def test_there_are_templates_to_scan():
    assert {"base.html", "500.html"} <= {path.name for path in TEMPLATES}


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_a_template_holds_no_inline_code(path):
    source = re.sub(r"{#.*?#}|{% comment.*?endcomment %}", "", path.read_text("utf-8"), flags=re.S)
    found = {what: re.findall(pattern, source, re.I) for what, pattern in FORBIDDEN.items()}
    assert {what: hits for what, hits in found.items() if hits} == {}


@pytest.mark.parametrize(
    ("what", "sample"),
    [
        ("script without a source", "<script>go()</script>"),
        ("style element", "<style>p {}</style>"),
        ("style attribute", '<p class="a" style="color: red">'),
        ("handler attribute", '<p onclick="go()">'),
        ("htmx handler", '<p hx-on:click="go()">'),
        ("script in an address or value", '<a href="javascript:go()">'),
        ("mark that nothing is escaped", "{{ name|safe }}"),
        ("file of another site", '<script src="https://cdn.example/x.js">'),
    ],
)
def test_the_scan_would_find_it(what, sample):
    assert re.search(FORBIDDEN[what], sample)


def test_a_page_holds_no_inline_code(as_owner, scene):
    for row in PAGES:
        assert_holds_no_inline_code(Page(as_owner.get(row.url(scene))))


@pytest.mark.parametrize("address", ["/nowhere/", "/accounts/signin/", "/accounts/signin/link/"])
def test_a_page_for_everybody_holds_no_inline_code(client, db, address):
    assert_holds_no_inline_code(Page(client.get(address)))


@pytest.mark.parametrize("kind", ["403", "422", "added", "csrf", "500"])
@pytest.mark.urls("tests.web.probe_urls")
def test_an_answer_to_a_form_holds_no_inline_code(client, owner, scene, teammate, kind):
    client.force_login(teammate if kind == "403" else owner)
    client.raise_request_exception = False
    client.handler.enforce_csrf_checks = kind == "csrf"
    name = "not a name" if kind == "422" else "nora"
    address = reverse("accounts:member-add", args=[scene.team.slug])
    response = client.post(
        "/fails/" if kind == "500" else address, {"username": name, "role": "viewer"}
    )
    assert response.status_code == (
        200 if kind == "added" else 403 if kind == "csrf" else int(kind)
    )
    assert_holds_no_inline_code(Page(response))
