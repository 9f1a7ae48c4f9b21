// Small manners of every page: theme switch, menu, growing text areas, tables by keyboard, errors of htmx.
(function () {
  "use strict";

  const root = document.documentElement;
  const systemDark = window.matchMedia("(prefers-color-scheme: dark)");

  function theme() {
    return root.dataset.theme || (systemDark.matches ? "dark" : "light");
  }

  function showTheme() {
    const other = theme() === "dark" ? "light" : "dark";
    document.querySelectorAll("[data-theme-switch]").forEach((form) => {
      form.querySelector("button").value = other;
      form.querySelectorAll("[data-theme-icon]").forEach((icon) => { icon.hidden = icon.dataset.themeIcon !== other; });
    });
    document.dispatchEvent(new CustomEvent("theme-changed"));
  }

  document.addEventListener("submit", (event) => {
    const form = event.target.closest("[data-theme-switch]");
    if (!form) return;
    event.preventDefault();
    const chosen = form.querySelector("button").value;
    root.dataset.theme = chosen;
    document.cookie = `theme=${chosen}; path=/; max-age=31536000; samesite=lax`;
    showTheme();
  });
  systemDark.addEventListener("change", showTheme);

  // A form with data-confirm, or a button with data-ask, asks first.
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    const question = (button && button.dataset.ask) || event.target.dataset.confirm;
    if (question && !window.confirm(question)) {
      event.preventDefault();
      event.stopImmediatePropagation();
    }
  }, true);

  // Selects and boxes marked data-autosubmit send their form at once; without JavaScript its button does.
  document.addEventListener("change", (event) => {
    const field = event.target.closest("[data-autosubmit]");
    if (field && field.form) field.form.requestSubmit();
  });

  // A slider shows its value in the output that names it.
  document.addEventListener("input", (event) => {
    if (!event.target.matches("[data-shows-value]")) return;
    document.querySelectorAll(`output[for="${event.target.id}"]`).forEach((output) => { output.textContent = event.target.value; });
  });

  // Menus fold when the focus or a click goes elsewhere, and on Escape.
  document.addEventListener("click", (event) => {
    document.querySelectorAll("details.menu[open]").forEach((menu) => { if (!menu.contains(event.target)) menu.open = false; });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    document.querySelectorAll("details.menu[open], details.drawer[open]").forEach(fold);
  });
  document.addEventListener("click", (event) => {
    const close = event.target.closest("[data-close-drawer]");
    if (close) fold(close.closest("details"));
  });
  function fold(menu) {
    menu.open = false;
    menu.querySelector("summary").focus();
  }

  // A definition opens below its question mark, within the window; without this the browser puts it in the middle.
  document.addEventListener("toggle", (event) => {
    const text = event.target;
    if (event.newState !== "open" || !text.matches("[popover].definition")) return;
    const mark = document.querySelector(`[popovertarget="${text.id}"]`).getBoundingClientRect();
    const below = mark.bottom + 6 + text.offsetHeight < window.innerHeight;
    text.style.margin = "0";
    text.style.left = `${Math.max(8, Math.min(mark.left, window.innerWidth - text.offsetWidth - 8))}px`;
    text.style.top = `${below ? mark.bottom + 6 : Math.max(8, mark.top - 6 - text.offsetHeight)}px`;
  }, true);

  // A field reached by Tab is shown as a whole: the browser only looks that its first line is not under a bar.
  document.addEventListener("keyup", (event) => {
    if (event.key !== "Tab" || event.target.closest(".bench-go, .form-stuck, .chat-composer, .mark-bar")) return;
    event.target.scrollIntoView({ block: "nearest" });
  });

  // On a narrow screen long parts start folded, unless the address leads into them or something in them is wrong.
  const aim = () => document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (window.matchMedia("(max-width: 960px)").matches) {
    document.querySelectorAll("[data-fold-narrow]").forEach((each) => {
      each.open = each.contains(aim()) || each.querySelector(".field-error") !== null;
    });
  }
  function reveal() {
    const folded = aim()?.closest("details:not([open])");
    if (!folded) return;
    folded.open = true;
    aim().scrollIntoView();
  }
  window.addEventListener("hashchange", reveal);
  reveal();

  // Clamped text opens in place.
  document.addEventListener("click", (event) => {
    const text = event.target.closest("[data-clamp]");
    if (text && !window.getSelection().toString()) text.classList.toggle("clamp");
  });

  // Up and down move between the rows of a table whose rows hold a link.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    const row = document.activeElement && document.activeElement.closest("tbody tr");
    if (!row || document.activeElement.matches("input, select, textarea")) return;
    let next = row;
    do {
      next = event.key === "ArrowDown" ? next.nextElementSibling : next.previousElementSibling;
    } while (next && !next.querySelector("a, button, summary"));
    if (!next) return;
    event.preventDefault();
    next.querySelector("a, button, summary").focus();
  });

  // Text areas grow where the browser does not do it by itself.
  function grow(area) {
    area.style.height = "auto";
    area.style.height = `${area.scrollHeight + 2}px`;
  }
  if (!CSS.supports("field-sizing", "content")) {
    document.addEventListener("input", (event) => { if (event.target.matches("textarea")) grow(event.target); });
  }

  // A refused form shows its first mistake; a started run is brought into view where it stands below the form.
  document.addEventListener("htmx:afterSettle", (event) => {
    if (event.detail.xhr && event.detail.xhr.status === 422) {
      const wrong = event.detail.target.querySelector("[aria-invalid=true]");
      if (wrong && !wrong.contains(document.activeElement)) wrong.focus();
    }
  });
  document.addEventListener("run-started", () => {
    document.querySelectorAll("details.drawer[open]").forEach((drawer) => { drawer.open = false; }); // it covers the results
    const results = document.getElementById("results");
    if (results && window.matchMedia("(max-width: 960px)").matches) results.scrollIntoView();
  });

  // What was folded open or ticked stays so when its surroundings are loaded again.
  let unfolded = [];
  let ticked = null;
  let scrolled = 0;
  document.addEventListener("htmx:beforeSwap", (event) => {
    unfolded = Array.from(event.detail.target.querySelectorAll("details[id][open]"), (each) => each.id);
    const runs = event.detail.target.querySelector(".runs-table");
    ticked = runs && Array.from(runs.querySelectorAll(":checked"), (each) => each.value);
    scrolled = drawer()?.scrollTop || 0;
  });
  document.addEventListener("htmx:afterSwap", () => {
    unfolded.forEach((id) => { const each = document.getElementById(id); if (each) each.open = true; });
    if (ticked) document.querySelectorAll(".runs-table [name=run]").forEach((each) => { each.checked = ticked.includes(each.value); });
    if (scrolled && drawer()) drawer().scrollTop = scrolled;
  });
  function drawer() {
    return document.querySelector("details.drawer[open] > .drawer-panel");
  }

  // What htmx could not load is said where the user is looking.
  function say(text) {
    const box = document.getElementById("messages");
    if (!box) return;
    const notice = document.createElement("div");
    notice.className = "notice notice-bad";
    notice.textContent = text;
    box.replaceChildren(notice);
  }
  document.addEventListener("htmx:responseError", (event) => {
    const status = event.detail.xhr.status;
    say(status === 403
      ? "The page has been open for too long. Reload it and try again."
      : status === 404 ? "This is no longer there. Reload the page."
        : `The server could not do this (error ${status}). The details are in its log.`);
  });
  document.addEventListener("htmx:sendError", () => say("The server does not answer. Is it still running?"));

  showTheme();
})();
