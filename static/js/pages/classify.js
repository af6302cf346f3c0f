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
