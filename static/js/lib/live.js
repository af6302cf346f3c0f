// Parts that renew themselves stand in [data-live]. When that fails, what was shown stays, called stale.
const lastGood = new WeakMap();

const now = () => `${new Date().toISOString().slice(11, 19)} UTC`;

export function isLive(element) {
  return Boolean(element.closest?.("[data-live]"));
}

function show(live, isLost) {
  const note = live.querySelector("[data-live-lost]");
  if (!note || note.hidden === !isLost) return;
  note.querySelector("[data-live-since]").textContent = lastGood.get(live);
  note.hidden = !isLost;
}

export function setUpLive() {
  for (const live of document.querySelectorAll("[data-live]")) lastGood.set(live, now());
  document.addEventListener("htmx:afterRequest", (event) => {
    const live = event.target.closest?.("[data-live]");
    if (!live) return;
    const { successful } = event.detail;
    if (successful) lastGood.set(live, now());
    show(live, !successful);
  });
}
