// Toasts are rendered by the server; this module adds closing, timing and the undo key.
const LIFETIME = 10_000;

function close(toast) {
  const hadFocus = toast.contains(document.activeElement);
  toast.remove();
  if (hadFocus) document.getElementById("main")?.focus();
}

function startTimer(toast) {
  if (toast.dataset.level === "error") return; // an error stays until it was read
  let remaining = LIFETIME;
  let startedAt = 0;
  let timer = 0;
  const run = () => {
    clearTimeout(timer);
    if (toast.matches(":hover") || toast.contains(document.activeElement)) return;
    startedAt = Date.now();
    timer = setTimeout(() => close(toast), remaining);
  };
  const pause = () => {
    clearTimeout(timer);
    if (startedAt) remaining = Math.max(1_000, remaining - (Date.now() - startedAt));
    startedAt = 0;
  };
  toast.addEventListener("mouseenter", pause);
  toast.addEventListener("focusin", pause);
  toast.addEventListener("mouseleave", run);
  // The new focus is known only after this event has ended.
  toast.addEventListener("focusout", () => setTimeout(run));
  run();
}

/** Show a message that did not come from the server, e.g. "Link copied". */
export function showToast(text, level = "info") {
  const region = document.getElementById("toasts");
  const template = document.getElementById("toast-template");
  if (!region || !template) return;
  const toast = template.content.firstElementChild.cloneNode(true);
  toast.dataset.level = level;
  toast.classList.add(`toast--${level}`);
  toast.querySelector(".toast__text").textContent = text;
  // Said again, not said twice: a fault that repeats must not fill the page.
  for (const old of region.querySelectorAll(".toast:not(:has(form))")) {
    if (old.querySelector(".toast__text").textContent.trim() === text) close(old);
  }
  region.append(toast);
}

export function undoNewest() {
  const form = [...document.querySelectorAll("#toasts form[data-undo]")].at(-1);
  form?.requestSubmit();
  return Boolean(form);
}

export function setUpToasts() {
  const region = document.getElementById("toasts");
  if (!region) return;
  region.querySelectorAll(".toast").forEach(startTimer);
  // Partial page updates may append toasts at any time.
  new MutationObserver((records) => {
    for (const record of records) {
      for (const node of record.addedNodes) {
        if (node instanceof Element && node.matches(".toast")) startTimer(node);
      }
    }
  }).observe(region, { childList: true });
  region.addEventListener("click", (event) => {
    const button = event.target.closest("[data-close-toast]");
    if (button) close(button.closest(".toast"));
  });
}
