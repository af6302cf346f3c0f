"""People who use the product with a browser, and the watch over what their pages do."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, StorageState

from tests.product import Product

TEAM = "/accounts/teams/my-team/"
LOCAL_SCHEMES = ("about:", "blob:", "data:")
_DRIVER = "GL Driver Message"  # of the software that draws WebGL here, about its own speed
_FAILED_ANSWER = re.compile(r"(?:with a status of|Response Status Error Code) (\d+)")

_TELL_BREACHES = """
  document.addEventListener("securitypolicyviolation", (breach) =>
    console.error(`content policy: ${breach.effectiveDirective} ${breach.blockedURI}`),
  );
"""

OpenPage = Callable[..., Page]


@dataclass
class Watch:
    """Notes what no page may do: errors, breaches of the content policy, foreign requests.

    Chromium reports a breach of the policy as an error on the console, but not when a script that
    may not compile catches that, as Plotly does; the event tells of both.
    """

    base: str
    expected_statuses: set[int] = field(default_factory=set)
    expected_errors: list[str] = field(default_factory=list)
    _seen: list[str] = field(default_factory=list)

    def over(self, context: BrowserContext) -> None:
        context.add_init_script(_TELL_BREACHES)
        context.on("console", lambda message: self._console(message.type, message.text))
        context.on("weberror", lambda error: self._seen.append(f"page error: {error.error}"))
        context.on("request", lambda request: self._request(request.url))

    def faults(self) -> list[str]:
        return [fault for fault in self._seen if not self._is_expected(fault)]

    def _console(self, kind: str, text: str) -> None:
        if kind in {"error", "warning"} and _DRIVER not in text:
            self._seen.append(f"console {kind}: {text}")

    def _request(self, url: str) -> None:
        if not url.startswith((f"{self.base}/", *LOCAL_SCHEMES)):
            self._seen.append(f"foreign request: {url}")

    def _is_expected(self, fault: str) -> bool:
        answer = _FAILED_ANSWER.search(fault)
        if answer and int(answer.group(1)) in self.expected_statuses:
            return True
        return any(text in fault for text in self.expected_errors)


@dataclass
class People:
    """Makes accounts through the pages, and keeps each person's cookies for later visits."""

    browser: Browser
    product: Product
    _states: dict[str, StorageState] = field(default_factory=dict)

    def owner(self) -> StorageState:
        if "owner" not in self._states:
            self._states["owner"] = self._signed_in(self.product.new_link())
        return self._states["owner"]

    def member(self, name: str, *, role: str = "viewer", theme: str = "auto") -> StorageState:
        if name not in self._states:
            link = self._invitation(name, role)
            self._states[name] = self._signed_in(link, theme=theme)
        return self._states[name]

    def _invitation(self, name: str, role: str) -> str:
        with self._context(storage_state=self.owner()) as context:
            page = context.new_page()
            page.goto(TEAM)
            return add_member(page, name, role)

    def _signed_in(self, link: str, *, theme: str = "auto") -> StorageState:
        with self._context() as context:
            page = context.new_page()
            page.goto(link)
            page.get_by_role("heading", name="Welcome to FocusAdmin").wait_for()
            if theme != "auto":
                choose_theme(page, theme)
            return context.storage_state()

    def _context(self, **options: Any) -> BrowserContext:
        return self.browser.new_context(base_url=self.product.base, **options)


def sign_in(page: Page, product: Product, username: str | None = None) -> None:
    """By a fresh one-time link; costs a second, so most tests reuse a person's cookies."""
    page.goto(product.new_link(username))
    page.get_by_role("heading", name="Welcome to FocusAdmin").wait_for()


def add_member(page: Page, name: str, role: str = "viewer") -> str:
    """On the team's page, as its admin; returns the invitation for a name that is new."""
    page.get_by_label("Username").fill(name)
    page.get_by_label("Role", exact=True).select_option(role)
    page.get_by_role("button", name="Add to the team").click()
    link = page.get_by_label("One-time sign-in link").input_value()
    page.wait_for_load_state()  # scripts are at work
    return link


def choose_theme(page: Page, theme: str) -> None:
    page.get_by_role("button", name=f"{theme.capitalize()} theme").click()
    page.locator(f"html[data-theme={theme}]").wait_for(state="attached")
