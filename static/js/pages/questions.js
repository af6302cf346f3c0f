// Says that an answer is on its way, and asks by Ctrl+Enter. Without script everything works by the buttons.
const root = document.querySelector("[data-questions]");
const asking = root?.querySelector("[data-asking]");

root?.addEventListener("submit", (event) => {
  const isFile = event.submitter?.value === "csv"; // it comes without a new page, so nothing would take the note away
  if (event.target.matches("[data-asks]") && !isFile) asking.hidden = false;
});

// Going back may bring the page as it was left.
addEventListener("pageshow", () => {
  if (asking) asking.hidden = true;
});

root?.querySelector("textarea")?.addEventListener("keydown", (event) => {
  if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
  event.preventDefault();
  event.target.form.requestSubmit(event.target.form.querySelector("[value=ask]"));
});
