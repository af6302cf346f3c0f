// The guided path: checkboxes of folders that stand for what is in them, an upload that shows how
// far it is and can be cancelled, and topics that are offered while a person types.
import { setUpSuggestions } from "../lib/suggest.js";
import { showToast } from "../lib/toasts.js";

const boxOf = (item) => item.querySelector(":scope > .choice > input");
const childrenOf = (item) => [...item.querySelectorAll(":scope > .folders__list > li")];

/** Shows what is chosen in and under a folder; returns [chosen, all] pages. */
function settle(item) {
  const box = boxOf(item);
  const own = Number(box.dataset.own);
  const children = childrenOf(item);
  const isOwnChosen = own > 0 && box.dataset.chosen === "true";
  let [chosen, all] = [isOwnChosen ? own : 0, own];
  for (const [some, most] of children.map(settle)) {
    chosen += some;
    all += most;
  }
  if (children.length) {
    box.checked = chosen === all;
    box.indeterminate = chosen > 0 && chosen < all;
  }
  return [chosen, all];
}

function show(form) {
  const counts = [...form.querySelectorAll(".folders > .folders__list > li")].map(settle);
  const chosen = counts.reduce((sum, [some]) => sum + some, 0);
  form.querySelector("[data-folders-count]").textContent =
    chosen === 1 ? "1 page chosen" : `${chosen} pages chosen`;
}

function setUpFolders(form) {
  for (const box of form.querySelectorAll("input[name=folder]")) box.dataset.chosen = box.checked;
  form.addEventListener("change", (event) => {
    if (event.target.name !== "folder") return;
    const within = event.target.closest("li").querySelectorAll("input[name=folder]");
    for (const box of within) box.dataset.chosen = box.checked = event.target.checked;
    show(form);
  });
  // What is sent is what is chosen: a folder that is chosen in part sends its own pages only.
  form.addEventListener("formdata", (event) => {
    event.formData.delete("folder");
    for (const box of form.querySelectorAll("input[name=folder]")) {
      if (box.dataset.chosen === "true") event.formData.append("folder", box.value);
    }
  });
  show(form);
}

function setUpUpload(form) {
  const [bar, cancel] = [form.querySelector("progress"), form.querySelector("[data-upload-cancel]")];
  form.addEventListener("submit", (event) => {
    if (!form.elements.file.files.length) return; // the server says what is missing
    event.preventDefault();
    const request = new XMLHttpRequest();
    const body = new FormData(form, event.submitter);
    const upload = `${Date.now()}-${Math.random().toString(36).slice(2)}`;
    body.append("upload", upload);
    const isBusy = (busy) => {
      bar.hidden = cancel.hidden = !busy;
      event.submitter.disabled = busy;
    };
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      if (total) bar.value = loaded / total;
    });
    request.upload.addEventListener("load", () => bar.removeAttribute("value")); // being read now
    request.addEventListener("loadend", () => isBusy(false));
    request.addEventListener("load", () => {
      if (request.responseURL !== form.action) location.assign(request.responseURL);
      else showAnswer(request.responseText);
    });
    request.addEventListener("error", () => showToast("The upload failed. Try again.", "error"));
    cancel.onclick = () => {
      request.abort();
      // What has been sent already is being read there, and must not turn up later.
      const word = new FormData(form);
      word.delete("file");
      word.append("do", "cancel");
      word.append("upload", upload);
      fetch(form.action, { method: "POST", body: word, keepalive: true, redirect: "manual" });
    };
    isBusy(true);
    request.open("POST", form.action);
    request.send(body);
  });
}

/** A refused upload: the same page with the reason in it. */
function showAnswer(html) {
  const answer = new DOMParser().parseFromString(html, "text/html");
  document.getElementById("main").replaceWith(answer.getElementById("main"));
  document.getElementById("toasts").replaceWith(answer.getElementById("toasts"));
  setUp(document.getElementById("main"));
}

function setUp(root) {
  root.querySelectorAll("[data-folders]").forEach(setUpFolders);
  root.querySelectorAll("[data-upload]").forEach(setUpUpload);
  setUpSuggestions(root);
}

setUp(document);
document.addEventListener("htmx:load", (event) => {
  if (event.target !== document.body) setUp(event.target);
});

// What renews itself every second stays as the person left it: open or closed, and scrolled.
const left = new Map();
document.addEventListener("htmx:beforeSwap", ({ target }) => {
  for (const part of target.querySelectorAll?.("details[id]") ?? []) {
    left.set(part.id, [part.open, part.querySelector("ul")?.scrollTop ?? 0]);
  }
});
document.addEventListener("htmx:afterSwap", () => {
  for (const [id, [isOpen, top]] of left) {
    const part = document.getElementById(id);
    if (!part) continue;
    part.open = isOpen;
    part.querySelector("ul")?.scrollTo(0, top);
  }
  left.clear();
});

// Who judges neighbours by keyboard goes on with the next one, not at the top of the page.
let place = -1;
const neighbours = () => [...document.querySelectorAll("#explore .explore__list > li")];
document.addEventListener("htmx:beforeSwap", () => {
  place = neighbours().findIndex((item) => item.contains(document.activeElement));
});
document.addEventListener("htmx:afterSettle", () => {
  const next = neighbours()[Math.min(place, neighbours().length - 1)];
  if (place >= 0 && document.activeElement === document.body) next?.querySelector("button")?.focus();
  place = -1;
});

// A neighbour that is dragged onto the examples becomes one; the button does the same.
let dragged = null;
document.addEventListener("dragstart", (event) => {
  dragged = event.target.closest?.(".explore__list > li") ?? null;
});
document.addEventListener("dragend", () => endDrag());
for (const type of ["dragover", "drop"]) {
  document.addEventListener(type, (event) => {
    const goal = dragged && event.target.closest?.("[data-drop]");
    document.querySelector("[data-drop]")?.classList.toggle("explore__goal", Boolean(goal));
    if (!goal) return;
    event.preventDefault();
    if (type === "drop") {
      dragged.querySelector("[value=example]").click();
      endDrag();
    }
  });
}

function endDrag() {
  dragged = null;
  document.querySelector("[data-drop]")?.classList.remove("explore__goal");
}
