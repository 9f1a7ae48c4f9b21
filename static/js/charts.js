// Draws figures made by the server: <div data-chart="id"> beside a JSON script of that id, and saves them as PNG, SVG
// and their numbers as CSV.
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

  // Values below a narrow axis, without those that would be written over the one before.
  function thinned(given) {
    if (!given || !given.tickvals || typeof given.tickvals[0] !== "number") return given;
    const places = given.tickvals.map((value) => (given.type === "log" ? Math.log10(value) : value));
    const [low, high] = given.range || [places[0], places[places.length - 1]];
    let last = -Infinity;
    const kept = places.map((place) => {
      const fits = place - last >= 0.16 * (high - low);
      if (fits) last = place;
      return fits;
    });
    const some = (list) => list && list.filter((_, at) => kept[at]);
    return { ...given, tickvals: some(given.tickvals), ticktext: some(given.ticktext), tickangle: 0 };
  }

  // Words beside a narrow chart, cut short, though not within an entity.
  function cut(given) {
    if (!given || !given.ticktext) return given;
    const short = (text) => /^(?:&#?\w+;|[^&]){0,16}/.exec(text)[0];
    return { ...given, ticktext: given.ticktext.map((text) => (short(text) === text ? text : `${short(text)}…`)) };
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
    if (narrow) { // no room for labels beside the dots, and for few below
      Object.assign(all, { xaxis: thinned(all.xaxis), yaxis: cut(all.yaxis) });
      const inside = (all.annotations || []).filter((each) => each.xref !== "paper");
      const beside = inside.length < (all.annotations || []).length;
      Object.assign(all, { annotations: inside, showlegend: all.showlegend || beside });
      Object.assign(all.margin, { l: 44, r: 8 });
    }
    all.font = { family: style.fontFamily, size: 13, color: token("text"), ...all.font };
    all.modebar = { bgcolor: "rgba(0,0,0,0)", color: token("text-quiet"), activecolor: token("accent") };
    all.hoverlabel = {
      bgcolor: token("surface-raised"), bordercolor: token("line-strong"), align: "left",
      font: { family: style.fontFamily, size: 12.5, color: token("text") },
    };
    Object.keys(all).filter((key) => /^[xy]axis\d*$/.test(key)).forEach((key) => { all[key] = axis(all[key]); });
    return all;
  }

  const options = {
    responsive: true, displaylogo: false, displayModeBar: window.matchMedia("(pointer: coarse)").matches || "hover",
    modeBarButtons: [["zoomIn2d", "zoomOut2d", "resetScale2d"]], scrollZoom: false, doubleClick: "reset", showTips: false,
  };

  // The words of a hover, in a line.
  function plain(html) {
    const lines = String(html).replace(/<br\s*\/?>/g, "; ").replace(/<[^>]*>/g, "");
    return new DOMParser().parseFromString(lines, "text/html").documentElement.textContent;
  }

  function title(axis, otherwise) {
    return (axis && axis.title && axis.title.text) || otherwise;
  }

  // The numbers of a figure: its own table, else a row for each point of each trace that stands for something.
  function numbers(figure) {
    if (figure.table) return [figure.table.columns, ...figure.table.rows];
    const { xaxis, yaxis } = figure.layout || {};
    const rows = [["Series", title(xaxis, "x"), title(yaxis, "y"), "Value", "Low", "High", "About"]];
    figure.data.filter((trace) => trace.hoverinfo !== "skip").forEach((trace) => {
      const name = plain(trace.name || "");
      const at = (list, i) => (Array.isArray(list) ? list[i] : undefined);
      if (trace.z) {
        trace.z.forEach((line, row) => line.forEach((value, column) => rows.push(
          [name, trace.x[column], trace.y[row], value, "", "", plain(at(at(trace.text, row), column) || "")])));
        return;
      }
      trace.y.forEach((y, i) => {
        if (y === null) return;
        const bar = trace.error_y || {};
        const end = (list, sign) => (at(list, i) === undefined ? "" : y + sign * list[i]);
        rows.push([name, at(trace.x, i), y, "", end(bar.arrayminus, -1), end(bar.array, 1), plain(at(trace.text, i) || "")]);
      });
    });
    const used = rows[0].map((_, column) => rows.some((row, i) => i && ![undefined, null, ""].includes(row[column])));
    return rows.map((row) => row.filter((_, column) => used[column]));
  }

  // What a spreadsheet would run gets an apostrophe before it, as in all our CSV.
  function cell(value) {
    if (value === undefined || value === null) return "";
    const text = typeof value === "string" && /^'*[=+\-@\t\r\n]/.test(value) ? `'${value}` : String(value);
    return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
  }

  function save(address, name) {
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
  }

  function named(box) {
    const heading = box.closest("section, .card, main").querySelector("h1, h2, h3");
    const words = (heading ? heading.textContent : "chart").trim().toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-");
    return words.replace(/^-|-$/g, "").slice(0, 60) || "chart";
  }

  function saveNumbers(box) {
    const rows = numbers(JSON.parse(document.getElementById(box.dataset.chart).textContent));
    const text = rows.map((row) => row.map(cell).join(",")).join("\r\n");
    const address = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
    save(address, `${named(box)}.csv`);
    setTimeout(() => URL.revokeObjectURL(address), 1000);
  }

  // A picture stands by itself: it has the surface that the page has behind the chart, and the chart's heading.
  async function savePicture(box, format) {
    const heading = box.closest("section, .card, main").querySelector("h1, h2, h3");
    const shown = { data: box.data, layout: { ...box.layout, paper_bgcolor: token("surface-raised") } };
    if (heading) {
      shown.layout.title = { text: heading.textContent.trim(), x: 0.02, xanchor: "left", font: { size: 15 } };
      shown.layout.margin = { ...shown.layout.margin, t: ((shown.layout.margin || {}).t || 12) + 36 };
      if (shown.layout.showlegend) shown.layout.legend = { orientation: "h", x: 0, y: -0.22, yanchor: "top" };
    }
    const size = { width: box.clientWidth, height: box.clientHeight + (heading ? 36 : 0), scale: format === "png" ? 2 : 1 };
    save(await window.Plotly.toImage(shown, { format, ...size }), `${named(box)}.${format}`);
  }

  function offerFiles(box) {
    const row = document.createElement("p");
    row.className = "row row-tight chart-save";
    row.append(Object.assign(document.createElement("span"), { className: "quiet small", textContent: "Save as" }));
    ["PNG", "SVG", "CSV"].forEach((format) => {
      const button = document.createElement("button");
      Object.assign(button, { type: "button", className: "button button-small", textContent: format });
      button.setAttribute("aria-label", `Save the chart as ${format}`);
      button.addEventListener("click", () => (format === "CSV" ? saveNumbers(box) : savePicture(box, format.toLowerCase())));
      row.append(button);
    });
    box.after(row);
  }

  function draw(box) {
    const source = document.getElementById(box.dataset.chart);
    if (!source || !window.Plotly) return;
    const figure = JSON.parse(source.textContent);
    const first = !box.dataset.drawn;
    box.dataset.drawn = "1";
    window.Plotly.react(box, resolved(figure.data), layout(figure.layout || {}, box.clientWidth < 560), options);
    if (!first) return;
    offerFiles(box);
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
