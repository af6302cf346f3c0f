// The reliability curve. Everything it shows stands in a table beside it, so it takes no pointer.
const NO_HOVER = { hoverinfo: "skip", showlegend: false };

function colours(element) {
  const style = getComputedStyle(element);
  const token = (name) => style.getPropertyValue(`--${name}`).trim();
  return {
    top: token("chart-average"),
    leaf: token("chart-dot"),
    ideal: token("chart-reference"),
    grid: token("chart-grid"),
    text: token("ink-muted"),
    font: style.fontFamily,
  };
}

// A mark of one page is small, one of hundreds large: a small one off the line means little.
const size = (pages) => Math.min(14, 4 + Math.sqrt(pages) / 2);

const line = (points, colour, symbol, dash) => ({
  ...NO_HOVER,
  x: points.map(([told]) => told),
  y: points.map(([, right]) => right),
  mode: "lines+markers",
  line: { color: colour, width: 2.5, dash },
  marker: { color: colour, size: points.map(([, , pages]) => size(pages)), symbol, opacity: 1 },
});

function figure(points, look) {
  const axis = (title) => ({
    title: { text: title, standoff: 10 },
    range: [-0.02, 1.03],
    dtick: 0.25,
    gridcolor: look.grid,
    zeroline: false,
    fixedrange: true,
  });
  return {
    data: [
      { ...NO_HOVER, x: [0, 1], y: [0, 1], mode: "lines", line: { color: look.ideal, dash: "dash", width: 1.5 } },
      line(points.leaf, look.leaf, "diamond", "dot"),
      line(points.top, look.top, "circle", "solid"),
    ],
    layout: {
      font: { family: look.font, size: 13, color: look.text },
      margin: { l: 56, r: 12, t: 8, b: 48 },
      paper_bgcolor: "rgba(0,0,0,0)",
      plot_bgcolor: "rgba(0,0,0,0)",
      xaxis: axis("Told probability"),
      yaxis: axis("Share of right pages"),
      hovermode: false,
      dragmode: false,
    },
  };
}

const canvas = document.getElementById("reliability");
if (canvas && window.Plotly) {
  const points = JSON.parse(document.getElementById("reliability-points").textContent);
  const draw = () => {
    const { data, layout } = figure(points, colours(canvas));
    window.Plotly.react(canvas, data, layout, { staticPlot: true, responsive: true });
  };
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
}
