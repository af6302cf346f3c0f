// Sites: in, out or undecided by keys, and on with the next one.
import { mayHandle } from "../lib/shortcuts.js";

const PLACE = "sites-place"; // the row's place in the list, while the page comes anew
const rows = () => [...document.querySelectorAll("[data-site-row]")];
const current = () => document.activeElement?.closest?.("[data-site-row]");

function move(step) {
  const all = rows();
  const at = all.indexOf(current());
  const next = all[at < 0 ? 0 : Math.min(Math.max(at + step, 0), all.length - 1)];
  next?.focus();
  return Boolean(next);
}

function press(selector) {
  const button = current()?.querySelector(selector);
  button?.click();
  return Boolean(button);
}

const ACTIONS = {
  j: () => move(1),
  k: () => move(-1),
  i: () => press('[data-key="i"]:not(:disabled)'),
  o: () => press('[data-key="o"]:not(:disabled)'),
  d: () => press('[data-key="d"]:not(:disabled)'),
};

// A row that was decided may have left the list: the one that took its place is next.
function resume() {
  const place = sessionStorage.getItem(PLACE);
  sessionStorage.removeItem(PLACE);
  if (!/^#site-\d+$/.test(location.hash)) return;
  const row = document.getElementById(location.hash.slice(1));
  const all = rows();
  (row ?? all[Math.min(Number(place ?? 0), all.length - 1)])?.focus();
}

document.addEventListener("keydown", (event) => {
  if (mayHandle(event) && ACTIONS[event.key]?.()) event.preventDefault();
});
document.addEventListener("submit", (event) => {
  const row = event.target.closest?.("[data-site-row]");
  if (row) sessionStorage.setItem(PLACE, String(rows().indexOf(row)));
});
resume();
