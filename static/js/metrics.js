// The picker of metrics: finding by word, counting what is ticked, opening what a judge scores once there is one,
// and a further row for an aspect of one's own when the last one is filled. Works on pickers that come later too.
(function () {
  "use strict";

  function picker(element) { return element.closest(".metric-picker"); }

  function find(box) {
    const words = box.value.toLowerCase().split(/\s+/).filter(Boolean);
    picker(box).querySelectorAll(".metric-group").forEach((group) => {
      const choices = Array.from(group.querySelectorAll(".metric-choice"));
      choices.forEach((choice) => {
        const text = `${choice.dataset.metric} ${choice.textContent} ${group.querySelector("summary").textContent}`.toLowerCase();
        choice.hidden = !words.every((word) => text.includes(word));
      });
      const found = choices.some((choice) => !choice.hidden);
      group.hidden = words.length > 0 && !found;
      if (words.length > 0 && found) group.open = true;
    });
  }

  function count(box) {
    const ticked = (place) => place.querySelectorAll(".metric-choice > .check input:checked").length;
    const whole = picker(box);
    whole.querySelectorAll(".metric-group").forEach((group) => {
      const shown = group.querySelector("[data-metric-count]");
      if (shown) shown.textContent = String(ticked(group));
    });
    const own = Array.from(whole.querySelectorAll("[name^='aspect-'][name$='-name']")).filter((name) => name.value.trim());
    const tally = whole.querySelector("[data-own-count]");
    if (tally) tally.textContent = String(own.length);
    whole.querySelector(".metric-find [data-metric-count]").textContent = String(ticked(whole) + own.length);
  }

  function judge(field) {
    const chosen = field.value.trim() !== "";
    field.form.querySelectorAll("[data-wants-judge]").forEach((box) => {
      box.disabled = !chosen && !box.checked;
      const reason = box.parentElement.querySelector(".metric-unmet");
      if (reason) reason.hidden = chosen;
    });
    field.form.querySelectorAll("[data-judge-wanted]").forEach((note) => { note.hidden = chosen; });
    field.form.querySelectorAll("[data-under-test]").forEach((note) => {
      note.hidden = field.value.trim() !== note.dataset.underTest;
    });
  }

  function grow(name) {
    const row = name.closest("[data-metric-own]");
    if (!name.value.trim() || row.nextElementSibling) return;
    const next = row.cloneNode(true);
    const [old, place] = [row.dataset.metricOwn, String(Number(row.dataset.metricOwn) + 1)];
    next.dataset.metricOwn = place;
    next.setAttribute("aria-label", `Aspect ${Number(place) + 1}`);
    next.querySelectorAll("[name], [id], [for], [aria-describedby]").forEach((each) => {
      ["name", "id", "for", "aria-describedby"].forEach((attribute) => {
        const value = each.getAttribute(attribute);
        if (value) each.setAttribute(attribute, value.replace(`aspect-${old}-`, `aspect-${place}-`));
      });
      if (each.matches("input, textarea")) each.value = "";
    });
    row.after(next);
  }

  document.addEventListener("input", (event) => {
    const field = event.target;
    if (field.matches("[data-metric-find]")) find(field);
    else if (field.matches("[data-judge]")) judge(field);
    else if (field.matches("[name^='aspect-'][name$='-name']")) { grow(field); count(field); }
    else if (field.matches(".metric-choice > .check input")) count(field);
    else if (field.closest(".metric-mend")) field.closest(".metric-choice").querySelector(".check input").disabled = false;
  });
  // Enter in the search must not start a run.
  document.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target.matches("[data-metric-find]")) event.preventDefault();
  });
})();
