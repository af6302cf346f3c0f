// Parts of a page that a script asks for by itself.
import { showToast } from "./toasts.js";

/** The HTML at an address, or nothing when it failed (which was said) or came too late. */
export async function fetchPart(url, { target = "", signal } = {}) {
  try {
    const headers = { "HX-Request": "true" };
    if (target) headers["HX-Target"] = target;
    const response = await fetch(url, { headers, signal });
    if (response.headers.has("HX-Redirect")) {
      location.assign(response.headers.get("HX-Redirect")); // signed out in the meantime
      return null;
    }
    if (!response.ok) throw new Error(String(response.status));
    return await response.text();
  } catch (error) {
    if (error.name !== "AbortError") {
      showToast("This part could not be loaded. Please try again.", "error");
    }
    return null;
  }
}

/** Runs `work` with a signal that the next call aborts: only the newest answer counts. */
export function newestOnly(work) {
  let running = null;
  return (...args) => {
    running?.abort();
    running = new AbortController();
    return work(running.signal, ...args);
  };
}

export function debounced(work, milliseconds) {
  let timer = 0;
  return (...args) => {
    clearTimeout(timer);
    timer = setTimeout(() => work(...args), milliseconds);
  };
}
