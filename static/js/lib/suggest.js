// A field that offers what fits while a person types: the combobox pattern over a listbox.
// The list keeps its place below the field, so that nothing moves or hides under the pointer.
import { debounced, fetchPart, newestOnly } from "./parts.js";

const TYPING_PAUSE = 150;

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
  let waitingStep = 0;
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
    const asked = waitingStep;
    [shown, waitingStep] = [typed, 0];
    if (html === null) return;
    list.innerHTML = html; // rendered and escaped by our server
    const isEmpty = list.children.length === 0;
    [list.hidden, none.hidden] = [isEmpty, !isEmpty];
    field.setAttribute("aria-expanded", String(!isEmpty));
    field.removeAttribute("aria-activedescendant");
    if (asked) step(asked);
  });
  const loadSoon = debounced(load, TYPING_PAUSE);

  function step(difference) {
    if (shown !== typed) waitingStep = difference;
    const all = options();
    if (!all.length) return;
    const at = all.indexOf(active());
    const to = at < 0 ? (difference > 0 ? 0 : all.length - 1) : at + difference;
    activate(all[(to + all.length) % all.length]);
  }

  const keys = {
    ArrowDown: () => step(1) ?? true,
    ArrowUp: () => step(-1) ?? true,
    Enter: () => {
      if (waitingStep) return true;
      const option = active();
      if (!option || option.dataset.value === field.value) return false; // the form is sent
      choose(option);
      return true;
    },
  };

  field.addEventListener("input", () => {
    activate(null);
    typed += 1;
    loadSoon();
  });
  field.addEventListener("keydown", (event) => {
    if (!event.isComposing && keys[event.key]?.()) event.preventDefault();
  });
  list.addEventListener("mousedown", (event) => event.preventDefault()); // the field keeps the focus
  list.addEventListener("click", (event) => {
    const option = event.target.closest("[role='option']");
    if (option) choose(option);
  });
  load();
}
