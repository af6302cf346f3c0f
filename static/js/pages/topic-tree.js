// The tree's page. The server renders everything; this adds opening in place, keys, dragging and
// partial updates. htmx sends the forms and swaps #workspace (boosted, see _workspace.html).
import { openDialog } from "../lib/dialogs.js";
import { setUpDragging } from "../lib/dragging.js";
import { debounced, fetchPart, newestOnly } from "../lib/parts.js";
import { setUpSuggestions } from "../lib/suggest.js";
import { showToast, undoNewest } from "../lib/toasts.js";
import {
  adoptRows,
  closeItem,
  focusItem,
  isOpen,
  itemOf,
  linkOf,
  openItem,
  selectItem,
  setUpTreeKeys,
  showMore,
} from "../lib/tree.js";

const TYPING_PAUSE = 200;
const OPENED_MAX = 200;

const workspace = () => document.getElementById("workspace");
const mayEdit = () => workspace().hasAttribute("data-may-edit");
const treeElement = () => document.querySelector("#topic-tree [role='tree']");
const scroller = () => document.getElementById("topic-tree");
const selectedItem = () => document.querySelector("#topic-tree [aria-selected='true']");

// Addresses ------------------------------------------------------------------

/** The query of where the person is, with some of it changed. */
function placed(changes = {}) {
  const { path, focus, query } = workspace().dataset;
  const wanted = { topic: path, focus, q: query, ...changes };
  const search = new URLSearchParams(Object.entries(wanted).filter(([, value]) => value));
  return search.toString().replaceAll("%2F", "/");
}

const treeUrl = (changes) => {
  const query = placed(changes);
  return workspace().dataset.base + (query ? `?${query}` : "");
};
const topicUrl = (id, changes) =>
  `${workspace().dataset.base}topics/${id}/?${placed({ topic: "", ...changes })}`;

/** What a form of the page carries in hidden fields. */
function hereFields() {
  const { path, focus, query } = workspace().dataset;
  return { at: path, ...(focus && { focus }), ...(query && { q: query }) };
}

// Talking to the server ------------------------------------------------------

// Settled at once: a key pressed right after a swap must find the new page.
const INTO_WORKSPACE = { target: "#workspace", swap: "outerHTML show:none settle:0ms" };
const INTO_DIALOG = { target: "#deed", swap: "innerHTML show:none settle:0ms" };
let isGoingBack = false;

const send = (url, values) =>
  htmx.ajax("POST", url, { ...INTO_WORKSPACE, values: { ...hereFields(), ...values } });
const visit = (url) => htmx.ajax("GET", url, INTO_WORKSPACE);
const askFor = (url) => htmx.ajax("GET", url, INTO_DIALOG);

const loadRows = (parent, offset) => {
  const { focus } = workspace().dataset;
  const query = new URLSearchParams({ offset, ...(focus && { focus }) });
  return fetchPart(`${workspace().dataset.base}branch/${parent}/?${query}`);
};

// Opening and selecting ------------------------------------------------------

/** A cookie, so that the server renders the tree as it was left, also after an edit. */
function rememberOpened() {
  if (workspace().dataset.query) return;
  const ids = [...document.querySelectorAll("#topic-tree [aria-expanded='true']")]
    .slice(0, OPENED_MAX)
    .map((item) => item.dataset.id);
  const secure = location.protocol === "https:" ? "; Secure" : "";
  const path = workspace().dataset.base;
  document.cookie = `open-topics=${ids.join(".")}; Path=${path}; SameSite=Lax${secure}`;
}

async function setOpen(item, wanted = true) {
  if (wanted) await openItem(item, loadRows);
  else closeItem(item);
  rememberOpened();
}

const loadPanel = newestOnly(async (signal, id) => {
  const panel = document.getElementById("topic-panel");
  panel.setAttribute("aria-busy", "true");
  const html = await fetchPart(topicUrl(id), { signal });
  panel.removeAttribute("aria-busy");
  if (html === null) return false;
  panel.outerHTML = html; // rendered and escaped by our server
  htmx.process(document.getElementById("topic-panel"));
  return true;
});

