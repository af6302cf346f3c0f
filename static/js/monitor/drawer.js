// The drawer with one page of the crawl. Links to pages open it; it can be shared by its address.
import { openDialog } from "../lib/dialogs.js";
import { fetchPart, newestOnly } from "../lib/parts.js";

export function setUpDrawer(pageUrl, setQuery) {
  const dialog = document.getElementById("dialog-page");
  const body = document.getElementById("drawer");
  let shown = 0;

  const load = newestOnly(async (signal, seq) => {
    const html = await fetchPart(pageUrl(seq), { signal });
    if (html === null) return;
    body.innerHTML = html; // rendered and escaped by our server
    body.scrollTop = 0;
    shown = seq;
    setQuery("page", String(seq));
    document.getElementById("drawer-title").textContent = `Page ${seq.toLocaleString("en")}`;
  });

  function open(seq) {
    openDialog("page");
    load(seq);
  }

  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-page]");
    if (link && !event.ctrlKey && !event.metaKey && !event.shiftKey) {
      event.preventDefault();
      open(Number(link.dataset.page));
    }
    const step = event.target.closest("[data-drawer-step]");
    if (step && shown + Number(step.dataset.drawerStep) > 0) load(shown + Number(step.dataset.drawerStep));
  });
  dialog.addEventListener("close", () => setQuery("page", null));
  return { open };
}
