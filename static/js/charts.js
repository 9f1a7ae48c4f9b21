// Draws figures made by the server: <div data-chart="id"> beside a JSON script of that id.
// Colours come from the CSS tokens, so a chart follows the theme; dots with an address in customdata are links.
(function () {
  "use strict";

  const probe = document.createElement("span");
  probe.hidden = true;
  document.documentElement.append(probe);

  // The value of a colour token as the browser resolves it now.
  function token(name) {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }

  // A figure names its colours as var(--token).
  function resolved(value) {
    if (typeof value === "string") {
      const named = /^var\(--([\w-]+)\)$/.exec(value);
      return named ? token(named[1]) : value;
    }
    if (Array.isArray(value)) return value.map(resolved);
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolved(part)]));
    }
    return value;
  }

  function axis(given) {
    return {
      gridcolor: token("line"), linecolor: token("line-strong"), zerolinecolor: token("line"), tickcolor: token("line-strong"),
      tickfont: { color: token("text-quiet"), size: 12 }, automargin: true, ...given,
      title: { font: { size: 12.5, color: token("text-quiet") }, standoff: 10, ...(given && given.title) },
    };
  }

  function layout(given, narrow) {
    const style = getComputedStyle(document.body);
    const all = {
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", hovermode: "closest", showlegend: false,
      dragmode: window.matchMedia("(pointer: coarse)").matches ? false : "zoom",
      ...resolved(given),
    };
    all.margin = { l: 52, r: 16, t: 12, b: 48, ...all.margin };
    if (narrow) { // no room for labels beside the dots
      Object.assign(all, { annotations: [], showlegend: true });
      Object.assign(all.margin, { l: 44, r: 8 });
    }
    all.font = { family: style.fontFamily, size: 13, color: token("text"), ...all.font };
    all.hoverlabel = {
      bgcolor: token("surface-raised"), bordercolor: token("line-strong"), align: "left",
      font: { family: style.fontFamily, size: 12.5, color: token("text") },
    };
    Object.keys(all).filter((key) => /^[xy]axis\d*$/.test(key)).forEach((key) => { all[key] = axis(all[key]); });
    return all;
  }

  const options = {
    responsive: true, displaylogo: false, displayModeBar: "hover",
    modeBarButtons: [["toImage"]], scrollZoom: false, doubleClick: "reset",
  };

  function draw(box) {
    const source = document.getElementById(box.dataset.chart);
    if (!source || !window.Plotly) return;
    const figure = JSON.parse(source.textContent);
    const first = !box.dataset.drawn;
    box.dataset.drawn = "1";
    window.Plotly.react(box, resolved(figure.data), layout(figure.layout || {}, box.clientWidth < 560), options);
    if (!first) return;
    box.on("plotly_click", (event) => {
      const point = event.points[0];
      const data = point && point.customdata;
      const address = Array.isArray(data) ? data[0] : data;
      if (typeof address === "string" && address.startsWith("/")) window.location.assign(address);
    });
    box.on("plotly_hover", (event) => {
      const linked = event.points.some((point) => point.customdata);
      box.querySelectorAll(".nsewdrag").forEach((layer) => { layer.style.cursor = linked ? "pointer" : ""; });
    });
    box.on("plotly_unhover", () => {
      box.querySelectorAll(".nsewdrag").forEach((layer) => { layer.style.cursor = ""; });
    });
  }

  function drawAll(within) {
    (within || document).querySelectorAll("[data-chart]").forEach(draw);
  }

  document.addEventListener("theme-changed", () => drawAll());
  document.addEventListener("htmx:afterSettle", (event) => drawAll(event.target.parentElement || document));
  document.addEventListener("htmx:beforeCleanupElement", (event) => {
    const box = event.target;
    if (window.Plotly && box.matches && box.matches("[data-drawn]")) window.Plotly.purge(box);
  });
  drawAll();
})();
