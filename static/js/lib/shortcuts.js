// Single-key shortcuts. They rest inside fields and where the user switched them off.
import { openDialog } from "./dialogs.js";
import { undoNewest } from "./toasts.js";

const SEQUENCE_TIME = 1_500;
const FIELDS = "input, textarea, select, [contenteditable]:not([contenteditable='false'])";

/** Whether a single key may mean something now. */
export function mayHandle(event) {
  if (event.defaultPrevented || event.isComposing || event.repeat) return false;
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (document.body.dataset.shortcuts === "off") return false;
  if (document.querySelector("dialog[open]")) return false;
  // A tree has keys of its own, type-ahead among them.
  return !event.target.closest?.(`${FIELDS}, [role="tree"]`);
}

function goTo(letter) {
  const link = document.querySelector(`a[data-go="${CSS.escape(letter)}"]`);
  link?.click();
  return Boolean(link);
}

function focusSearch() {
  const field =
    document.querySelector("main [data-search]") ??
    document.querySelector("main input[type='search']");
  field?.focus();
  field?.select();
  return Boolean(field);
}

export function setUpShortcuts() {
  let startedAt = -Infinity;
  const actions = {
    "?": () => openDialog("shortcuts"),
    "/": focusSearch,
    z: undoNewest,
    g: () => {
      startedAt = performance.now();
      return true;
    },
  };
  document.addEventListener("keydown", (event) => {
    if (!mayHandle(event)) return;
    const inSequence = performance.now() - startedAt < SEQUENCE_TIME;
    if (event.key !== "Shift") startedAt = -Infinity;
    const handled = inSequence ? goTo(event.key) : actions[event.key]?.();
    if (handled) event.preventDefault();
  });
}
