"""From the start of a crawl to its alarm, to the diagnosis, to the remedy and back, in a browser.

The mutual-funds case of the 1999 paper: pages on funds are cited by pages on investing in general,
so a crawl that rejects those starves.
"""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from crawler.core.demoweb.web import PAGES, SEED, SITES, DemoWeb
from tests.e2e.browsing import OpenPage
from tests.product import Product, manage

pytestmark = [pytest.mark.browser]

FUNDS = "/Business/Investing/Mutual_Funds"
ALARM_MS, CRAWL_MS = 60_000, 90_000


def crawl(product: Product, good: str, name: str, *options: str) -> str:
    """Start a crawl of the demo web, wait for its end, return the path of its page."""
    starts = DemoWeb.build(SEED, SITES, PAGES).start_urls(product.demo_port(), good)
    focus = ["--name", name, "--taxonomy", "canonical", "--good", good, "--start", *starts]
    run = ["--focus", name, "--name", name, "--delay", "0", "--wait", "--json", *options]
    for command in (["focus", "create", *focus], ["crawl", "start", *run]):
        done = manage(product.data_dir, *command)
        assert done.returncode == 0, done.stderr
    listed = json.loads(manage(product.data_dir, "crawl", "list", "--json").stdout)["crawls"]
    return f"/crawls/{len(listed)}/"


@pytest.fixture(scope="module")
def starved(product: Product) -> str:
    return crawl(product, FUNDS, "funds", "--strategy", "hard_focus", "--max-pages", "1000")


def pages_read(page: Page) -> int:
    """As the words beside the chart tell it."""
    words = page.locator("[data-words]")
    expect(words).to_contain_text("pages read")
    found = re.search(r"([\d,]+) pages read", words.inner_text())
    assert found
    return int(found.group(1).replace(",", ""))


def reload_until(page: Page, words: str, milliseconds: int) -> None:
    """The page does not renew itself."""
    for _ in range(milliseconds // 1_000):
        if page.get_by_text(words).first.is_visible():
            return
        page.wait_for_timeout(1_000)
        page.reload()
    expect(page.get_by_text(words).first).to_be_visible()


def test_from_alarm_to_remedy_and_back(starved: str, signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/alarms/")
    reload_until(page, "The frontier is empty", ALARM_MS)
    bell = page.get_by_role("link", name=re.compile(r"Alarms: \d+ firing"))
    expect(bell).to_be_visible()
    row = page.get_by_role("row", name=re.compile("Frontier nearly empty")).first
    row.get_by_role("link", name=re.compile("What to do")).click()

    expect(page).to_have_url(re.compile(f"{starved}diagnosis/"))
    expect(page.get_by_role("heading", name="The harvest has fallen")).to_be_visible()
    advice = page.locator("article", has_text="The good topics are mixed with Business / Investing")
    expect(advice).to_contain_text("They cite relevant pages of other sites")
    advice.get_by_role("button", name="Widen for priority: Business / Investing").click()
    expect(page.locator(".toast").first).to_contain_text("The crawl goes on.")
    undo = page.locator(".toast").get_by_role("button", name="Undo")
    expect(undo).to_be_visible()

    page.goto(starved)
    before = pages_read(page)
    reload_until(page, "Finished", CRAWL_MS)
    for _ in range(CRAWL_MS // 1_000):
        if pages_read(page) > max(before, 400):
            break
        page.wait_for_timeout(1_000)
        page.reload()
    assert pages_read(page) > 400
    page.goto(f"{starved}diagnosis/")
    expect(page.get_by_text("The good topics are mixed")).to_have_count(0)


def test_muting_silences_the_bell(starved: str, signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/alarms/?state=all")
    page.get_by_role("row", name=re.compile("funds")).first.wait_for()
    row = page.get_by_role("row", name=re.compile("^Relevance falls.*funds")).first
    row.locator("summary").click()
    row.get_by_label("For how long").select_option("24")
    row.get_by_role("button", name="Mute").click()
    muted = page.get_by_role("row", name=re.compile("^Relevance falls.*funds")).first
    expect(muted.get_by_text("Mute", exact=True)).to_be_visible()
    muted.get_by_role("button", name=re.compile("^Unmute")).click()
    expect(page.locator(".toast", has_text="is heard again")).to_be_visible()


def test_what_is_left_holds_the_truth(product: Product, signed_in_page: OpenPage) -> None:
    """The demo web knows how many pages on cycling it has; the estimate must not miss them."""
    path = crawl(product, "/Recreation/Cycling", "halfway", "--max-pages", "500")
    truth = len(list(DemoWeb.build(SEED, SITES, PAGES).ordinary_pages("/Recreation/Cycling")))
    page = signed_in_page()
    page.goto(f"{path}diagnosis/")
    note = page.locator(".stat", has_text="Estimated total").locator(".stat__note").inner_text()
    low, high = map(int, re.findall(r"\d+", note))
    assert low <= truth <= high
    assert high - low < truth / 2
    page.get_by_label("Stop when at least this share is found").fill("80")
    page.get_by_role("button", name="Save the stop rule").click()
    expect(page.get_by_label("Stop when at least this share is found")).to_have_value("80")
