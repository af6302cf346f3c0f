"""From the first page to a running crawl: by mouse in few clicks, by keyboard alone, and with a
messy file whose pages can't be reached."""

import re

import pytest
from playwright.sync_api import FilePayload, Page, expect

from tests.e2e.browsing import OpenPage
from tests.e2e.screens import MESSY_FILE, WORKER_MS, demo_twin

pytestmark = [pytest.mark.browser]

FEWEST_CLICKS = 6


class Clicks:
    """Counts what a person presses."""

    def __init__(self, page: Page) -> None:
        self.page, self.count = page, 0

    def button(self, name: str) -> None:
        self.count += 1
        self.page.get_by_role("button", name=name).first.click()

    def link(self, name: str) -> None:
        self.count += 1
        self.page.get_by_role("link", name=name, exact=True).first.click()


def await_read(page: Page) -> None:
    page.get_by_text("All pages are done").wait_for(state="attached", timeout=WORKER_MS)


def press_through_to(page: Page, name: str) -> None:
    """By the Tab key until the control of that name has the focus."""
    for _ in range(80):
        page.keyboard.press("Tab")
        focused = page.evaluate(
            "() => document.activeElement.ariaLabel || document.activeElement.textContent.trim()"
        )
        if " ".join(focused.split()).startswith(name):
            return
    raise AssertionError(f"The Tab key never came to {name}.")


def test_the_demo_runs_after_six_clicks_at_most(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/")
    clicks = Clicks(page)
    clicks.button("Try the demo web")
    await_read(page)
    expect(page.get_by_text("24 of 24 pages read")).to_be_visible()
    clicks.link("Continue: Topics")
    clicks.button("Mark good: Cycling")
    page.get_by_role("heading", name="Good topics").wait_for()
    clicks.link("Start")
    expect(page.get_by_text("Your example: relevance").first).to_be_visible()
    clicks.button("Start the crawl")
    page.wait_for_url(re.compile(r"/crawls/\d+/$"))
    expect(page.get_by_role("heading", level=1)).to_contain_text("Demo: bicycles")
    assert clicks.count <= FEWEST_CLICKS
    stop_crawl(page)


def stop_crawl(page: Page) -> None:
    """It would only take the machine's time from other tests."""
    page.get_by_role("button", name="Stop", exact=True).click()
    page.get_by_role("button", name="Stop", exact=True).wait_for(state="detached")


def test_the_whole_path_can_be_walked_by_keyboard_alone(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/")
    press_through_to(page, "Try the demo web")
    page.keyboard.press("Enter")
    page.wait_for_url("**/examples/")
    await_read(page)
    press_through_to(page, "Continue: Topics")
    page.keyboard.press("Enter")
    page.wait_for_url("**/topics/")
    press_through_to(page, "Mark good: Cycling")
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Good topics").wait_for()
    press_through_to(page, "Continue: Explore")
    page.keyboard.press("Enter")
    page.wait_for_url("**/explore/")
    add_a_neighbour(page)
    press_through_to(page, "Continue: Start")
    page.keyboard.press("Enter")
    page.wait_for_url("**/start/")
    page.wait_for_load_state("networkidle")  # scripts are at work
    page.get_by_label("Pages at most").focus()
    page.keyboard.press("Control+a")
    with page.expect_response("**/keep/"):  # typed words are kept before anything is sent
        page.keyboard.type("20")
    page.reload()
    expect(page.get_by_label("Pages at most")).to_have_value("20")
    press_through_to(page, "Start the crawl")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/crawls/\d+/$"))


def add_a_neighbour(page: Page) -> None:
    press_through_to(page, "Look around")
    page.keyboard.press("Enter")
    first = page.get_by_role("button", name="Add as example").first
    first.wait_for(timeout=WORKER_MS)
    press_through_to(page, "Add as example")
    page.keyboard.press("Enter")
    page.get_by_text("is an example now").wait_for()
    page.wait_for_function("document.activeElement.id.startsWith('add-')")  # of the next one


def test_a_neighbour_is_dragged_onto_the_examples(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/")
    demo_twin(page)
    page.goto(f"{page.url}explore/")
    page.get_by_role("button", name="Look around").first.click()
    page.get_by_role("button", name="Add as example").first.wait_for(timeout=WORKER_MS)
    page.get_by_text("still to be read").wait_for(state="detached", timeout=WORKER_MS)
    neighbour = page.locator(".explore__list > li").first
    title = neighbour.get_by_role("heading").inner_text()
    neighbour.drag_to(page.locator("[data-drop]"))
    page.get_by_text("is an example now").wait_for()
    examples = page.get_by_role("list", name="Examples")
    expect(examples.get_by_text(title, exact=True)).to_be_attached()


def test_a_messy_file_is_walked_through_though_nothing_in_it_can_be_reached(
    signed_in_page: OpenPage,
) -> None:
    page = signed_in_page()
    page.goto("/")
    page.get_by_role("button", name="Use my bookmarks").click()
    file = FilePayload(name="messy.html", mimeType="text/html", buffer=MESSY_FILE)
    page.get_by_label("A bookmark file").set_input_files([file])
    page.get_by_role("button", name="Read the file").click()
    expect(page.get_by_text("5 web pages found in 3 folders")).to_be_visible()
    page.get_by_text("What was skipped, and why").click()
    for reason in ("javascript: link", "place: query", "private address", "file: link"):
        expect(page.get_by_text(reason)).to_be_visible()

    bar = page.get_by_role("checkbox", name="Lesezeichen-Symbolleiste")
    tours = page.get_by_role("checkbox", name="Räder & Touren")
    expect(page.get_by_text("5 pages chosen")).to_be_visible()
    tours.uncheck()
    expect(bar).not_to_be_checked()
    tours.check()
    expect(bar).to_be_checked()
    page.get_by_role("checkbox", name="Misc").uncheck()
    expect(page.get_by_text("3 pages chosen")).to_be_visible()
    page.get_by_role("button", name="Use these pages").click()

    page.get_by_label("Your e-mail address").fill("ann@example.org")
    page.get_by_role("button", name="Fetch the pages").click()
    await_read(page)
    expect(page.get_by_text("· 3 judged by title and address")).to_be_visible()
    expect(page.get_by_text("There is no site at").first).to_be_visible()  # the reason

    page.get_by_role("link", name="Continue: Topics").click()
    page.locator("summary", has_text="The examples behind it").first.click()
    expect(page.get_by_text("By title and address").first).to_be_visible()
    page.get_by_role(
        "button", name=re.compile("Mark good: (Cycling|Mountain Biking)")
    ).first.click()
    page.get_by_role("heading", name="Good topics").wait_for()
    page.get_by_role("link", name="Start", exact=True).click()
    expect(page.get_by_label("Contact")).to_have_value("ann@example.org")
    expect(page.get_by_role("button", name="Start the crawl")).to_be_enabled()


def test_a_pasted_list_is_there_after_leaving_half_way(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.goto("/focuses/new/")
    page.get_by_role("button", name="Use my bookmarks").click()
    field = page.get_by_label("Or paste addresses")
    page.wait_for_load_state("networkidle")  # scripts are at work
    with page.expect_response("**/keep/"):
        field.press_sequentially("https://half.exam")
    address = page.url
    page.goto("/")
    page.goto(address)
    expect(page.get_by_label("Or paste addresses")).to_have_value("https://half.exam")
