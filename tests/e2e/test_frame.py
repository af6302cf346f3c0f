"""The frame around every page: moving, themes, shortcuts, messages, with and without script."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Route, StorageState, expect

from tests.e2e.browsing import TEAM, OpenPage, People, Watch, add_member, choose_theme, sign_in
from tests.product import Product

pytestmark = [pytest.mark.browser]

Newcomer = Callable[..., StorageState]

HOME = "Welcome to FocusAdmin"
STATUS = "**/status/"
RENEWAL_MS = 5_500
FAILURES: dict[str, Callable[[Route], None]] = {
    "unreachable": lambda route: route.abort(),
    "broken": lambda route: route.fulfill(status=500),
}


def arrives(page: Page, name: str) -> None:
    """At the page of that heading, with its scripts at work."""
    expect(page.get_by_role("heading", level=1)).to_have_text(name)
    page.wait_for_load_state()


def is_told(page: Page, text: str) -> Locator:
    """By a message on a page whose scripts are at work."""
    message = toast(page, text)
    expect(message).to_be_visible()
    page.wait_for_load_state()
    return message


def toast(page: Page, text: str) -> Locator:
    return page.locator("#toasts .toast", has_text=text)


def shortcuts(page: Page) -> Locator:
    return page.get_by_role("dialog", name="Keyboard shortcuts")


def member_row(page: Page, name: str) -> Locator:
    return page.get_by_role("row").filter(has=page.get_by_role("rowheader", name=name, exact=True))


class TestMoving:
    def test_skip_link_comes_first_and_leads_into_the_content(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/")
        page.keyboard.press("Tab")
        expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
        page.keyboard.press("Enter")
        expect(page.locator("main")).to_be_focused()

    def test_header_and_footer_lead_everywhere(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/")
        expect(page.get_by_role("link", name="Home")).to_have_attribute("aria-current", "page")
        page.get_by_role("link", name="Help").click()
        arrives(page, "Help")
        account = page.locator("summary", has_text="Your account")
        account.click()
        page.get_by_role("link", name="Settings", exact=True).click()
        arrives(page, "Settings")
        account.click()
        page.get_by_role("link", name="My team").click()
        arrives(page, "My team")
        page.get_by_role("link", name="FocusAdmin").click()
        arrives(page, HOME)

    def test_signing_out_ends_the_visit(self, signed_in_page: OpenPage, newcomer: Newcomer):
        page = signed_in_page(newcomer())
        page.goto("/help/")
        page.locator("summary", has_text="Your account").click()
        page.get_by_role("button", name="Sign out").click()
        arrives(page, "Sign in")
        page.goto("/accounts/settings/?tab=2")
        expect(page).to_have_url(re.compile(r"/accounts/signin/\?next=.*settings"))

    def test_account_menu_closes_on_escape_and_on_a_press_elsewhere(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/")
        account = page.locator("summary", has_text="Your account")
        settings = page.get_by_role("link", name="Settings", exact=True)
        account.press("Enter")
        settings.focus()
        page.keyboard.press("Escape")
        expect(settings).to_be_hidden()
        expect(account).to_be_focused()
        account.click()
        expect(settings).to_be_visible()
        page.get_by_role("heading", level=1).click()
        expect(settings).to_be_hidden()

    def test_mobile_menu_works_by_keyboard(self, signed_in_page: OpenPage):
        page = signed_in_page(width=390)
        page.goto("/help/")
        menu = page.locator("summary", has_text="Menu")
        home = page.get_by_role("navigation", name="Main").get_by_role("link", name="Home")
        expect(home).to_be_hidden()
        menu.focus()
        page.keyboard.press("Enter")
        expect(home).to_be_visible()
        page.keyboard.press("Tab")
        expect(home).to_be_focused()
        page.keyboard.press("Escape")
        expect(home).to_be_hidden()
        expect(menu).to_be_focused()
        page.keyboard.press("Space")
        page.keyboard.press("Tab")
        page.keyboard.press("Enter")
        arrives(page, HOME)

    def test_focus_is_never_hidden_under_the_header(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.set_viewport_size({"width": 1280, "height": 500})
        page.goto("/design/")
        page.locator(".site-footer a").last.focus()
        for _ in range(80):
            page.keyboard.press("Shift+Tab")
            if page.evaluate("document.activeElement.closest('header') !== null"):
                return
            assert not page.evaluate(
                """() => {
                  const header = document.querySelector("header").getBoundingClientRect();
                  return document.activeElement.getBoundingClientRect().top < header.bottom - 1;
                }"""
            ), page.evaluate("document.activeElement.outerHTML")
        pytest.fail("the header was not reached")


class TestTheme:
    @pytest.mark.parametrize("with_script", [True, False], ids=["script", "no script"])
    def test_choice_stays_after_a_reload_and_on_other_pages(
        self, with_script: bool, signed_in_page: OpenPage, newcomer: Newcomer
    ):
        page = signed_in_page(newcomer(), java_script_enabled=with_script, color_scheme="light")
        page.goto("/help/?from=here")
        choose_theme(page, "dark")
        expect(page).to_have_url(re.compile(r"/help/\?from=here$"))
        page.reload()
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")
        expect(page.locator("html")).to_have_css("background-color", "rgb(22, 21, 19)")
        pressed = page.get_by_role("button", name="Dark theme")
        expect(pressed).to_have_attribute("aria-pressed", "true")
        page.goto("/")
        expect(page.locator("html")).to_have_attribute("data-theme", "dark")

    def test_theme_of_the_system_is_followed_while_the_page_is_open(self, open_page: OpenPage):
        page = open_page(color_scheme="light")
        page.goto("/accounts/signin/")
        expect(page.locator("html")).to_have_css("background-color", "rgb(246, 243, 236)")
        page.emulate_media(color_scheme="dark")
        expect(page.locator("html")).to_have_css("background-color", "rgb(22, 21, 19)")

    def test_choice_on_the_answer_to_a_form_leads_to_a_page_that_exists(
        self, signed_in_page: OpenPage, newcomer: Newcomer
    ):
        page = signed_in_page(newcomer(role="admin"))
        page.goto(TEAM)
        add_member(page, "themed")
        choose_theme(page, "light")
        arrives(page, HOME)


class TestShortcuts:
    def test_list_opens_and_closes_by_key_and_gives_the_focus_back(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/")
        link = page.get_by_role("link", name="Members and roles")
        link.focus()
        page.keyboard.press("?")
        expect(shortcuts(page)).to_be_visible()
        page.keyboard.press("Escape")
        expect(shortcuts(page)).to_be_hidden()
        expect(link).to_be_focused()

    def test_list_opens_and_closes_by_pointer(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/")
        button = page.get_by_role("button", name="Shortcuts")
        button.click()
        shortcuts(page).get_by_role("button", name="Close").click()
        expect(shortcuts(page)).to_be_hidden()
        expect(button).to_be_focused()
        button.click()
        page.mouse.click(5, 5)
        expect(shortcuts(page)).to_be_hidden()

    def test_two_letters_go_places(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/help/")
        page.keyboard.press("g")
        page.keyboard.press("m")
        arrives(page, "My team")
        page.keyboard.press("g")
        page.keyboard.press("t")
        arrives(page, "Topics")
        page.keyboard.press("g")
        page.keyboard.press("h")
        arrives(page, HOME)

    def test_slash_goes_to_the_search_field(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/design/")
        page.keyboard.press("/")
        expect(page.get_by_label("Search pages")).to_be_focused()
        expect(page.get_by_label("Search pages")).to_have_value("")

    def test_they_rest_in_text_fields(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/accounts/settings/")
        name = page.get_by_label("First name")
        name.press_sequentially("?ghz")
        expect(name).to_have_value("?ghz")
        expect(shortcuts(page)).to_be_hidden()
        arrives(page, "Settings")

    def test_they_can_be_switched_off(self, signed_in_page: OpenPage, newcomer: Newcomer):
        page = signed_in_page(newcomer())
        page.goto("/accounts/settings/")
        page.get_by_label("Single-key shortcuts").uncheck()
        page.get_by_role("button", name="Save settings").click()
        is_told(page, "Settings saved.")
        page.get_by_role("heading", level=1).click()
        page.keyboard.press("?")
        page.keyboard.press("g")
        page.keyboard.press("h")
        expect(shortcuts(page)).to_be_hidden()
        arrives(page, "Settings")
        page.get_by_role("button", name="Shortcuts").click()
        expect(shortcuts(page)).to_contain_text("switched off for you")


class TestMessages:
    @pytest.mark.parametrize("way", ["click", "key", "no script"])
    def test_removing_a_member_can_be_undone(
        self, way: str, signed_in_page: OpenPage, newcomer: Newcomer
    ):
        page = signed_in_page(newcomer(role="admin"), java_script_enabled=way != "no script")
        name = f"removed-by-{way.replace(' ', '-')}"
        page.goto(TEAM)
        add_member(page, name, "curator")
        page.get_by_role("button", name=f"Remove {name}").click()
        is_told(page, f"{name} was removed.")
        expect(member_row(page, name)).to_have_count(0)
        if way == "key":
            page.keyboard.press("z")
        else:
            page.get_by_role("button", name="Undo").click()
        is_told(page, f"{name} is back in the team.")
        role = member_row(page, name).get_by_label(f"Role of {name}")
        expect(role).to_have_value("curator")

    def test_a_message_leaves_by_itself_unless_it_has_the_focus(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.clock.install()
        page.goto("/accounts/settings/")
        page.get_by_role("button", name="Save settings").click()
        saved = is_told(page, "Settings saved.")
        close = saved.get_by_role("button", name="Close message")
        close.focus()
        page.clock.run_for(30_000)
        expect(saved).to_be_visible()
        page.get_by_label("First name").focus()
        page.clock.run_for(11_000)
        expect(saved).to_have_count(0)

    def test_a_message_can_be_closed(self, signed_in_page: OpenPage):
        page = signed_in_page()
        page.goto("/accounts/settings/")
        page.get_by_role("button", name="Save settings").click()
        saved = is_told(page, "Settings saved.")
        saved.get_by_role("button", name="Close message").press("Enter")
        expect(saved).to_have_count(0)
        expect(page.locator("main")).to_be_focused()

    def test_an_error_stays_until_it_was_read(self, signed_in_page: OpenPage, newcomer: Newcomer):
        page = signed_in_page(newcomer(role="admin"))
        page.clock.install()
        page.goto(TEAM)
        add_member(page, "gone")
        page.get_by_role("button", name="Remove gone").click()
        token = page.locator("form[data-undo] [name=token]")
        token.evaluate("input => { input.value = 'expired'; }")
        page.get_by_role("button", name="Undo").click()
        refused = is_told(page, "This can't be undone any more.")
        page.clock.run_for(60_000)
        expect(refused).to_be_visible()

    def test_a_message_leaves_the_foot_of_the_page_free(self, signed_in_page: OpenPage):
        for width in (1280, 390):
            page = signed_in_page(width=width)
            page.goto("/accounts/settings/")
            page.get_by_role("button", name="Save settings").click()
            is_told(page, "Settings saved.")
            page.keyboard.press("End")
            page.get_by_role("link", name="Help").click(trial=True)
            page.get_by_role("button", name="Shortcuts").click(trial=True)

    def test_copying_takes_the_link(self, signed_in_page: OpenPage, newcomer: Newcomer):
        page = signed_in_page(
            newcomer(role="admin"), permissions=["clipboard-read", "clipboard-write"]
        )
        page.goto(TEAM)
        link = add_member(page, "colleague")
        page.get_by_role("button", name="Copy").click()
        is_told(page, "Copied")
        assert page.evaluate("navigator.clipboard.readText()") == link

    def test_refused_copying_leaves_the_text_selected(
        self, signed_in_page: OpenPage, newcomer: Newcomer
    ):
        page = signed_in_page(newcomer(role="admin"))
        page.add_init_script("navigator.clipboard.writeText = () => Promise.reject(new Error());")
        page.goto(TEAM)
        link = add_member(page, "other-colleague")
        page.get_by_role("button", name="Copy").click()
        is_told(page, "Copying was refused.")
        assert page.evaluate("document.getSelection().toString()") == link
        page.get_by_role("button", name="Copy").click()
        expect(toast(page, "Copying was refused.")).to_have_count(1)


class TestWithoutScript:
    def test_the_whole_way_from_link_to_colleague(
        self, open_page: OpenPage, product: Product, newcomer: Newcomer, people: People
    ):
        page = open_page(java_script_enabled=False)
        sign_in(page, product)
        expect(page.locator(".needs-script").locator("visible=true")).to_have_count(0)
        page.get_by_role("link", name="Members and roles").click()
        link = add_member(page, "scriptless", "operator")
        assert link.startswith(product.base)
        expect(member_row(page, "scriptless").get_by_label("Role of")).to_have_value("operator")
        page.get_by_label("Role of scriptless").select_option("curator")
        page.get_by_role("button", name="Save role of scriptless").click()
        is_told(page, "scriptless is now Curator.")

    def test_menu_opens_in_the_pocket(self, signed_in_page: OpenPage):
        page = signed_in_page(width=390, java_script_enabled=False)
        page.goto("/help/")
        page.locator("summary", has_text="Menu").click()
        page.get_by_role("navigation", name="Main").get_by_role("link", name="Home").click()
        arrives(page, HOME)


class TestStatusStrip:
    """The clock of the page is ours here, so that nobody waits for the next renewal."""

    def test_it_renews_itself_without_loading_the_page(self, signed_in_page: OpenPage):
        page = home_with_clock(signed_in_page)
        page.evaluate("window.sameDocument = true")
        strip = page.locator("#status-strip")
        strip.evaluate("element => { element.dataset.old = 'yes'; }")
        renew(page)
        expect(strip).not_to_have_attribute("data-old", "yes")
        expect(strip).to_contain_text("Disk free")
        assert page.evaluate("window.sameDocument") is True
        expect(lost(page)).to_be_hidden()

    @pytest.mark.parametrize("width", [1280, 390, 360, 320])
    def test_times_stay_on_one_line_inside_their_column(self, width: int, signed_in_page: OpenPage):
        page = signed_in_page(width=width)
        page.goto("/")
        value = page.locator(".stat", has_text="Last sign of life").locator(".stat__value--text")
        value.evaluate("element => { element.textContent = '20:00:00 UTC'; }")
        overflow, lines = value.evaluate(
            """element => [
              element.scrollWidth - element.clientWidth,
              Math.round(element.clientHeight / parseFloat(getComputedStyle(element).lineHeight)),
            ]"""
        )
        assert (overflow, lines) == (0, 1)

    @pytest.mark.parametrize("failure", FAILURES)
    def test_lost_updates_are_said_once_and_what_was_shown_stays(
        self, failure: str, signed_in_page: OpenPage, watch: Watch
    ):
        watch.expected_statuses = {500}
        watch.expected_errors = ["net::ERR_FAILED", "console error: htmx:", "Response Status Error"]
        page = home_with_clock(signed_in_page)
        page.route(STATUS, FAILURES[failure])
        for _ in range(3):
            page.clock.run_for(RENEWAL_MS)
        expect(lost(page)).to_be_visible()
        expect(lost(page)).to_contain_text(re.compile(r"You see the state of \d\d:\d\d:\d\d UTC\."))
        expect(page.locator("#status-strip")).to_contain_text("Disk free")
        expect(page.locator("#toasts .toast")).to_have_count(0)

        page.unroute(STATUS)
        renew(page)
        expect(lost(page)).to_be_hidden()

    def test_when_the_session_ends_the_sign_in_page_opens(
        self, signed_in_page: OpenPage, newcomer: Newcomer
    ):
        page = home_with_clock(signed_in_page, newcomer())
        page.context.clear_cookies()
        page.clock.run_for(RENEWAL_MS)
        expect(page).to_have_url(re.compile(r"/accounts/signin/\?next=(/|%2F)$"))
        expect(page.get_by_role("banner")).to_have_count(1)


def home_with_clock(signed_in_page: OpenPage, person: StorageState | None = None) -> Page:
    page = signed_in_page(person)
    page.clock.install()
    page.goto("/")
    return page


def renew(page: Page) -> None:
    with page.expect_response(STATUS):
        page.clock.run_for(RENEWAL_MS)


def lost(page: Page) -> Locator:
    return page.get_by_text("Live updates are lost")


class TestWatch:
    """What the other tests rely on: a page that does wrong is noticed."""

    @pytest.mark.parametrize(
        ("wrong", "noticed"),
        [
            ("console.error('oh')", "console error: oh"),
            ("setTimeout(() => { throw new Error('ah'); })", "page error: ah"),
            ("document.body.setAttribute('style', 'color: red')", "Content Security Policy"),
            ("fetch('http://127.0.0.2:9/').catch(() => {})", "Content Security Policy"),
            ("location = 'http://127.0.0.2:9/'", "foreign request: http://127.0.0.2:9/"),
        ],
    )
    def test_wrongs_are_noticed(self, wrong: str, noticed: str, open_page: OpenPage, watch: Watch):
        page = open_page()
        page.route("http://127.0.0.2:9/", lambda route: route.fulfill(body="elsewhere"))
        page.goto("/accounts/signin/")
        page.evaluate(f"() => {{ {wrong} }}")
        page.wait_for_timeout(300)
        assert any(noticed in fault for fault in watch.faults()), watch.faults()
        watch.expected_errors = [""]
