"""The map and the questions of a crawl, from the count to a page pair and a saved question."""

import re

import pytest
from playwright.sync_api import expect

from tests.e2e.browsing import OpenPage
from tests.product import Product, manage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]


def test_from_the_map_to_the_pages_behind_a_cell(
    product: Product, signed_in_page: OpenPage
) -> None:
    done = manage(product.data_dir, "distil", "1")
    assert done.returncode == 0, done.stderr
    page = signed_in_page()
    page.goto("/crawls/1/")
    page.get_by_role("link", name="Map", exact=True).click()
    expect(page.get_by_role("heading", name="Topics that cite each other")).to_be_visible()
    for heading in ("How remote", "Cooperative or", "How good resources"):
        expect(page.get_by_role("heading", name=heading)).to_be_visible()
    expect(page.get_by_text("top authorities are at most")).to_be_visible()

    page.get_by_role("link", name="1", exact=True).click()
    expect(page).to_have_url(f"{product.base}/crawls/1/map/?depth=1")
    page.locator(".map-matrix tbody td a").first.click()
    pairs = page.get_by_role("region", name="Table of page pairs")
    expect(pairs.get_by_role("row").nth(1)).to_be_visible()
    pairs.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/crawls/1/pages/[0-9]+/$"))


def test_a_question_is_asked_saved_and_asked_again(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/crawls/1/questions/")
    page.get_by_role("button", name="Which pages of topic A").click()
    answer = page.get_by_role("region", name="Table of the answer")
    expect(page.get_by_role("heading", name="Answer")).to_be_visible()

    question = page.get_by_label("Question", exact=True)
    question.fill("SELECT page, title FROM page WHERE is_relevant ORDER BY page LIMIT 3")
    question.press("Control+Enter")
    expect(answer.get_by_role("row")).to_have_count(4)
    with page.expect_download() as download:
        page.get_by_role("button", name="Download as CSV").click()
    assert download.value.suggested_filename.endswith(".csv")
    page.get_by_label("Name", exact=True).fill("The first three")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.locator(".toast", has_text="Saved: The first three")).to_be_visible()

    page.get_by_role("button", name="The first three", exact=True).click()
    expect(answer.get_by_role("row")).to_have_count(4)
    expect(question).to_have_value(
        "SELECT page, title FROM page WHERE is_relevant ORDER BY page LIMIT 3"
    )
    answer.get_by_role("link").first.click()
    expect(page).to_have_url(re.compile("/crawls/1/pages/[0-9]+/$"))