async function select(item) {
  if (item.dataset.more) {
    await showMore(item, loadRows);
    return;
  }
  const { id, path } = item.dataset;
  focusItem(item);
  setOpen(item);
  if (!(await loadPanel(id))) return;
  selectItem(item);
  Object.assign(workspace().dataset, { path, topic: id, view: "topic" });
  setTitle(linkOf(item).textContent.trim());
  history.pushState(null, "", treeUrl());
  if (!item.offsetParent) document.getElementById("panel-title")?.focus(); // drilled down
}

function setTitle(name) {
  const tree = workspace().querySelector("h1").textContent.trim();
  document.title = `${name} · ${tree} · FocusAdmin`;
}

// Marks and other deeds by key -----------------------------------------------

function toggleGood(item) {
  const { marksUrl } = workspace().dataset;
  if (marksUrl) {
    const action = item.dataset.mark === "good" ? "unmark" : "mark";
    send(marksUrl, { topic: item.dataset.id, action });
    return;
  }
  const choice = document.getElementById("focus-choice");
  if (choice) {
    showToast("Choose a focus first: marks belong to a focus.", "info");
    choice.focus();
  } else askFor(treeUrl({ do: "focus" }));
}

const forTopics = (work) => (item) => {
  if (!mayEdit() || item.dataset.more) return false;
  work(item);
  return true;
};
const asks = (deed) => forTopics((item) => askFor(topicUrl(item.dataset.id, { do: deed })));

const KEYS = {
  F2: asks("rename"),
  Delete: asks("delete"),
  m: asks("move"),
  n: asks("create"),
  g: forTopics(toggleGood),
  z: () => undoNewest(),
  "?": () => openDialog("shortcuts"),
  "/": () => {
    document.getElementById("topic-search").focus();
    return true;
  },
};

