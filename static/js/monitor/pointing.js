// Pointing at the chart, by pointer and by keyboard: the tip, opening a page, choosing a stretch.
const DRAG = 6; // pixels; less is a press

export function setUpPointing(root, chart, { scene, open, choose, clock }) {
  const part = (name) => root.querySelector(`[data-${name}]`);
  const [canvas, tip, ring, veil] = [part("canvas"), part("tip"), part("cursor"), part("veil")];
  const said = part("cursor-words");
  let cursor = 0; // number of the page at which the keyboard is
  let anchor = 0; // where a choice by keyboard began
  let chosen = null;
  let pressedAt = null;

  const local = (event) => {
    const box = canvas.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };

  function facts(seq) {
    const { pages } = scene();
    const at = pages.indexOf(seq);
    if (pages.seq[at] !== seq) return null;
    const relevance = pages.relevance[at];
    const told = relevance === null ? "failed" : `relevance ${relevance.toFixed(2)}`;
    return { title: pages.title[at] || pages.site[at], site: pages.site[at], figures: `Page ${seq} · ${told} · ${clock(pages.t[at])} UTC` };
  }

  function showTip(words, x, y) {
    part("tip-title").textContent = words.title;
    part("tip-site").textContent = words.site;
    part("tip-figures").textContent = words.figures;
    tip.hidden = false;
    const left = Math.min(Math.max(8, x + 14), canvas.clientWidth - tip.offsetWidth - 8);
    const above = y - tip.offsetHeight - 12;
    tip.style.transform = `translate(${left}px, ${above < 0 ? y + 14 : above}px)`;
  }

  function showRing(at) {
    ring.hidden = at < 0;
    if (at < 0) return;
    const [x, y] = chart.place(chart.dots.x[at], chart.dots.y[at]);
    ring.style.transform = `translate(${x}px, ${y}px)`;
  }

  function hover(event) {
    const [x, y] = local(event);
    const flag = chart.flagAt(x, y);
    const at = flag ? -1 : chart.nearest(x, y);
    showRing(at);
    canvas.style.cursor = at < 0 ? "crosshair" : "pointer";
    if (flag) showTip({ title: flag.text, site: flag.by && `by ${flag.by}`, figures: `After page ${flag.seq}` }, x, y);
    else if (at >= 0) showTip(facts(chart.dots.seq[at]), x, y);
    else tip.hidden = true;
  }

  function showVeil() {
    const { first, last, xAt } = scene();
    veil.hidden = chosen === null || chosen[1] < first || chosen[0] > last;
    if (veil.hidden) return;
    const { top, height } = chart.box;
    const [from, to] = chosen.map((seq) => chart.place(xAt(Math.min(last, Math.max(first, seq))), 0)[0]);
    veil.style.transform = `translate(${from}px, ${top}px)`;
    veil.style.width = `${Math.max(2, to - from)}px`;
    veil.style.height = `${height}px`;
  }

  /** The page at a value of the horizontal axis. */
  function pageAt(value) {
    const { pages, isTime, steps, first, last } = scene();
    const within = (seq) => Math.min(last, Math.max(first, seq));
    if (!isTime) return within(Math.round(value));
    if (steps) return within((steps.find((step) => step.last_at * 1000 >= value) ?? steps.at(-1)).first);
    const at = pages.t.findIndex((t) => t * 1000 >= value);
    return within(at < 0 ? last : pages.seq[at]);
  }

  function select(one, other) {
    chosen = [Math.min(one, other), Math.max(one, other)];
    choose(...chosen);
    showVeil();
  }

  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    pressedAt = local(event);
    canvas.setPointerCapture(event.pointerId);
  });
  canvas.addEventListener("pointermove", (event) => {
    const [x] = local(event);
    if (pressedAt && Math.abs(x - pressedAt[0]) > DRAG) {
      tip.hidden = true;
      select(pageAt(chart.valueAt(pressedAt[0])), pageAt(chart.valueAt(x)));
    } else if (!pressedAt) {
      hover(event);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    const [x, y] = local(event);
    const isPress = pressedAt && Math.abs(x - pressedAt[0]) <= DRAG;
    pressedAt = null;
    const at = isPress ? chart.nearest(x, y, 18) : -1;
    if (at >= 0) open(chart.dots.seq[at]);
  });
  canvas.addEventListener("pointercancel", () => {
    pressedAt = null;
  });
  canvas.addEventListener("pointerleave", () => {
    tip.hidden = true;
    showRing(-1);
  });

  function goTo(seq, extend) {
    const { pages, from, steps } = scene();
    if (steps || !pages.length) return;
    const at = Math.min(pages.length - 1, Math.max(from, pages.indexOf(seq)));
    if (extend && !anchor) anchor = cursor || pages.seq[at];
    cursor = pages.seq[at];
    if (extend) select(anchor, cursor);
    else anchor = 0;
    const dot = chart.dots.seq.indexOf(cursor);
    showRing(dot);
    const words = facts(cursor);
    if (dot >= 0) showTip(words, ...chart.place(chart.dots.x[dot], chart.dots.y[dot]));
    said.textContent = `${words.figures}. ${words.title}`;
  }

  const keys = {
    ArrowLeft: (event) => goTo((cursor || scene().last + 1) - 1, event.shiftKey),
    ArrowRight: (event) => goTo((cursor || scene().last) + 1, event.shiftKey),
    PageUp: (event) => goTo((cursor || scene().last) - 25, event.shiftKey),
    PageDown: (event) => goTo((cursor || scene().last) + 25, event.shiftKey),
    Home: (event) => goTo(scene().first, event.shiftKey),
    End: (event) => goTo(scene().last, event.shiftKey),
    Enter: () => cursor && open(cursor),
    Escape: () => {
      tip.hidden = true;
      showRing(-1);
    },
  };
  canvas.addEventListener("keydown", (event) => {
    if (!keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key](event);
  });
  canvas.addEventListener("blur", () => {
    tip.hidden = true;
    showRing(-1);
  });

  return {
    clear() {
      chosen = null;
      anchor = 0;
      showVeil();
    },
    /** After a new drawing, which may have moved everything. */
    refresh() {
      showVeil();
      if (document.activeElement === canvas && cursor && !ring.hidden) showRing(chart.dots.seq.indexOf(cursor));
    },
  };
}
