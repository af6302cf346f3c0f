// The page that judges a text. htmx sends the text while it is edited; this tells screen readers
// the outcome once the typing rests, and keeps an undo from leaving the text.
import { debounced } from "../lib/parts.js";

const RESTING = 1_500;

const announce = debounced(() => {
  const status = document.querySelector("[data-judgement-status]");
  const { summary } = document.getElementById("judgement").dataset;
  if (status && status.textContent !== summary) status.textContent = summary;
}, RESTING);

document.addEventListener("htmx:beforeRequest", (event) => {
  if (event.target.closest(".classify")) {
    document.getElementById("judgement").setAttribute("aria-busy", "true");
  }
});
document.addEventListener("htmx:afterRequest", (event) => {
  if (event.target.closest?.(".classify")) {
    document.getElementById("judgement").removeAttribute("aria-busy");
  }
});
document.addEventListener("htmx:afterSettle", (event) => {
  if (event.target.closest?.(".classify")) announce();
});

document.addEventListener("submit", (event) => {
  const form = event.target.closest("#toasts form[data-undo]");
  if (!form || !form.action.includes("/classify/")) return;
  event.preventDefault();
  const token = form.elements.token.value;
  form.closest(".toast").remove();
  htmx.ajax("POST", form.action, { values: { token }, swap: "none", source: "#classify-form" });
});

// The bookmarklet is a plain navigation, which the policies of other sites let through. On this page
// it would only open itself, so a press does nothing: it is for dragging.
for (const link of document.querySelectorAll("[data-bookmarklet]")) {
  const address = JSON.stringify(`${link.href}?url=`);
  const [url, title] = ["location.href", "document.title"].map((each) => `encodeURIComponent(${each})`);
  link.href = `javascript:void(open(${address}+${url}+"&t="+${title}))`;
  link.addEventListener("click", (event) => event.preventDefault());
}

// The extension hands over a page's own text behind the "#", which no server sees. It is shown,
// and nothing happens before somebody presses a button.
function takeFromFragment() {
  const given = new URLSearchParams(location.hash.slice(1));
  const fields = { source: "url", title: "title", text: "text" };
  const form = document.getElementById("classify-form");
  if (!form || !given.has("text")) return;
  for (const [name, key] of Object.entries(fields)) form.elements[name].value = given.get(key) ?? "";
  history.replaceState(null, "", location.pathname + location.search);
  form.elements.text.focus();
}
takeFromFragment();
