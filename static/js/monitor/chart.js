// The chart itself. Plotly draws dots, lines and axes and gets numbers only: whatever a page says of
// itself is shown by us as plain text, because Plotly would read markup in it.
const MARGIN = { l: 40, r: 14, t: 10, b: 36 };
const FAILED_AT = -0.045;
const RANGE = [-0.08, 1.09];
const SYMBOLS = { refused: "square-open", error: "x-thin-open", unreachable: "triangle-down-open", unusable: "diamond-open" }; // prettier-ignore
const CONFIG = { staticPlot: true, responsive: false, plotGlPixelRatio: 2 };

export function canDrawFast() {
  try {
    new Function(""); // Plotly's WebGL is compiled while it runs
    const gl = document.createElement("canvas").getContext("webgl");
    gl?.getExtension("WEBGL_lose_context")?.loseContext();
    return Boolean(gl);
  } catch {
    return false;
  }
}

export function coloursOf(element) {
  const style = getComputedStyle(element);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    dot: token("chart-dot"),
    average: token("chart-average"),
    reference: token("chart-reference"),
    band: token("chart-band"),
    grid: token("chart-grid"),
    threshold: token("chart-threshold"),
    text: token("ink-muted"),
    font: style.fontFamily,
  };
}

export class Chart {
  #drawing = null;

  constructor(canvas, { isFast, threshold, reference }) {
    Object.assign(this, { canvas, isFast, threshold, reference });
    this.range = [0, 1];
    this.dots = { x: [], y: [], seq: [] };
  }

  /** One drawing at a time; a call meanwhile is left out, since another follows soon. */
  async draw(scene) {
    if (this.#drawing) return;
    this.#drawing = window.Plotly.react(this.canvas, this.#traces(scene), this.#layout(scene), CONFIG);
    try {
      await this.#drawing;
    } finally {
      this.#drawing = null;
    }
  }

  #traces(scene) {
    const look = coloursOf(this.canvas);
    const base = { hoverinfo: "skip", showlegend: false };
    const fast = this.isFast ? "scattergl" : "scatter";
    const traces = [this.#referenceLine(scene, base, look)];
    if (scene.steps) traces.push(...bandTraces(scene, base, look));
    else traces.push(...this.#dotTraces(scene, base, look, fast));
    traces.push(this.#flags(scene, base, look));
    return traces;
  }

  #dotTraces({ pages, from, width, xOf }, base, look, fast) {
    const [good, failed] = [{ x: [], y: [], seq: [] }, { x: [], y: [], seq: [], symbol: [] }];
    const line = { x: [], y: [] };
    const averages = pages.averages(width, from);
    for (let at = from; at < pages.length; at += 1) {
      const isJudged = pages.relevance[at] !== null;
      const x = xOf(pages.seq[at], pages.t[at]);
      const into = isJudged ? good : failed;
      into.x.push(x);
      into.y.push(isJudged ? pages.relevance[at] : FAILED_AT);
      into.seq.push(pages.seq[at]);
      if (!isJudged) failed.symbol.push(SYMBOLS[pages.kind[at]] ?? "x-thin-open");
      line.x.push(x);
      line.y.push(averages[at - from]);
    }
    this.dots = {
      x: [...good.x, ...failed.x],
      y: [...good.y, ...failed.y],
      seq: [...good.seq, ...failed.seq],
    };
    const count = pages.length - from;
    const size = count > 2_000 ? 4 : count > 600 ? 5 : 7;
    const dot = { color: look.dot, size, opacity: count > 2_000 ? 0.55 : 0.75 };
    const cross = { color: look.reference, size: 6, symbol: failed.symbol, line: { width: 1.5, color: look.reference } };
    return [
      { ...base, type: fast, mode: "markers", x: good.x, y: good.y, marker: dot },
      { ...base, type: fast, mode: "markers", x: failed.x, y: failed.y, marker: cross },
      { ...base, type: fast, mode: "lines", ...line, line: { color: look.average, width: 3 } },
    ];
  }

  #referenceLine({ first, last, xAt }, base, look) {
    const line = { color: look.reference, width: 2, dash: "dash" };
    const { pages, averages } = this.reference ?? { pages: [], averages: [] };
    const shown = pages.map((page, at) => [page, averages[at]]).filter(([page]) => page >= first && page <= last);
    return { ...base, type: "scatter", mode: "lines", x: shown.map(([page]) => xAt(page)), y: shown.map(([, average]) => average), line }; // prettier-ignore
  }

  #flags({ flags, xAt, first, last }, base, look) {
    const shown = flags.filter(({ seq }) => seq >= first - 1 && seq <= last);
    this.flags = shown.map((flag) => ({ ...flag, x: xAt(Math.max(first, flag.seq)) }));
    const marker = { symbol: "triangle-down", size: 11, color: look.text };
    return { ...base, type: "scatter", mode: "markers", x: this.flags.map(({ x }) => x), y: this.flags.map(() => 1.06), marker, cliponaxis: false }; // prettier-ignore
  }