function setUpTree() {
  setUpTreeKeys({
    select,
    open: setOpen,
    keys: KEYS,
    hasLetters: () => document.body.dataset.shortcuts !== "off",
  });
  document.addEventListener("click", (event) => {
    const item = itemOf(event.target);
    if (!item || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    if (event.target.closest(".tree__twisty") && item.hasAttribute("aria-expanded")) {
      focusItem(item, { preventScroll: true });
      setOpen(item, !isOpen(item));
    } else select(item);
  });
}

// Search and choice of focus -------------------------------------------------

const search = newestOnly(async (signal, text) => {
  workspace().dataset.query = text;
  const url = treeUrl();
  const html = await fetchPart(url, { target: "topic-tree", signal });
  if (html === null) return;
  scroller().outerHTML = html; // rendered and escaped by our server
  adoptRows(scroller());
  history.replaceState(null, "", url);
  document.querySelector("[data-search-status]").textContent = scroller().dataset.summary;
});
const searchSoon = debounced((text) => search(text), TYPING_PAUSE);

function setUpSearch() {
  document.addEventListener("input", (event) => {
    if (event.target.matches("[data-tree-search] input")) searchSoon(event.target.value.trim());
  });
  document.addEventListener(
    "submit",
    (event) => {
      if (!event.target.matches("[data-tree-search]")) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      search(event.target.elements.q.value.trim());
    },
    true,
  );
  document.addEventListener("keydown", (event) => {
    if (!event.target.matches?.("[data-tree-search] input") || event.key !== "ArrowDown") return;
    const first = treeElement()?.querySelector("[tabindex='0']");
    if (!first) return;
    event.preventDefault();
    focusItem(first);
  });
  document.addEventListener("click", (event) => {
    if (!event.target.closest("[data-clear-search]")) return;
    event.preventDefault();
    document.getElementById("topic-search").value = "";
    document.getElementById("topic-search").focus();
    search("");
  });
  document.addEventListener("change", (event) => {
    if (event.target.id === "focus-choice") visit(treeUrl({ focus: event.target.value }));
  });
}

// Swaps ----------------------------------------------------------------------

let left = { focus: "", inTree: false, scroll: 0, verb: "get" };

function noteFocus(event) {
  if (event.target.closest("dialog, #toasts")) return;
  left.focus = event.target.id;
  left.inTree = Boolean(itemOf(event.target));
}

function restoreFocus() {
  const same = left.focus ? document.getElementById(left.focus) : null;
  const item = itemOf(same) ?? (left.inTree ? selectedItem() : null);
  if (item) focusItem(item);
  else (same ?? document.getElementById("panel-title"))?.focus({ preventScroll: true });
}

function welcomeWorkspace(address) {
  document.getElementById("dialog-deed").close();
  adoptRows(workspace());
  scroller().scrollTop = left.scroll;
  if (!isGoingBack && address !== location.pathname + location.search) {
    if (left.verb === "get") history.pushState(null, "", address);
    else history.replaceState(null, "", address);
  }
  isGoingBack = false;
  rememberOpened();
  restoreFocus();
}

function welcomeDeed() {
  const deed = document.getElementById("deed");
  setUpSuggestions(deed);
  deed.parentElement.setAttribute("aria-labelledby", "deed-title");
  openDialog("deed");
  const field =
    deed.querySelector("[aria-invalid='true']") ??
    deed.querySelector("[data-first], [type='radio']:checked, [data-suggest]") ??
    deed.querySelector("[type='submit']");
  field?.focus();
  field?.select?.();
}

function setUpSwaps() {
  document.addEventListener("focusin", noteFocus);
  document.addEventListener("htmx:configRequest", (event) => {
    const { elt, formData } = event.detail; // a topic may have been selected since
    if (formData?.has("at") && !elt.closest("dialog")) formData.set("at", workspace().dataset.path);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const { xhr, requestConfig } = event.detail;
    left.verb = requestConfig.verb;
    left.scroll = scroller().scrollTop;
    if (!xhr.getResponseHeader("HX-Retarget")) return;
    event.detail.shouldSwap = true; // a refused form says why
    event.detail.isError = false;
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    const { target, xhr } = event.detail;
    if (target.id === "deed") welcomeDeed();
    else if (target.id === "workspace") {
      const url = new URL(xhr.responseURL);
      welcomeWorkspace(url.pathname + url.search);
    }
  });
  window.addEventListener("popstate", () => {
    isGoingBack = true;
    visit(location.href);
  });
}

// An undo of this page's deeds needs no new page.
function setUpUndo() {
  document.addEventListener("submit", (event) => {
    const form = event.target.closest("#toasts form[data-undo]");
    if (!form || !/\/(edits\/\d+\/undo|marks\/restore)\/$/.test(form.action)) return;
    event.preventDefault();
    const token = form.elements.token.value;
    form.closest(".toast").remove();
    send(form.action, { token });
  });
}

// Within the pane only: the page itself stays where the person is.
function scrollToSelected() {
  const row = selectedItem()?.querySelector(".tree__row");
  if (!row) return;
  const pane = scroller();
  const below = row.getBoundingClientRect().bottom - pane.getBoundingClientRect().bottom;
  if (below > 0) pane.scrollTop += below + pane.clientHeight / 3;
}

// Whoever names a topic for the examples means it.
function setUpDeletionChoice() {
  const chooseTopic = ({ target }) => {
    const where = target.form?.querySelector("[name='where'][value='topic']");
    if (where && target.name === "to") where.checked = true;
  };
  document.addEventListener("input", chooseTopic);
  document.addEventListener("suggestion-chosen", chooseTopic);
}

setUpTree();
setUpSearch();
setUpSwaps();
setUpUndo();
setUpDeletionChoice();
setUpDragging({
  isAllowed: mayEdit,
  open: setOpen,
  drop: (item, path) =>
    send(`${workspace().dataset.base}topics/${item.dataset.id}/move/`, { to: path || "/" }),
});
adoptRows(workspace());
rememberOpened();
scrollToSelected();
