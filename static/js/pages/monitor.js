// The live page of a crawl: takes what the feed brings, and draws what the person asked to see.
import { Chart, canDrawFast, coloursOf } from "../monitor/chart.js";
import { setUpDrawer } from "../monitor/drawer.js";
import { Feed } from "../monitor/feed.js";
import { showFlag, showLatest, showState, summaryOf } from "../monitor/figures.js";
import { Overview } from "../monitor/overview.js";
import { Pages } from "../monitor/pages.js";
import { setUpPointing } from "../monitor/pointing.js";
import { fetchPart } from "../lib/parts.js";

const SUMMARY_TIME = 15_000;
const FLAGS_KEPT = 200;
const WARM = 50; // pages until an average says something
const PLAIN_DOTS = 1_000; // without WebGL
const NARROW = 640;

const root = document.querySelector("[data-monitor]");
const part = (name) => root.querySelector(`[data-${name}]`);
const canvas = part("canvas");
const number = new Intl.NumberFormat("en");
const clock = (t) => new Date(t * 1000).toISOString().slice(11, 19);

const query = new URLSearchParams(location.search);
const wish = {
  show: query.get("show") ?? (innerWidth < NARROW ? "200" : "1000"),
  isTime: query.get("x") === "time",
  width: Math.min(2000, Math.max(20, Number(query.get("mean")) || 100)),
};
let pages, overview, chart, feed, state, flags, drawer, pointing;
let history = null; // a part of the past that is looked at, instead of the latest pages
let isFrozen = false;
let frozen = null; // what was there when the person said freeze
let isDirty = true;
let fresh = []; // points that the table does not show yet

function setQuery(name, value) {
  if (value === null) query.delete(name);
  else query.set(name, value);
  window.history.replaceState(null, "", `${location.pathname}${query.size ? `?${query}` : ""}`);
}

const pageUrl = (seq) => root.dataset.pages.replace(/0\/$/, `${seq}/`);

async function json(url) {
  const answer = await fetch(url);
  if (!answer.ok) throw new Error(String(answer.status));
  return answer.json();
}

// What is on the chart

function scene() {
  const source = history ?? frozen ?? { pages, from: firstShown(), steps: allSteps() };
  const { steps } = source;
  const shown = source.pages;
  const from = source.from ?? 0;
  const xOf = wish.isTime ? (seq, t) => t * 1000 : (seq) => seq;
  const [first, last] = steps
    ? [steps[0].first, steps.at(-1).last]
    : [shown.seq[from] ?? 1, shown.seq.at(-1) ?? 1];
  const [start, end] = steps
    ? [xOf(first, steps[0].first_at), xOf(last, steps.at(-1).last_at)]
    : [xOf(first, shown.t[from] ?? 0), xOf(last, shown.t.at(-1) ?? 1)];
  const xAt = (seq) => xOf(seq, steps ? timeInSteps(steps, seq) : shown.t[Math.min(shown.indexOf(seq), shown.length - 1)]);
  const slack = Math.max((end - start) * 0.01, wish.isTime ? 500 : 1);
  return { pages: shown, from, steps, first, last, xOf, xAt, width: wish.width, flags, isTime: wish.isTime, range: [start - slack, end + slack] }; // prettier-ignore
}

function timeInSteps(steps, seq) {
  const step = steps.find(({ last }) => last >= seq) ?? steps.at(-1);
  const share = (seq - step.first) / Math.max(1, step.last - step.first);
  return step.first_at + share * (step.last_at - step.first_at);
}

function firstShown() {
  const most = chart.isFast ? Infinity : PLAIN_DOTS;
  const wanted = wish.show === "all" ? pages.length : Number(wish.show);
  return Math.max(0, pages.length - Math.min(wanted, most));
}

/** The whole crawl as stretches, when it has more pages than we hold. */
function allSteps() {
  const isAll = wish.show === "all" && !history;
  return isAll && (pages.seq[0] ?? 1) > 1 ? overview.steps : null;
}

async function draw() {
  if (!isDirty || document.hidden || !canvas.clientWidth) return;
  isDirty = false;
  const shown = scene();
  part("empty").hidden = pages.length > 0;
  overview.draw(shown.first, shown.last, flags);
  if (pages.length) await chart.draw(shown);
  pointing.refresh();
}

function dirty() {
  isDirty = true;
}

/** Draws at a pace that leaves the browser time for everything else. */
function keepDrawing() {
  const pace = !chart.isFast ? 1_000 : firstShown() < pages.length - 2_000 ? 500 : 250;
  requestAnimationFrame(async () => {
    await draw();
    setTimeout(keepDrawing, pace);
  });
}

