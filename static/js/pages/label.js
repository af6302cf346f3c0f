// Labelling by keys: every key presses what a pointer would.
import { mayHandle } from "../lib/shortcuts.js";

const card = document.querySelector("[data-label-card]");
const form = document.querySelector("[data-label-form]");
const KEYS = new Set(["u", "x", "s", "z", "o"]);

document.addEventListener("keydown", (event) => {
  if (!mayHandle(event) || !KEYS.has(event.key)) return;
  const target = document.querySelector(`[data-key="${event.key}"]`);
  if (!target) return;
  event.preventDefault();
  target.click();
});

// The page is on its way: a second press must not answer the next one unseen.
let isSent = false;
form?.addEventListener("submit", (event) => {
  if (isSent) event.preventDefault();
  isSent = true;
});
window.addEventListener("pageshow", () => {
  isSent = false;
});

if (card && location.hash === "#card") card.focus();
