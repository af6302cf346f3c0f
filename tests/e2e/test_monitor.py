"""The live page of a crawl, as somebody sees it who watches one."""

import json
import os
import signal
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocket, expect

from tests.e2e.browsing import OpenPage, Watch
from tests.product import Product, manage, wait_for

pytestmark = [pytest.mark.browser]

FINISHED = "/crawls/1/"
PATIENCE_MS = 180_000  # a quiet machine starts an engine in seconds, a busy one in minutes
WITHOUT_WEBGL = """
  const original = HTMLCanvasElement.prototype.getContext;
  HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
    return kind.startsWith("webgl") ? null : original.call(this, kind, ...rest);
  };
"""
READY = "[data-monitor][data-ready]"
DOTS = "() => document.querySelector('[data-canvas]').data?.[1].x.length ?? 0"


@pytest.fixture
def running(product: Product) -> Iterator[str]:
    """The address of a crawl of the demo web that goes on for a minute or more."""
    options = ["--focus", "bikes", "--name", "Watched", "--max-pages", "4000", "--concurrency", "1"]
    done = manage(product.data_dir, "crawl", "start", *options, "--json")
    assert done.returncode == 0, done.stderr
    listed = json.loads(manage(product.data_dir, "crawl", "list", "--json").stdout)["crawls"]
    yield f"/crawls/{len(listed)}/"
    manage(product.data_dir, "crawl", "stop", json.loads(done.stdout)["crawl"])


def opened(page: Page, address: str) -> Page:
    page.set_default_timeout(PATIENCE_MS)
    page.goto(address)
    page.locator(READY).wait_for()
    return page


def seqs_of(page: Page) -> list[int]:
    """Numbers of the pages in every frame that arrives from now on, over all connections."""
    seqs: list[int] = []

    def note(payload: Any) -> None:
        frame = json.loads(payload)
        if frame["type"] == "points":
            seqs.extend(point["seq"] for point in frame["points"])

    def listen(socket: WebSocket) -> None:
        socket.on("framereceived", note)

    page.on("websocket", listen)
    return seqs


