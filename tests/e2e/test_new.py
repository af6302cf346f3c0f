"""What is new: read, narrowed down, marked as seen and back, and its feed read without a cookie."""

import re
from urllib.request import urlopen
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.e2e.browsing import OpenPage
from tests.e2e.screens import have_news

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

NEW = "/crawls/1/new/"


def test_news_are_seen_and_carried_away(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto(NEW)
    have_news(page)
    page.get_by_label("What").select_option("page")
    page.get_by_role("button", name="Show").click()
    expect(page).to_have_url(re.compile("kind=page"))
    rows = page.get_by_role("region", name="Table of news").locator("tbody tr")
    expect(rows.first).to_contain_text("New page")

    page.goto(NEW)
    page.get_by_role("button", name="Mark all as seen").click()
    toast = page.locator(".toast", has_text="marked as seen")
    expect(toast).to_be_visible()
    page.wait_for_load_state()  # keys are heard when the scripts have run
    page.keyboard.press("z")
    expect(page.locator(".toast", has_text="unseen again")).to_be_visible()
    expect(rows.first).to_be_visible()

    page.get_by_role("button", name="Make an address").click()
    address = page.get_by_label("Atom").input_value()
    with urlopen(address) as answer:  # no browser, no cookie
        feed = ElementTree.fromstring(answer.read())
    assert feed.findall("{http://www.w3.org/2005/Atom}entry")
    page.get_by_role("link", name="Back to the news").click()
    page.get_by_role("button", name="Withdraw the address").click()
    expect(page.locator(".toast", has_text="does not work any more")).to_be_visible()
