// Keys press what is marked with data-key="…": buttons and links of the page, not while one types.
(function () {
  "use strict";

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (event.target.matches("input, select, textarea, [contenteditable]")) return;
    const wanted = document.querySelector(`[data-key="${CSS.escape(event.key.toLowerCase())}"]`);
    if (!wanted || wanted.closest(".htmx-request")) return;
    event.preventDefault();
    wanted.click();
  });
})();