def until_more(page: Page, seqs: list[int], more: int) -> None:
    """Wait until so many more pages have arrived; Playwright hands out events while it waits."""
    wanted = len(seqs) + more
    for _ in range(PATIENCE_MS // 100):
        if len(seqs) >= wanted:
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{len(seqs)} pages arrived, not {wanted}")


def test_without_a_websocket_the_page_asks_and_says_so(
    signed_in_page: OpenPage, watch: Watch, running: str
) -> None:
    watch.expected_errors.append("WebSocket connection to")
    page = signed_in_page()
    page.route_web_socket("**/ws/crawls/**", lambda socket: socket.close(code=1011))
    opened(page, running)
    expect(page.locator("[data-lost]")).to_contain_text("asks for news every 5 seconds")
    page.wait_for_function(f"({DOTS})() > 10")
    expect(page.locator("[data-words]")).to_contain_text("Running")


def test_a_crawl_is_watched_steered_and_survives_a_restart_of_the_server(
    product: Product, signed_in_page: OpenPage, watch: Watch, running: str
) -> None:
    watch.expected_errors += ["WebSocket connection to", "ERR_CONNECTION_REFUSED"]
    page = signed_in_page()
    seqs = seqs_of(page)
    opened(page, running)

    # Dots arrive, and the words and tables beside them follow.
    until_more(page, seqs, 40)
    page.wait_for_function(f"({DOTS})() > 30")
    expect(page.locator("[data-words]")).to_contain_text("Running")
    expect(page.locator("[data-latest] tbody tr").nth(5)).to_be_visible()

    # The server is restarted in the middle of it.
    [web] = product.child_pids("daphne")
    os.kill(web, signal.SIGKILL)
    expect(page.locator("[data-lost]")).to_be_visible()
    wait_for(lambda: product.child_pids("daphne") != [web], seconds=60, what="a new server")
    expect(page.locator("[data-lost]")).to_be_hidden(timeout=PATIENCE_MS)
    until_more(page, seqs, 20)
    # Each once. What came by polling while there was no line is not among these frames.
    assert seqs == sorted(set(seqs))

    # Another strategy, seen before it is taken, leaves a flag.
    page.get_by_role("link", name="Settings", exact=True).first.click()
    page.get_by_label("Breadth first").check()
    page.get_by_role("button", name="Preview the changes").click()
    expect(page.get_by_text("waiting addresses are ranked anew")).to_be_visible()
    page.get_by_role("button", name="Apply these changes").click()
    page.locator(READY).wait_for()
    expect(page.locator("[data-flags]")).to_contain_text("Changed: strategy")
    expect(page.locator("[data-flags]")).to_contain_text("frontier URLs moved")

    # A pause shows by itself in another window.
    other = opened(signed_in_page(), running)
    page.get_by_role("button", name="Pause").click()
    # What is in flight comes home first.
    expect(other.locator("#crawl-state")).to_contain_text("Paused", timeout=PATIENCE_MS)
    expect(other.get_by_role("button", name="Resume")).to_be_visible()
    expect(other.locator("[data-words]")).to_contain_text("Paused")


def test_pages_are_opened_and_chosen_by_keyboard(signed_in_page: OpenPage) -> None:
    page = opened(signed_in_page(), FINISHED)
    page.wait_for_function(f"({DOTS})() > 100")
    canvas = page.locator("[data-canvas]")
    canvas.focus()
    page.keyboard.press("End")
    page.keyboard.press("Shift+ArrowLeft")
    page.keyboard.press("Shift+ArrowLeft")
    expect(page.locator("[data-cursor-words]")).to_contain_text("Page")
    page.get_by_role("link", name="Show these 3 pages").click()
    expect(page.locator("[data-chosen-pages] tbody tr")).to_have_count(3)
    canvas.focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog")
    expect(drawer).to_contain_text("Way from the start set")
    expect(drawer.get_by_role("link", name="Open the live page")).to_have_attribute(
        "rel", "noopener noreferrer nofollow"
    )
    first = page.url
    page.get_by_role("button", name="Page before").click()
    page.wait_for_function("before => location.href !== before", arg=first)
    page.keyboard.press("Escape")
    expect(canvas).to_be_focused()
    page.goto(first)
    expect(page.get_by_role("dialog")).to_contain_text("Way from the start set")


def test_a_stretch_is_chosen_by_pointer_and_dots_are_pressed(signed_in_page: OpenPage) -> None:
    page = opened(signed_in_page(), f"{FINISHED}?show=200")
    page.wait_for_function(f"({DOTS})() > 100")
    canvas = page.locator("[data-canvas]")
    canvas.evaluate("canvas => canvas.scrollIntoView({ block: 'center' })")
    box = canvas.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * 0.3, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * 0.6, box["y"] + box["height"] / 2, steps=5)
    page.mouse.up()
    expect(page.get_by_role("link", name="Show these")).to_be_visible()
    page.get_by_role("button", name="Clear").click()
    expect(page.get_by_role("link", name="Show these")).to_be_hidden()
    x, y = page.evaluate(
        """() => {
          const canvas = document.querySelector("[data-canvas]");
          const box = canvas.getBoundingClientRect();
          const { xaxis, yaxis } = canvas._fullLayout;
          const { x, y } = canvas.data[1];
          return [
            box.x + xaxis._offset + xaxis.d2p(x[20]),
            box.y + yaxis._offset + yaxis.d2p(y[20]),
          ];
        }"""
    )
    page.mouse.move(x, y)
    expect(page.locator("[data-tip]")).to_contain_text("relevance")
    page.mouse.click(x, y)
    expect(page.get_by_role("dialog")).to_be_visible()


def test_the_chart_is_drawn_by_webgl_within_the_content_policy(signed_in_page: OpenPage) -> None:
    """Where it may not compile, Plotly writes into the canvas that WebGL is not supported."""
    page = opened(signed_in_page(), f"{FINISHED}?show=all")
    page.wait_for_function(f"({DOTS})() > 100")
    kinds = page.evaluate("document.querySelector('[data-canvas]').data.map(trace => trace.type)")
    assert "scattergl" in kinds
    expect(page.get_by_text("WebGL is not supported")).to_have_count(0)


def test_without_webgl_the_chart_is_drawn_plainly(signed_in_page: OpenPage) -> None:
    page = signed_in_page()
    page.add_init_script(WITHOUT_WEBGL)
    opened(page, f"{FINISHED}?show=all")
    expect(page.get_by_text("draws without WebGL")).to_be_visible()
    page.wait_for_function(f"({DOTS})() > 100")
    kinds = page.evaluate("document.querySelector('[data-canvas]').data.map(trace => trace.type)")
    assert set(kinds) == {"scatter"}
