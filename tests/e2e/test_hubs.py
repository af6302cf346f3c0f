"""Judging hubs by keyboard: what is pressed, what is said of it, and the way back."""

import pytest
from playwright.sync_api import Page, expect

from tests.e2e.browsing import OpenPage
from tests.product import Product, manage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

HUBS = "/crawls/1/hubs/"
LEARNT_MS = 30_000  # with the worker's other duties on a busy machine


@pytest.fixture(scope="module", autouse=True)
def distilled(product: Product) -> None:
    done = manage(product.data_dir, "distil", "1")
    assert done.returncode == 0, done.stderr


def rows(page: Page):
    return page.locator("[data-hub-list=hub] [data-hub-row]")


def test_a_verdict_by_keyboard_and_its_undoing(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(HUBS)
    page.keyboard.press("j")
    expect(rows(page).nth(0)).to_be_focused()
    page.keyboard.press("j")
    expect(rows(page).nth(1)).to_be_focused()
    page.keyboard.press("k")
    expect(rows(page).nth(0)).to_be_focused()
    seq = rows(page).nth(0).get_attribute("data-seq")

    page.keyboard.press("x")
    toast = page.locator(".toast", has_text="Not useful: An example of")
    expect(toast).to_contain_text("weighs a tenth in the distiller")
    row = page.locator(f"[data-hub-list=hub] [data-seq='{seq}']")
    expect(row).to_contain_text("not useful, says")
    expect(page.locator("#effect")).to_contain_text("Learnt", timeout=LEARNT_MS)

    page.reload()  # it was distilled with the new weight, and the page stands further down
    page.keyboard.press("Escape")
    history = page.locator("section", has_text="Feedback so far").last
    expect(history).to_contain_text("Not useful")
    history.get_by_role("button", name="Undo").first.click()
    expect(page.locator(".toast", has_text="Undone")).to_be_visible()
    expect(page.locator("[data-hub-list=hub]")).not_to_contain_text("not useful, says")


def test_z_takes_the_last_verdict_back(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(HUBS)
    page.keyboard.press("j")
    page.keyboard.press("u")
    expect(page.locator(".toast", has_text="Useful: An example of")).to_be_visible()
    expect(page.locator("[data-hub-row]:focus")).to_have_count(1)
    page.keyboard.press("z")
    expect(page.locator(".toast", has_text="Undone")).to_be_visible()
    expect(page.locator("[data-hub-list=hub]")).not_to_contain_text("useful, says")


def test_a_narrow_screen_shows_one_list_at_a_time(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(HUBS)
    expect(page.get_by_role("heading", name="Hubs", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Authorities", exact=True)).to_be_hidden()
    page.get_by_role("button", name="Authorities").click()
    expect(page.get_by_role("heading", name="Authorities", exact=True)).to_be_visible()
    expect(page.get_by_role("heading", name="Hubs", exact=True)).to_be_hidden()


def test_distil_now_adds_a_run(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(HUBS)
    page.get_by_role("button", name="Distil now").click()
    expect(page.locator(".toast", has_text="is done")).to_be_visible()
