"""Every screen, in both themes, on a desk and in a pocket: usable by everybody."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import URLPattern, URLResolver, get_resolver, resolve
from playwright.sync_api import Page

from tests.e2e.browsing import OpenPage, People, Watch
from tests.e2e.screens import NOT_A_SCREEN, SCREENS, Screen
from tests.product import ROOT

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

SCREENSHOTS = ROOT / "screenshots"
DESK, POCKET = 1280, 390
NARROW = [390, 360, 320]
BACKGROUNDS = {"light": "rgb(246, 243, 236)", "dark": "rgb(22, 21, 19)"}
OTHER = {"light": "dark", "dark": "light"}
# The theme follows the system everywhere; that a person may overrule it is seen on these.
OVERRULED = {"home", "design", "team"}
CASES = [
    pytest.param(screen, chosen_by, id=f"{screen.name}-{chosen_by}")
    for screen in SCREENS
    for chosen_by in ("system", "person")
    if chosen_by == "system" or screen.name in OVERRULED
]
# Sizes that hang on the width follow it only in the frame after the next.
TWO_FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
AXE_OPTIONS = {
    "resultTypes": ["violations"],
    "rules": {"target-size": {"enabled": True}},  # WCAG 2.2; axe leaves it off by itself
}


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(("screen", "chosen_by"), CASES)
def test_screen_is_accessible(
    screen: Screen,
    chosen_by: str,
    theme: str,
    open_page: OpenPage,
    people: People,
    watch: Watch,
) -> None:
    watch.expected_statuses = {400, 403, 404, 409, 410, 422, 429, 500}
    page = open_page(**_visitor(people, screen, theme=theme, chosen_by=chosen_by))
    page.goto(screen.path)
    if screen.prepare:
        screen.prepare(page)
    assert _background(page) == BACKGROUNDS[theme]
    for width in (DESK, POCKET):
        _set_width(page, width)
        page.screenshot(path=_picture(screen, theme, width), full_page=True)
        assert _violations(page) == [], width
    assert [width for width in NARROW if _scrolls_sideways(page, width)] == []


def test_every_page_is_among_the_screens() -> None:
    pages = {resolve(screen.path.split("?")[0]).view_name for screen in _real_screens()}
    assert set(_route_names(get_resolver().url_patterns)) == pages | NOT_A_SCREEN.keys()


def _visitor(people: People, screen: Screen, *, theme: str, chosen_by: str) -> dict[str, Any]:
    """Who follows the system, or overrules a system that is set to the other theme."""
    if screen.role is None:
        return {"color_scheme": theme}
    if chosen_by == "system":
        state = people.member(f"some-{screen.role}", role=screen.role)
        return {"color_scheme": theme, "storage_state": state}
    state = people.member(f"{theme}-{screen.role}", role=screen.role, theme=theme)
    return {"color_scheme": OTHER[theme], "storage_state": state}


def _picture(screen: Screen, theme: str, width: int) -> Path:
    SCREENSHOTS.mkdir(exist_ok=True)
    return SCREENSHOTS / f"{screen.name}-{theme}-{width}.png"


def _violations(page: Page) -> list[str]:
    found = Axe().run(page, options=AXE_OPTIONS).response["violations"]
    return [
        f"{violation['id']}: {node['target']} {node['failureSummary']}"
        for violation in found
        for node in violation["nodes"]
    ]


def _background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.documentElement).backgroundColor"))


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
