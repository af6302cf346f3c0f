"""Labelling by keyboard alone: from the first page to the next training and back."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import OpenPage
from tests.product import Product, manage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

LABEL = "/crawls/1/label/"
TRAINED_MS = 90_000  # the shipped tree, on a busy machine


@pytest.fixture(scope="module", autouse=True)
def distilled(product: Product) -> None:
    done = manage(product.data_dir, "distil", "1")
    assert done.returncode == 0, done.stderr


def title_of(page: Page) -> str:
    return page.locator("#card-title").inner_text()


def press(page: Page, key: str, says: str) -> None:
    page.wait_for_load_state()  # scripts are at work
    with page.expect_navigation():
        page.keyboard.press(key)
    expect(page.locator(".toast", has_text=says)).to_be_visible()


def test_the_whole_story_by_keyboard(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(LABEL)
    expect(page.locator(".label__reason")).to_be_visible()
    expect(page.locator("mark").first).to_be_visible()
    first = title_of(page)

    with page.context.expect_page() as opened:
        page.keyboard.press("o")
    expect(opened.value.get_by_role("heading", name="Why it is there")).to_be_visible()
    opened.value.close()

    press(page, "u", "Useful: An example of")
    expect(page.locator("#card")).to_be_focused()
    expect(page.locator("#label-progress")).to_contain_text("1 of 20 until the next training")
    expect(page.locator("#card-title")).not_to_have_text(first)
    press(page, "z", "Undone. Here is the page again.")
    expect(page.locator("#card-title")).to_have_text(first)
    expect(page.locator("#label-progress")).to_contain_text("0 of 20 until the next training")

    press(page, "s", "Skipped.")
    expect(page.locator("#card-title")).not_to_have_text(first)

    settings = page.locator("summary", has_text="Settings").last
    settings.focus()
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    page.keyboard.press("Control+A")
    page.keyboard.type("5")
    page.keyboard.press("Enter")
    expect(page.locator(".toast", has_text="Settings saved")).to_be_visible()
    for done in range(5):
        expect(page.locator("#label-progress")).to_contain_text(f"{done} of 5 until")
        press(page, "x" if done % 2 else "u", "seful: An example of")
    progress = page.locator("#label-progress")
    expect(progress).to_contain_text("0 of 5 until the next training", timeout=TRAINED_MS)
    expect(progress).to_contain_text(re.compile(r"Version \d+ was trained"), timeout=TRAINED_MS)
    expect(page.locator("section", has_text="Precision").last).to_contain_text("labelled)")


def test_a_pointer_and_a_small_screen_will_do(signed_in_page: OpenPage) -> None:
    page = signed_in_page(width=390)
    page.goto(LABEL)
    first = title_of(page)
    page.get_by_role("button", name="Skip").click()
    expect(page.locator("#card-title")).not_to_have_text(first)
    page.get_by_role("button", name="Undo your last answer").click()
    expect(page.locator("#card-title")).to_have_text(first)
