// A field that offers what fits while a person types: the combobox pattern over a listbox.
// The list keeps its place below the field, so that nothing moves or hides under the pointer.
import { debounced, fetchPart, newestOnly } from "./parts.js";

const TYPING_PAUSE = 150;
const STEPS = { ArrowDown: 1, ArrowUp: -1 };

function makeList(box, field) {
  const list = document.createElement("ul");
  list.id = `${field.id}-options`;
  list.className = "suggestions";
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Topics that fit");
  const none = document.createElement("p");
  none.className = "suggestions suggestions--none";
  none.textContent = "No topic fits.";
  none.hidden = true;
  box.append(list, none);
  return { list, none };
}

function describe(field, list) {
  field.setAttribute("role", "combobox");
  field.setAttribute("aria-autocomplete", "list");
  field.setAttribute("aria-controls", list.id);
  field.setAttribute("aria-expanded", "true");
}

/** Attaches the behaviour to every [data-suggest-url] under `root`. */
export function setUpSuggestions(root) {
  for (const box of root.querySelectorAll("[data-suggest-url]")) {
    attach(box, box.querySelector("[data-suggest]"));
  }
}

function attach(box, field) {
  const { list, none } = makeList(box, field);
  describe(field, list);
  // While somebody types, the options are those of an older text: keys wait for the fresh ones.
  let [typed, shown] = [0, 0];
  let waiting = [];
  const options = () => (shown === typed ? [...list.children] : []);
  const active = () => options().find((option) => option.getAttribute("aria-selected") === "true");

  function activate(option) {
    active()?.setAttribute("aria-selected", "false");
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    if (option) field.setAttribute("aria-activedescendant", option.id);
    else field.removeAttribute("aria-activedescendant");
  }

  function choose(option) {
    activate(option);
    field.value = option.dataset.value;
    field.dispatchEvent(new CustomEvent("suggestion-chosen", { bubbles: true }));
  }

  const load = newestOnly(async (signal) => {
    const url = box.dataset.suggestUrl + encodeURIComponent(field.value);
    const wanted = typed;
    const html = await fetchPart(url, { signal });
    if (wanted !== typed) return;
    const keys = waiting;
    [shown, waiting] = [typed, []];
    if (html === null) return;
    list.innerHTML = html; // rendered and escaped by our server
    const isEmpty = list.children.length === 0;
    [list.hidden, none.hidden] = [isEmpty, !isEmpty];
    field.setAttribute("aria-expanded", String(!isEmpty));
    field.removeAttribute("aria-activedescendant");
    for (const key of keys) {
      if (press(key)) continue;
      field.form?.requestSubmit();
      break;
    }
  });
  const loadSoon = debounced(load, TYPING_PAUSE);

  function step(difference) {
    const all = options();
    if (!all.length) return;
    const at = all.indexOf(active());
    const to = at < 0 ? (difference > 0 ? 0 : all.length - 1) : at + difference;
    activate(all[(to + all.length) % all.length]);
  }

  /** False for an Enter that chooses nothing: that one sends the form. */
  function press(key) {
    if (key in STEPS) {
      step(STEPS[key]);
      return true;
    }
    const option = active();
    if (!option || option.dataset.value === field.value) return false;
    choose(option);
    return true;
  }

  function mustWait(key) {
    return shown !== typed && (key in STEPS || waiting.length > 0);
  }

  field.addEventListener("input", () => {
    activate(null);
    typed += 1;
    waiting = [];
    loadSoon();
  });
  field.addEventListener("keydown", (event) => {
    const { key } = event;
    if (event.isComposing || !(key in STEPS || key === "Enter")) return;
    const isWaiting = mustWait(key);
    if (isWaiting) waiting.push(key);
    if (isWaiting || press(key)) event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role='option']");
    if (option) choose(option);
  });
  load();
}
