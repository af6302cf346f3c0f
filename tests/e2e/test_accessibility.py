"""Every screen, in both themes, on a desk and in a pocket: usable by everybody."""

import os
from collections.abc import Iterator
from operator import attrgetter
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from playwright.sync_api import Page

from tests.e2e.browsing import OpenPage, People, Watch
from tests.e2e.screens import NOT_A_SCREEN, SCREENS, Screen
from tests.product import ROOT

pytestmark = [pytest.mark.browser]

SCREENSHOTS = ROOT / "screenshots"
Theme = Literal["light", "dark"]
DESK, POCKET = 1280, 390
NARROW = [390, 360, 320]
BACKGROUNDS = {"light": "rgb(246, 243, 236)", "dark": "rgb(22, 21, 19)"}
IS_BACKGROUND = "c => getComputedStyle(document.documentElement).backgroundColor === c"
AXE = Axe().axe_script
OTHER = {"light": "dark", "dark": "light"}
# The theme follows the system everywhere; that a person may overrule it is seen on all parts.
OVERRULED = [screen for screen in SCREENS if screen.name == "design"]
# Sizes that hang on the width follow it only in the frame after the next.
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
AXE_OPTIONS: dict[str, Any] = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},  # WCAG 2.2; axe leaves it off by itself
}
COVERED: dict[str, Any] = {**AXE_OPTIONS, "rules": {"target-size": {"enabled": False}}}
# What a theme can change; everything else is checked in one of the two.
CONTRAST: dict[str, Any] = {"resultTypes": ["violations"], "runOnly": ["color-contrast"]}


@pytest.mark.parametrize("screen", SCREENS, ids=attrgetter("name"))
def test_screen_is_accessible(
    screen: Screen, open_page: OpenPage, people: People, watch: Watch
) -> None:
    watch.expected_statuses = {400, 403, 404, 409, 410, 422, 429, 500}
    page = open_page(**_follower(people, screen))
    page.goto(screen.path)
    if screen.prepare:
        screen.prepare(page)
    rules: dict[Theme, Any] = {"light": COVERED if screen.is_covered else AXE_OPTIONS}
    rules["dark"] = CONTRAST
    for width in (DESK, POCKET):
        _set_width(page, width)
        for theme, options in rules.items():
            page.emulate_media(color_scheme=theme)
            page.wait_for_function(IS_BACKGROUND, arg=BACKGROUNDS[theme])
            _keep_picture(page, screen, theme, width)
            assert _violations(page, options) == [], (width, theme)
    assert [width for width in NARROW if _scrolls_sideways(page, width)] == []


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("screen", OVERRULED, ids=attrgetter("name"))
def test_a_person_may_overrule_the_theme_of_the_system(
    screen: Screen, theme: Theme, open_page: OpenPage, people: People
) -> None:
    role = screen.role or "viewer"
    state = people.member(f"{theme}-{role}", role=role, theme=theme)
    page = open_page(color_scheme=OTHER[theme], storage_state=state)
    page.goto(screen.path)
    page.wait_for_function(IS_BACKGROUND, arg=BACKGROUNDS[theme])
    assert _violations(page, CONTRAST) == []


def test_every_page_is_among_the_screens() -> None:
    pages = {resolve(screen.path.split("?")[0]).view_name for screen in _real_screens()}
    assert set(_route_names(get_resolver().url_patterns)) == pages | NOT_A_SCREEN.keys()


def _follower(people: People, screen: Screen) -> dict[str, Any]:
    """Somebody with the screen's role whose theme is the system's."""
    if screen.role is None:
        return {}
    return {"storage_state": people.member(f"some-{screen.role}", role=screen.role)}


def _keep_picture(page: Page, screen: Screen, theme: Theme, width: int) -> None:
    """To be looked at, when somebody wants to."""
    if os.environ.get("SCREENSHOTS"):
        SCREENSHOTS.mkdir(exist_ok=True)
        path = SCREENSHOTS / f"{screen.name}-{theme}-{width}.png"
        page.screenshot(path=path, full_page=True)


def _violations(page: Page, options: dict[str, Any]) -> list[str]:
    """Axe is brought into each page once: it is as large as all of our pages together."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate("async options => (await axe.run(options)).violations", options)
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def _set_width(page: Page, width: int) -> None:
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(TWO_FRAMES)


def _scrolls_sideways(page: Page, width: int) -> bool:
    _set_width(page, width)
    return bool(page.evaluate("document.documentElement.scrollWidth > window.innerWidth"))


def _real_screens() -> list[Screen]:
    return [screen for screen in SCREENS if "404" not in screen.name]


def _route_names(patterns: list[URLPattern | URLResolver], prefix: str = "") -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLPattern):
            yield f"{prefix}{pattern.name}"
        elif pattern.namespace != "admin":  # Django's own pages
            inner = f"{prefix}{pattern.namespace}:" if pattern.namespace else prefix
            yield from _route_names(pattern.url_patterns, inner)
