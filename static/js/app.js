// Behaviour shared by every page, attached by data- attributes only.
import { setUpDialogs } from "./lib/dialogs.js";
import { isLive, setUpLive } from "./lib/live.js";
import { setUpShortcuts } from "./lib/shortcuts.js";
import { setUpToasts, showToast } from "./lib/toasts.js";

const FLOATING = "details.menu[open], details.popover[open], details.site-nav__more[open]";

// Menus close as people expect: on a press elsewhere, and on Escape.
function setUpMenus() {
  document.addEventListener("click", (event) => {
    for (const menu of document.querySelectorAll(FLOATING)) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape" || event.defaultPrevented) return;
    for (const menu of document.querySelectorAll(FLOATING)) {
      const hadFocus = menu.contains(document.activeElement);
      menu.open = false;
      if (hadFocus) menu.querySelector("summary")?.focus();
    }
  });
}

function setUpCopying() {
  document.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-copy]");
    if (!button) return;
    const source = document.getElementById(button.dataset.copy);
    const text = source?.value ?? source?.textContent.trim() ?? location.href;
    try {
      await navigator.clipboard.writeText(text);
      showToast("Copied", "success");
    } catch {
      // Refused, or not a secure origin: leave the text selected for the keyboard.
      source?.select?.();
      showToast("Copying was refused. Select the text and press Ctrl+C.", "warning");
    }
  });
}

// A failed partial update must say so; the page keeps what it showed.
function setUpRequestErrors() {
  document.addEventListener("htmx:sendError", (event) => {
    if (isLive(event.target)) return;
    showToast("The server cannot be reached. Nothing was changed; please try again.", "error");
  });
  document.addEventListener("htmx:responseError", (event) => {
    if (isLive(event.target)) return;
    const { status } = event.detail.xhr;
    showToast(
      status === 403
        ? "You may not do this. Ask an administrator of your team."
        : `The server could not do this (error ${status}). Please try again.`,
      "error",
    );
  });
}

// On a narrow screen the tabs scroll: the one that people are on must be in sight.
function showCurrentTab() {
  const current = document.querySelector("nav.tabs [aria-current]");
  current?.scrollIntoView({ inline: "center", block: "nearest", behavior: "instant" });
}

setUpDialogs();
setUpToasts();
setUpShortcuts();
setUpMenus();
setUpCopying();
setUpRequestErrors();
setUpLive();
showCurrentTab();
