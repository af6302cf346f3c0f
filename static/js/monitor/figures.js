// The figures and lists beside the chart: numbers and plain text into places that the server made.
const whole = new Intl.NumberFormat("en");
const FORMATS = {
  harvest_average: (value) => value.toFixed(2),
  mean_relevance: (value) => value.toFixed(2),
  pages_per_minute: (value) => whole.format(Math.round(value)),
  baseline_per_minute: (value) => whole.format(Math.round(value)),
};
const LATEST = 20;
const FLAGS = 200;

const budgetText = ({ percent }) => (percent === null ? "–" : `${percent} %`);
const budgetNote = ({ bound, unit }) => (bound === null ? "no bound is set" : `of the ${unit} allowed`);

function setText(element, text) {
  if (element && element.textContent.trim() !== text) element.textContent = text;
}

export function showState(root, state) {
  for (const element of root.querySelectorAll("[data-figure]")) {
    const name = element.dataset.figure;
    if (name === "budget") setText(element, budgetText(state.budget));
    else if (name === "budget_note") setText(element, budgetNote(state.budget));
    else setText(element, (FORMATS[name] ?? whole.format)(state[name]));
  }
  const bar = root.querySelector("[data-figure-bar='budget']");
  bar.hidden = state.budget.share === null;
  bar.value = state.budget.share ?? 0;
  showRows(root, "bands", state.bands);
  showRows(root, "outcomes", state.outcomes);
}

function showRows(root, name, rows) {
  const list = root.querySelector(`[data-rows="${name}"]`);
  const template = root.querySelector(`[data-row-template="${name}"]`);
  while (list.children.length > rows.length) list.lastElementChild.remove();
  while (list.children.length < rows.length) list.append(template.content.cloneNode(true));
  rows.forEach((row, at) => {
    const [label, number, bar] = list.children[at].children;
    setText(label, row.label);
    setText(number, whole.format(row[list.dataset.value]));
    bar.value = row.share;
    bar.setAttribute("aria-label", row.label);
    if (row.kind) list.children[at].dataset.kind = row.kind;
  });
  const none = root.querySelector(`[data-rows-none="${name}"]`);
  if (none) none.hidden = rows.length > 0;
}

/** The newest pages on top of the table, which keeps its length. */
export function showLatest(root, points, pageUrl) {
  const body = root.querySelector("[data-latest] tbody");
  const template = root.querySelector("[data-latest-row]");
  for (const point of points.slice(-LATEST)) {
    const row = template.content.firstElementChild.cloneNode(true);
    setText(row.querySelector("[data-seq]"), String(point.seq));
    const link = row.querySelector("a");
    link.href = pageUrl(point.seq);
    link.dataset.page = point.seq;
    setText(link.querySelector("[data-title]"), point.title || point.url);
    setText(row.querySelector("[data-site]"), point.site);
    const told = point.relevance === null ? point.outcome.replaceAll("_", " ") : point.relevance.toFixed(2);
    setText(row.querySelector("[data-relevance]"), told);
    body.prepend(row);
  }
  while (body.children.length > LATEST) body.lastElementChild.remove();
  root.querySelector("[data-no-pages]").hidden = true;
}

export function showFlag(root, event) {
  const list = root.querySelector("[data-flags]");
  const row = root.querySelector("[data-flag-row]").content.firstElementChild.cloneNode(true);
  setText(row.querySelector("[data-seq]"), String(event.seq));
  setText(row.querySelector("[data-text]"), event.text);
  setText(row.querySelector("[data-by]"), event.by && ` by ${event.by}`);
  const time = row.querySelector("time");
  time.dateTime = event.at;
  setText(time, event.at.slice(11, 19));
  list.querySelector("[data-no-flags]")?.remove();
  list.prepend(row);
  while (list.children.length > FLAGS) list.lastElementChild.remove();
}

/** How the crawl fares, in a sentence. */
export function summaryOf(state, pages) {
  if (!state.fetched) return `${state.label}. No page was read yet.`;
  const averages = pages.averages(100, Math.max(0, pages.length - 101));
  const change = (averages.at(-1) ?? 0) - (averages[0] ?? 0);
  const trend = pages.length < 200 || Math.abs(change) < 0.03 ? "steady" : change < 0 ? "falling" : "rising";
  return (
    `${state.label}. ${whole.format(state.fetched)} pages read, ${whole.format(state.relevant)} of them relevant. ` +
    `Mean relevance of the last 100: ${state.harvest_average.toFixed(2)}, ${trend}. ` +
    `${whole.format(state.frontier)} addresses wait.`
  );
}
