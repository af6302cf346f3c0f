"""Judging, training and quality in the browser, with a real worker behind it."""

import itertools
import json
from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import OpenPage, Watch
from tests.e2e.screens import LONG_TEXT
from tests.product import Product

pytestmark = [pytest.mark.browser]

HOSTILE = "<img src=x onerror=alert(1)>"
WORDS = {
    "/Cycling/Racing": "peloton sprint stage yellow jersey breakaway team time trial",
    "/Cycling/Repair": "chain wrench spoke derailleur grease cassette brake cable",
    "/Music/Jazz": "saxophone swing improvisation blue note bebop quartet",
    f"/Music/{HOSTILE}": "aria soprano libretto tenor overture stage orchestra",
}
WORKER_MS = 40_000

_numbers = itertools.count(1)
NewTree = Callable[[], str]


@pytest.fixture
def new_tree(run_command: Callable[..., Any], tmp_path) -> NewTree:
    """Imports a small tree that nobody has trained, and gives its slug."""

    def make() -> str:
        file = tmp_path / "tree.jsonl"
        lines = [
            {"path": path, "title": f"Page {n}", "url": "", "text": f"{words} {words[n * 5 :]}"}
            for path, words in WORDS.items()
            for n in range(5)
        ]
        file.write_text("\n".join(map(json.dumps, lines)))
        name = f"Taught {next(_numbers)}"
        slug: str = run_command("taxonomy", "import", str(file), "--name", name)["taxonomy"]
        return slug

    return make


def paste(page: Page, text: str) -> None:
    page.get_by_label("Text", exact=True).fill(text)