  #layout({ range, isTime }) {
    const look = coloursOf(this.canvas);
    this.range = range;
    const across = { type: "line", xref: "paper", x0: 0, x1: 1, y0: this.threshold, y1: this.threshold };
    const nticks = Math.max(3, Math.floor(this.box.width / 100));
    const axis = { gridcolor: look.grid, zeroline: false, fixedrange: true, linecolor: look.grid };
    return {
      uirevision: "same",
      width: this.canvas.clientWidth,
      height: this.canvas.clientHeight,
      margin: MARGIN,
      font: { family: look.font, size: 12, color: look.text },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      xaxis: isTime
        ? { ...axis, type: "date", range, tickformat: "%H:%M:%S", nticks, tickangle: 0 }
        : { ...axis, range, tickformat: ",d", nticks, tickangle: 0 },
      yaxis: { ...axis, range: RANGE, tickvals: [0, 0.25, 0.5, 0.75, 1] },
      shapes: [
        { ...across, layer: "below", line: { color: look.threshold, width: 1.5, dash: "dot" } },
        ...this.flags.map(({ x }) => ({
          type: "line", x0: x, x1: x, y0: 0, y1: 1.04, layer: "below",
          line: { color: look.reference, width: 1 },
        })), // prettier-ignore
      ],
      hovermode: false,
      dragmode: false,
    };
  }

  // Places, by arithmetic: the margins are ours and both axes are linear.

  get box() {
    const { clientWidth, clientHeight } = this.canvas;
    return { left: MARGIN.l, top: MARGIN.t, width: clientWidth - MARGIN.l - MARGIN.r, height: clientHeight - MARGIN.t - MARGIN.b }; // prettier-ignore
  }

  place(x, y) {
    const { left, top, width, height } = this.box;
    const [x0, x1] = this.range;
    return [
      left + ((x - x0) / (x1 - x0 || 1)) * width,
      top + ((RANGE[1] - y) / (RANGE[1] - RANGE[0])) * height,
    ];
  }

  valueAt(pixel) {
    const { left, width } = this.box;
    const share = Math.min(1, Math.max(0, (pixel - left) / width));
    return this.range[0] + share * (this.range[1] - this.range[0]);
  }

  /** The dot within reach of a place, as an index into `dots`, or -1. */
  nearest(pixelX, pixelY, reach = 14) {
    let [best, distance] = [-1, reach ** 2];
    for (let at = 0; at < this.dots.x.length; at += 1) {
      const [x, y] = this.place(this.dots.x[at], this.dots.y[at]);
      const far = (x - pixelX) ** 2 + (y - pixelY) ** 2;
      if (far < distance) [best, distance] = [at, far];
    }
    return best;
  }

  flagAt(pixelX, pixelY) {
    if (pixelY > this.place(0, 1)[1]) return null;
    return this.flags?.find(({ x }) => Math.abs(this.place(x, 1)[0] - pixelX) < 9) ?? null;
  }
}

function bandTraces({ steps, xOf }, base, look) {
  const judged = steps.filter(({ mean }) => mean !== null);
  const x = judged.map((step) => xOf((step.first + step.last) / 2, (step.first_at + step.last_at) / 2));
  const edge = { ...base, type: "scatter", mode: "lines", x, line: { width: 0 } };
  return [
    { ...edge, y: judged.map(({ least }) => least) },
    { ...edge, y: judged.map(({ most }) => most), fill: "tonexty", fillcolor: look.band },
    { ...base, type: "scatter", mode: "lines", x, y: judged.map(({ mean }) => mean), line: { color: look.average, width: 2.5 } },
  ]; // prettier-ignore
}