// What comes in

function take(frame) {
  if (frame.type === "points") {
    pages.push(frame.points);
    overview.push(frame.points);
    fresh = [...fresh, ...frame.points].slice(-20);
    if (!frozen && !history) dirty();
  } else if (frame.type === "state") {
    const before = state;
    state = frame;
    if (before && (before.state !== frame.state || before.reason !== frame.reason)) renewHead();
    tellEmpty();
  } else if (frame.event) {
    flags = [...flags, frame.event].slice(-FLAGS_KEPT);
    showFlag(root, frame.event);
    dirty();
    document.dispatchEvent(new CustomEvent(`crawl:${frame.type}`, { detail: frame.event }));
  }
}

/** State and buttons are the server's to say. */
async function renewHead() {
  const html = await fetchPart(location.pathname);
  if (html === null) return;
  const fetched = new DOMParser().parseFromString(html, "text/html");
  for (const id of ["crawl-state", "crawl-controls"]) {
    const [old, renewed] = [document.getElementById(id), fetched.getElementById(id)];
    if (old && renewed) old.replaceWith(renewed);
  }
}

function tellEmpty() {
  const words = {
    queued: ["Waiting for a worker", "One takes the crawl up within a second or two."],
    running: ["Warming up", "The first pages are on their way."],
    rate_limited: ["The sites asked us to wait", state.reason],
    paused: ["Paused before the first page", "Resume it to begin."],
  };
  const [title, text] = words[state.state] ?? ["No pages", "This crawl ended without a page. Its settings and the list below say why."];
  part("empty-title").textContent = title;
  part("empty-text").textContent = text;
}

function tell() {
  if (!state || isFrozen) return;
  showState(document, state);
  if (fresh.length) showLatest(root, fresh, pageUrl);
  fresh = [];
  const words = [summaryOf(state, pages), ...remarks()].join(" ");
  if (part("words").textContent !== words) part("words").textContent = words;
}

function remarks() {
  if (!state.is_active) return [];
  const isLost = !state.is_held && state.state !== "queued";
  return [
    ...(isLost ? ["No worker holds this crawl just now; one takes it up by itself."] : []),
    ...(state.fetched < WARM ? [`Warming up: an average says little before ${WARM} pages.`] : []),
  ];
}

function summarise() {
  if (!state) return;
  const words = summaryOf(state, pages);
  if (part("summary").textContent !== words) part("summary").textContent = words;
}

let lastNews = Date.now();
function showLink(link, words = "") {
  const note = part("lost");
  const isLive = link === "live";
  if (isLive || link === "polling") lastNews = Date.now();
  const since = new Date(lastNews).toISOString().slice(11, 19);
  const told = {
    lost: `Live updates are lost; connecting again. You see the state of ${since} UTC.`,
    polling: "No live connection: this page asks for news every 5 seconds instead.",
    ended: words,
  };
  if (!isLive && part("lost-text").textContent !== told[link]) part("lost-text").textContent = told[link];
  note.hidden = isLive;
}

// What the person wants to see

function press(selector, button) {
  for (const other of root.querySelectorAll(selector)) other.setAttribute("aria-pressed", String(other === button));
}

function follow() {
  history = null;
  part("follow").setAttribute("aria-pressed", "true");
  dirty();
}

async function lookAt(first, last) {
  if (last >= feed.seq) return follow();
  first = Math.max(1, first);
  const view = await json(`${root.dataset.view}?first=${first}&last=${last}`);
  const steps = view.steps.length ? view.steps : null;
  history = { pages: new Pages(view.points, view.lead, Infinity), from: 0, steps };
  part("follow").setAttribute("aria-pressed", "false");
  dirty();
}

function shownSpan() {
  const { first, last } = scene();
  return [first, last];
}

function move(direction) {
  const [first, last] = shownSpan();
  const span = last - first + 1;
  const to = direction < 0 ? Math.max(span, last - Math.ceil(span * 0.8)) : last + Math.ceil(span * 0.8);
  lookAt(to - span + 1, to);
}

function setUpTools() {
  root.addEventListener("click", ({ target }) => {
    const show = target.closest("[data-show]");
    const axis = target.closest("[data-axis]");
    const step = target.closest("[data-move]");
    if (show) {
      wish.show = show.dataset.show;
      setQuery("show", wish.show);
      press("[data-show]", show);
      follow();
    }
    if (axis) {
      wish.isTime = axis.dataset.axis === "time";
      setQuery("x", wish.isTime ? "time" : null);
      press("[data-axis]", axis);
      dirty();
    }
    if (step) move(Number(step.dataset.move));
    if (target.closest("[data-follow]")) follow();
    if (target.closest("[data-freeze]")) freeze();
  });
  press("[data-show]", root.querySelector(`[data-show="${CSS.escape(wish.show)}"]`));
  press("[data-axis]", root.querySelector(`[data-axis="${wish.isTime ? "time" : "page"}"]`));
  setUpSlider();
  setUpOverview();
}

