"""A browser with people signed in, for tests that see the product as its users do.

Playwright leaves an event loop running in this process, so Django refuses ORM calls while a
browser is open: these tests reach the product through pages and `manage.py` only.
"""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright

from crawler.core.demoweb.web import PAGES, SEED, SITES, DemoWeb
from crawler.management.commands.demoweb import START_TOPIC
from tests.conftest import CHROMIUM, missing
from tests.e2e.browsing import OpenPage, People, Watch
from tests.product import Product, command_line, manage

ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
PATIENCE_MS = 30_000  # a busy machine is slow, not wrong

_numbers = itertools.count(1)

expect.set_options(timeout=PATIENCE_MS)


# Not for the whole session: tests of other folders, which use the ORM, may follow on this worker.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if CHROMIUM is None:
        missing("chromium is not installed")
    with sync_playwright() as playwright:
        running = playwright.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield running
        running.close()


@pytest.fixture(scope="package")
def people(browser: Browser, product: Product) -> People:
    return People(browser, product)


@pytest.fixture(scope="package", autouse=True)
def demo_crawl(product: Product) -> int:
    """A finished crawl of the demo web, number 1, so that the pages of a crawl have something."""
    starts = DemoWeb.build(SEED, SITES, PAGES).start_urls(product.demo_port(), START_TOPIC)
    focus = ["--name", "Bikes", "--taxonomy", "canonical", "--good", START_TOPIC]
    for command in (
        ["focus", "create", *focus, "--start", *starts],
        ["crawl", "start", "--focus", "bikes", "--max-pages", "150", "--delay", "0", "--wait"],
    ):
        done = manage(product.data_dir, *command)
        assert done.returncode == 0, done.stderr
    return 1


@pytest.fixture(scope="package")
def run_command(product: Product) -> Iterator[Callable[..., Any]]:
    with command_line(product.data_dir) as run:
        yield run


@pytest.fixture
def watch(product: Product) -> Watch:
    return Watch(product.base)


@pytest.fixture
def open_page(browser: Browser, product: Product, watch: Watch) -> Iterator[OpenPage]:
    """Opens a page in a context of its own; at the end no page may have done wrong."""
    contexts: list[BrowserContext] = []

    def open_it(*, width: int = 1280, **options: Any) -> Page:
        context = browser.new_context(
            base_url=product.base,
            viewport={"width": width, "height": 900},
            **{"reduced_motion": "reduce", **options},
        )
        contexts.append(context)
        context.set_default_timeout(PATIENCE_MS)
        watch.over(context)
        return context.new_page()

    yield open_it
    for context in contexts:
        context.close()
    assert watch.faults() == []


@pytest.fixture
def signed_in_page(open_page: OpenPage, people: People) -> OpenPage:
    """Opens a page as the owner, or with the cookies given as `person`."""

    def open_it(person: StorageState | None = None, **options: Any) -> Page:
        return open_page(storage_state=person or people.owner(), **options)

    return open_it


@pytest.fixture
def newcomer(people: People) -> Callable[..., StorageState]:
    """Somebody nobody else uses, for tests that change a person's own settings."""

    def make(**options: Any) -> StorageState:
        return people.member(f"newcomer-{next(_numbers)}", **options)

    return make
