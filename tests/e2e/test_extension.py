"""The browser extension as a person uses it: loaded unpacked, its button pressed on a page."""

import hashlib
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, CDPSession, Page, expect

from tests.conftest import CHROMIUM
from tests.e2e.browsing import People, sign_in
from tests.e2e.conftest import ARGUMENTS, PATIENCE_MS
from tests.product import ROOT, Product, wait_for

pytestmark = [pytest.mark.browser]

EXTENSION = ROOT / "static" / "extension"
TEXT_COMPARED = 200
POLL_MS = 50
SHOWN_TEXT = """new Promise(done => {
  const look = () => {
    const text = document.getElementById("text")?.value;
    text ? done(text) : setTimeout(look, 50);
  };
  look();
})"""
SEND = """document.getElementById("server").value = "%s";
document.getElementById("send").click();"""
TABS = {"filter": [{"type": "tab", "exclude": False}]}


@pytest.fixture
def context(people: People, tmp_path: Path) -> Iterator[BrowserContext]:
    """A browser that loads extensions needs a profile and a launch of its own."""
    running = people.browser.browser_type.launch_persistent_context(
        str(tmp_path / "profile"),
        executable_path=CHROMIUM,
        headless=True,
        base_url=people.product.base,
        ignore_default_args=["--disable-extensions"],
        args=[
            *ARGUMENTS,
            f"--disable-extensions-except={EXTENSION}",
            f"--load-extension={EXTENSION}",
            "--enable-unsafe-extension-debugging",
        ],
    )
    running.set_default_timeout(PATIENCE_MS)
    yield running
    running.close()


class Popup:
    """The extension's window. Playwright does not see it; the protocol below does."""

    def __init__(self, page: Page, session: CDPSession) -> None:
        self._page, self._session = page, session
        self._answers: dict[int, Any] = {}
        session.on("Target.receivedMessageFromTarget", self._take)
        wait_for(lambda: bool(self._windows()), seconds=20, what="the extension's window")
        self._id = session.send(
            "Target.attachToTarget", {"targetId": self._windows()[0], "flatten": False}
        )["sessionId"]

    def run(self, script: str) -> object:
        """The value of a script that runs in the window."""
        number = len(self._answers) + 1
        call = {"expression": script, "awaitPromise": True, "returnByValue": True}
        message = {"id": number, "method": "Runtime.evaluate", "params": call}
        self._session.send(
            "Target.sendMessageToTarget", {"sessionId": self._id, "message": json.dumps(message)}
        )
        for _ in range(PATIENCE_MS // POLL_MS):
            if number in self._answers:
                return self._answers[number]["result"]["result"].get("value")
            self._page.wait_for_timeout(POLL_MS)  # lets the answer come in
        raise AssertionError(f"no answer to {script}")

    def _windows(self) -> list[str]:
        found = self._session.send("Target.getTargets")["targetInfos"]
        return [each["targetId"] for each in found if each["url"].endswith("/popup.html")]

    def _take(self, event: dict[str, str]) -> None:
        answer = json.loads(event["message"])
        if "id" in answer:
            self._answers[answer["id"]] = answer


def extension_id() -> str:
    """As Chromium names an unpacked extension: by its folder."""
    digest = hashlib.sha256(str(EXTENSION).encode()).hexdigest()[:32]
    return "".join(chr(ord("a") + int(digit, 16)) for digit in digest)


def test_the_text_of_a_page_is_shown_and_then_handed_to_classify(
    context: BrowserContext, product: Product
) -> None:
    page = context.pages[0]
    sign_in(page, product)
    page.goto("/help/")  # stands for any page of the Web
    text = page.locator("main").inner_text()[:TEXT_COMPARED]
    assert context.browser is not None
    session = context.browser.new_browser_cdp_session()
    tab = session.send("Target.getTargets", TABS)["targetInfos"][0]["targetId"]
    session.send("Extensions.triggerAction", {"id": extension_id(), "targetId": tab})
    popup = Popup(page, session)
    assert text in str(popup.run(SHOWN_TEXT))
    with context.expect_page() as opened:
        popup.run(SEND % product.base)
    classify = opened.value
    expect(classify.get_by_label("Text")).to_have_value(re.compile(re.escape(text)))
    assert "text=" not in classify.url  # behind the "#", and gone from there