// From 20 to 2,000 pages, a step being a ratio: the difference of 20 and 40 matters, that of 1,980 and 2,000 does not.
function setUpSlider() {
  const slider = part("window");
  const told = () => {
    part("window-told").textContent = `${number.format(wish.width)} pages`;
    slider.setAttribute("aria-valuetext", `${wish.width} pages`);
  };
  slider.value = Math.log(wish.width / 20) / Math.log(100) * 100;
  slider.addEventListener("input", () => {
    const width = 20 * 100 ** (slider.value / 100);
    wish.width = width < 100 ? Math.round(width) : Math.round(width / 10) * 10;
    setQuery("mean", String(wish.width));
    told();
    dirty();
  });
  told();
}

function setUpOverview() {
  const map = part("minimap");
  let isHeld = false;
  const jump = ({ clientX }) => {
    const [first, last] = shownSpan();
    const half = Math.round(Math.min(last - first + 1, 5_000) / 2);
    const middle = overview.pageAt(clientX);
    lookAt(Math.max(1, middle - half), middle + half);
  };
  map.addEventListener("pointerdown", (event) => {
    isHeld = true;
    map.setPointerCapture(event.pointerId);
    jump(event);
  });
  let last = 0;
  map.addEventListener("pointermove", (event) => {
    if (!isHeld || event.timeStamp - last < 120) return;
    last = event.timeStamp;
    jump(event);
  });
  map.addEventListener("pointerup", () => {
    isHeld = false;
  });
}

function freeze() {
  isFrozen = !isFrozen;
  const button = part("freeze");
  button.setAttribute("aria-pressed", String(isFrozen));
  frozen = null;
  if (isFrozen) {
    const copy = new Pages(pages, pages.lead, Infinity);
    frozen = { pages: copy, from: firstShown(), steps: allSteps() && [...overview.steps] };
  }
  dirty();
}

function choose(first, last) {
  const chosen = part("chosen");
  const list = part("chosen-pages");
  list.hidden = true;
  chosen.hidden = first === null;
  if (first === null) return;
  const count = last - first + 1;
  part("chosen-text").textContent = `Pages ${number.format(first)} to ${number.format(last)}`;
  const link = part("chosen-link");
  link.textContent = `Show these ${number.format(count)} page${count === 1 ? "" : "s"}`;
  link.href = `${root.dataset.stretch}?first=${first}&last=${last}`;
}

function setUpChoosing() {
  part("chosen-link").addEventListener("click", async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    const html = await fetchPart(event.currentTarget.href);
    if (html === null) return;
    const list = part("chosen-pages");
    list.innerHTML = html; // rendered and escaped by our server
    list.hidden = false;
    list.scrollIntoView({ block: "nearest" });
  });
  part("chosen-clear").addEventListener("click", () => {
    pointing.clear();
    choose(null);
  });
}

async function start() {
  const opening = await json(root.dataset.opening);
  flags = opening.events;
  pages = new Pages(opening.view.points, opening.view.lead, opening.dots);
  overview = new Overview(part("minimap"), opening.map, () => coloursOf(canvas));
  chart = new Chart(canvas, { isFast: canDrawFast(), threshold: opening.threshold, reference: opening.reference });
  part("plain").hidden = chart.isFast;
  drawer = setUpDrawer(pageUrl, setQuery);
  pointing = setUpPointing(root, chart, { scene, open: drawer.open, choose, clock });
  setUpTools();
  setUpChoosing();
  feed = new Feed({
    socketPath: root.dataset.socket,
    pollUrl: root.dataset.points,
    seq: opening.seq,
    eventId: flags.at(-1)?.id ?? 0,
    onFrame: take,
    onLink: showLink,
  });
  feed.open();
  new ResizeObserver(dirty).observe(canvas);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", dirty);
  document.addEventListener("visibilitychange", dirty);
  keepDrawing();
  setInterval(tell, 1_000);
  setInterval(summarise, SUMMARY_TIME);
  if (query.has("page")) drawer.open(Number(query.get("page")));
  root.dataset.ready = "true";
}

if (root) {
  start().catch(() => {
    part("lost-text").textContent = "The chart could not be loaded. Load the page anew; the tables below show the latest state.";
    part("lost").hidden = false;
  });
}
