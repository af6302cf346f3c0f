"""Deciding about sites by keyboard and by mouse: what is pressed, what is said, the way back."""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.e2e.browsing import OpenPage

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SITES = "/crawls/1/sites/"
TRIAGE = f"{SITES}?state=new&sort=predicted"
COUNTED_MS = 30_000  # with the worker's other duties on a busy machine


def rows(page: Page):
    return page.locator("tr[data-site-row]")


def name_in(row: Locator) -> str:
    return row.locator("[data-open]").inner_text()


def test_triage_by_keyboard_goes_on_with_the_next_site(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(TRIAGE)
    expect(rows(page).nth(2)).to_be_visible(timeout=COUNTED_MS)
    first, second = name_in(rows(page).nth(0)), name_in(rows(page).nth(1))
    page.keyboard.press("j")
    expect(rows(page).nth(0)).to_be_focused()
    page.keyboard.press("o")
    expect(page.locator(".toast", has_text=f"Out: {first}")).to_contain_text("removed")
    expect(page.locator("[data-site-row]:focus [data-open]")).to_have_text(second)
    page.keyboard.press("z")
    expect(page.locator(".toast", has_text="Undone")).to_be_visible()
    expect(rows(page).nth(0).locator("[data-open]")).to_have_text(first)
    page.keyboard.press("j")
    page.keyboard.press("d")
    expect(page.locator(".toast", has_text="Undecided:")).to_be_visible()
    history = page.locator("section", has_text="Decisions so far").last
    expect(history.locator("li").first).to_contain_text("Undecided")


def test_a_site_of_its_own_is_decided_and_capped_by_mouse(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(SITES)
    expect(rows(page).nth(2)).to_be_visible(timeout=COUNTED_MS)
    rows(page).nth(2).locator("[data-open]").click()
    expect(page.get_by_role("heading", name="Politeness, host by host")).to_be_visible()
    expect(page.get_by_role("table").first).to_contain_text("s on average")
    page.get_by_role("button", name=re.compile(r"^In\b")).click()
    expect(page.locator(".toast", has_text="In: ")).to_be_visible()
    expect(page.locator(".badge--good")).to_have_text("In")
    page.get_by_label("Pages at most").fill("3")
    page.get_by_role("button", name=re.compile(r"^Cap\b")).click()
    expect(page.locator(".toast", has_text="3 pages")).to_be_visible()
    no_cap = page.get_by_role("button", name=re.compile("^No cap"))
    no_cap.click()
    expect(no_cap).to_have_count(0)


def test_filters_stand_in_the_address_and_come_off_by_their_chips(
    signed_in_page: OpenPage,
) -> None:
    page = signed_in_page()
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(SITES)
    expect(rows(page).nth(0)).to_be_visible(timeout=COUNTED_MS)
    page.get_by_role("searchbox", name="Name").fill("no-such-site")
    page.get_by_role("button", name="Show").click()
    expect(page.get_by_role("heading", name="No site is like that")).to_be_visible()
    page.get_by_role("link", name="Name with no-such-site").click()
    expect(rows(page).nth(0)).to_be_visible()
