"""Every page of the product: add a line here with each new one."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

from django.template.loader import render_to_string
from playwright.sync_api import Page, expect

from tests.e2e.browsing import TEAM, add_member

WRONG_PASSWORDS = 9  # one more than the limit
TOO_MUCH = 6_000_000  # over DATA_UPLOAD_MAX_MEMORY_SIZE

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Screen:
    """One page in one state; `prepare` leads from its address to that state."""

    name: str
    path: str
    role: str | None = "admin"  # of the person in the team; nobody is signed in without one
    prepare: Callable[[Page], None] | None = None


def _lock_out(page: Page) -> None:
    for _ in range(WRONG_PASSWORDS):
        if page.get_by_role("heading", name="Too many attempts").is_visible():
            return
        page.get_by_label("Username").fill("nobody")
        page.get_by_label("Password").fill("wrong")
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_load_state()


def _wrong_password(page: Page) -> None:
    page.get_by_label("Username").fill("noone")
    page.get_by_label("Password").fill("wrong")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("alert").wait_for()


def _open_account_menu(page: Page) -> None:
    page.locator("summary", has_text="Your account").click()


def _open_main_menu(page: Page) -> None:
    """By script, because a wide screen shows its items without a menu."""
    page.locator("details.site-nav__more").evaluate("menu => { menu.open = true; }")


def _lose_updates(page: Page) -> None:
    """Only how it looks; that it happens is shown with the frame."""
    page.locator("[data-live-since]").evaluate("time => { time.textContent = '14:03:22 UTC'; }")
    page.locator("[data-live-lost]").evaluate("note => { note.hidden = false; }")


def _open_shortcuts(page: Page) -> None:
    page.get_by_role("button", name="Shortcuts").click()


def _await_skeletons(page: Page) -> None:
    """They show only after a moment, so that quick answers do not flicker."""
    for skeleton in page.locator(".skeleton").all():
        expect(skeleton).to_have_css("opacity", "1")


def _save_settings(page: Page) -> None:
    page.get_by_role("button", name="Save settings").click()
    page.get_by_text("Settings saved.").wait_for()


def _refuse_password(page: Page) -> None:
    page.get_by_label("New password", exact=True).fill("a-long-pass-phrase")
    page.get_by_label("New password confirmation").fill("another-pass-phrase")
    page.get_by_role("button", name="Save password").click()
    page.locator(".field__error").first.wait_for()


def _refuse_member(page: Page) -> None:
    page.get_by_label("Username").fill("owner")
    page.get_by_role("button", name="Add to the team").click()
    page.get_by_text("is in this team already").wait_for()


def _submit_foreign_form(page: Page, action: str, *, next_url: str = "/") -> None:
    """Sends the theme form to another address, as a page left open too long might."""
    form = page.get_by_role("form", name="Theme")
    form.evaluate("(form, action) => { form.action = action; }", action)
    form.locator("[name=next]").evaluate("(input, text) => { input.value = text; }", next_url)
    form.get_by_role("button", name="Light theme").click()
    page.wait_for_load_state()


def _invite(page: Page) -> None:
    add_member(page, f"invited-{next(_numbers)}")


def _overreach(page: Page) -> None:
    _submit_foreign_form(page, f"{TEAM}members/")


def _ask_for_too_much(page: Page) -> None:
    _submit_foreign_form(page, "/accounts/settings/theme/", next_url="x" * TOO_MUCH)


def _send_old_form(page: Page) -> None:
    page.context.clear_cookies(name="csrftoken")
    _submit_foreign_form(page, "/accounts/settings/theme/")


def _break_the_server(page: Page) -> None:
    """The page for errors of our own, which no address may produce on purpose."""
    body = render_to_string("500.html", {"reference": "7f3a19c2d0b4"})
    page.route("**/broken/", lambda route: route.fulfill(status=500, body=body))
    page.goto("/broken/")


SCREENS = [
    Screen("home", "/"),
    Screen("home-account-menu", "/", prepare=_open_account_menu),
    Screen("home-main-menu", "/", prepare=_open_main_menu),
    Screen("home-stale", "/", prepare=_lose_updates),
    Screen("home-shortcuts", "/", prepare=_open_shortcuts),
    Screen("help", "/help/"),
    Screen("design", "/design/", prepare=_await_skeletons),
    Screen("settings", "/accounts/settings/"),
    Screen("settings-saved", "/accounts/settings/", prepare=_save_settings),
    Screen("password", "/accounts/settings/password/"),
    Screen("password-refused", "/accounts/settings/password/", prepare=_refuse_password),
    Screen("team", TEAM),
    Screen("team-as-viewer", TEAM, role="viewer"),
    Screen("team-refused", TEAM, prepare=_refuse_member),
    Screen("team-invitation", TEAM, prepare=_invite),
    Screen("signin", "/accounts/signin/", role=None),
    Screen("signin-refused", "/accounts/signin/", role=None, prepare=_wrong_password),
    Screen("locked", "/accounts/signin/", role=None, prepare=_lock_out),
    Screen("link-spent", "/accounts/signin/link/?token=spent", role=None),
    Screen("error-400", "/", prepare=_ask_for_too_much),
    Screen("error-403", TEAM, role="viewer", prepare=_overreach),
    Screen("error-403-old-form", "/", prepare=_send_old_form),
    Screen("error-404", "/nowhere/"),
    Screen("error-404-signed-out", "/nowhere/", role=None),
    Screen("error-500", "/accounts/signin/", role=None, prepare=_break_the_server),
]

# Routes that are no page of their own, each with the reason.
NOT_A_SCREEN = {
    "accounts:signout": "accepts POST only",
    "accounts:theme": "accepts POST only",
    "accounts:member-add": "accepts POST only; its answers are the team's page",
    "accounts:member-restore": "accepts POST only",
    "accounts:member-role": "accepts POST only",
    "accounts:member-remove": "accepts POST only",
    "crawler:status-strip": "a fragment of the home page",
    "healthz": "for machines",
    "readyz": "for machines",
}
