// Hubs and authorities: one list at a time on narrow screens, and judging by keys.
import { mayHandle } from "../lib/shortcuts.js";

const lists = document.querySelector("[data-hub-lists]");
const chooser = document.querySelector("[data-hub-switch]");

function show(kind) {
  lists.dataset.hubLists = kind;
  for (const button of chooser.querySelectorAll("[data-shows]")) {
    button.setAttribute("aria-pressed", String(button.dataset.shows === kind));
  }
}

const rows = () =>
  [...document.querySelectorAll("[data-hub-row]")].filter((row) => row.offsetParent !== null);
const current = () => document.activeElement?.closest?.("[data-hub-row]");

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.focus();
  return Boolean(next);
}

function press(key) {
  const button = current()?.querySelector(`[data-key="${key}"]:not(:disabled)`);
  button?.click();
  return Boolean(button);
}

const ACTIONS = { j: () => move(1), k: () => move(-1), u: () => press("u"), x: () => press("x") };

// After a verdict the page comes anew: go on where the person was.
function resume() {
  const seq = /^#page-(\d+)$/.exec(location.hash)?.[1];
  const row = seq && document.querySelector(`[data-hub-row][data-seq="${seq}"]`);
  if (!row) return;
  show(row.closest("[data-hub-list]").dataset.hubList);
  row.focus();
}

if (lists) {
  chooser.dataset.ready = "";
  chooser.addEventListener("click", (event) => {
    const button = event.target.closest("[data-shows]");
    if (button) show(button.dataset.shows);
  });
  document.addEventListener("keydown", (event) => {
    if (mayHandle(event) && ACTIONS[event.key]?.()) event.preventDefault();
  });
  resume();
}