def test_the_judgement_follows_the_typing(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/classify/")
    paste(page, LONG_TEXT)
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()
    way = page.get_by_role("list", name="The way down the tree")
    expect(way).to_contain_text("Cycling")
    expect(page.locator("[data-judgement-status]")).to_contain_text("Cycling")
    paste(page, "Chess players castle early, and a gambit offers a pawn for the opening. " * 4)
    expect(way).to_contain_text("Games")
    paste(page, "Chess")
    expect(page.get_by_text("too short to judge")).to_be_visible()
    paste(page, "")
    expect(page.get_by_text("There is no text to judge")).to_be_visible()
    assert page.url.endswith("/classify/")


def test_another_topic_can_be_asked_about_while_the_text_changes(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/classify/")
    paste(page, LONG_TEXT)
    page.get_by_role("button", name="Why not?").first.click()
    way = page.get_by_role("heading", name="The way to")
    expect(way).to_be_visible()
    asked = page.get_by_label("Did you expect another topic?")
    asked.fill("/games/board_games/chess")
    asked.press("Enter")
    expect(way).to_have_text("The way to Chess")
    paste(page, f"{LONG_TEXT} A gambit offers a pawn.")
    expect(page.locator("#judgement").get_by_text("gambit").first).to_be_visible()
    expect(way).to_have_text("The way to Chess")
    page.get_by_role("button", name="Back to the way it went").click()
    expect(way).to_be_hidden()
    expect(asked).to_have_value("")


def test_what_is_typed_never_becomes_markup(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/classify/")
    paste(page, f"{HOSTILE} {LONG_TEXT}")
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()
    assert page.locator("#judgement img").count() == 0


def test_a_text_becomes_an_example_and_an_undo_keeps_it_in_sight(
    signed_in_page: OpenPage,
) -> None:
    page = signed_in_page()
    page.goto("/classify/")
    paste(page, LONG_TEXT)
    page.get_by_role("button", name="Add as example to").click()
    expect(page.get_by_text("An example added to")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone: An example added")).to_be_visible()
    expect(page.get_by_label("Text", exact=True)).to_have_value(LONG_TEXT)


def test_a_lost_connection_keeps_the_judgement_and_says_so(
    signed_in_page: OpenPage, watch: Watch
) -> None:
    watch.expected_errors = ["ERR_FAILED", "htmx:"]
    page = signed_in_page()
    page.goto("/classify/")
    paste(page, LONG_TEXT)
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()
    page.route("**/classify/", lambda route: route.abort())
    paste(page, f"{LONG_TEXT} More.")
    expect(page.get_by_text("The newest text could not be judged.")).to_be_visible()
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()
    page.unroute("**/classify/")
    paste(page, f"{LONG_TEXT} And more.")
    expect(page.get_by_text("The newest text could not be judged.")).to_be_hidden()


def test_it_works_without_a_script(signed_in_page: OpenPage) -> None:
    page = signed_in_page(java_script_enabled=False)
    page.goto("/classify/")
    paste(page, LONG_TEXT)
    page.get_by_role("button", name="Classify").click()
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()
    expect(page.get_by_label("Text", exact=True)).to_have_value(LONG_TEXT)
    page.get_by_role("button", name="Add as example to").click()
    expect(page.get_by_text("An example added to")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_text("Undone: An example added")).to_be_visible()


def test_a_page_that_can_not_be_fetched_is_told_and_the_text_kept(
    signed_in_page: OpenPage,
) -> None:
    page = signed_in_page()
    page.goto("/classify/?url=http://127.0.0.1:9/&t=A+title")
    address = page.get_by_label("Web address")
    expect(address).to_have_value("http://127.0.0.1:9/")
    paste(page, LONG_TEXT)
    address.press("Enter")
    expect(page.locator(".classify__fetch .field__error")).to_be_visible()
    expect(page.get_by_label("Text", exact=True)).to_have_value(LONG_TEXT)
    expect(page.get_by_label("Title")).to_have_value("A title")
    expect(page.get_by_role("heading", name="It belongs here")).to_be_visible()


def test_from_training_to_a_model_and_back_to_the_one_before(
    signed_in_page: OpenPage, new_tree: NewTree
) -> None:
    page = signed_in_page()
    slug = new_tree()
    page.goto(f"/taxonomies/{slug}/quality/")
    page.get_by_role("button", name="Train").click()
    expect(page.get_by_role("heading", name="Version 1 is being trained")).to_be_visible()
    first, second = page.locator("#version-1"), page.locator("#version-2")
    expect(first).to_contain_text("In use", timeout=WORKER_MS)
    expect(page.locator("#models-status")).to_contain_text("Version 1 judges")
    page.get_by_label("Kind of model").select_option("svm")
    page.get_by_role("button", name="Train now").click()
    expect(page.get_by_role("progressbar")).to_be_visible()
    expect(second).to_contain_text("In use", timeout=WORKER_MS)
    page.get_by_role("button", name="Use version 1").click()
    expect(first).to_contain_text("In use")
    page.get_by_role("button", name="Undo").click()
    expect(second).to_contain_text("In use")
    page.get_by_role("link", name="Compare two versions").click()
    expect(page.get_by_role("heading", name="Measured on held-out pages")).to_be_visible()
    expect(page.get_by_role("table", name="Parameters of both versions")).to_contain_text("svm")


def test_the_quality_page_draws_its_curve_and_compares_the_examples(
    signed_in_page: OpenPage,
) -> None:
    """Under the product's own content policy: the watch over every page sees a breach."""
    page = signed_in_page(color_scheme="light")
    page.goto("/taxonomies/canonical/quality/")
    curve = page.locator("#reliability .scatterlayer .trace")
    expect(curve).to_have_count(3)
    expect(page.get_by_role("heading", name="Contradictions")).to_be_visible()
    line = curve.last.locator("path.js-line")
    light = line.evaluate("path => getComputedStyle(path).stroke")
    page.emulate_media(color_scheme="dark")
    expect(line).not_to_have_css("stroke", light)
    page.get_by_text("The figures as a table").click()
    expect(page.get_by_role("table", name="Told probability")).to_be_visible()


def test_the_quality_page_without_a_script(signed_in_page: OpenPage) -> None:
    page = signed_in_page(java_script_enabled=False)
    page.goto("/taxonomies/canonical/quality/")
    page.get_by_role("link", name="Compare the examples").click()
    expect(page.get_by_role("heading", name="Contradictions")).to_be_visible()
    expect(page.locator("#reliability")).to_be_hidden()


def test_the_bookmarklet_is_a_plain_navigation(signed_in_page: OpenPage, product: Product) -> None:
    page = signed_in_page()
    page.goto("/classify/")
    link = page.get_by_role("link", name="Classify this page")
    href = link.get_attribute("href") or ""
    assert href.startswith(f'javascript:void(open("{product.base}/classify/?url="')
    link.click()  # nothing happens here
    expect(page).to_have_url(f"{product.base}/classify/")


def test_a_text_handed_over_by_the_extension_is_shown_and_waits(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.method))
    handed = urlencode({"url": "https://a.example/", "title": "Wheels", "text": "Spokes and rims"})
    page.goto(f"/classify/#{handed}")
    expect(page.get_by_label("Text", exact=True)).to_have_value("Spokes and rims")
    expect(page.get_by_label("Title")).to_have_value("Wheels")
    assert "#" not in page.url
    assert set(asked) == {"GET"}
    page.get_by_role("button", name="Classify", exact=True).click()
    page.locator("#judgement section").first.wait_for()
