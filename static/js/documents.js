// Documents: files may be dropped on the upload box, a selection becomes evidence, slow requests say so.
(function () {
  "use strict";

  document.querySelectorAll("[data-dropzone]").forEach((zone) => {
    const input = zone.querySelector("input[type=file]");
    const names = zone.querySelector("[data-file-names]");
    const hint = zone.querySelector("[data-dropzone-hint]");
    hint.hidden = false;

    function list() {
      names.replaceChildren(...[...input.files].slice(0, 8).map((file) => {
        const item = document.createElement("li");
        item.textContent = file.name;
        return item;
      }));
      if (input.files.length > 8) {
        const more = document.createElement("li");
        more.textContent = `and ${input.files.length - 8} more`;
        names.append(more);
      }
      hint.hidden = input.files.length > 0;
    }

    input.addEventListener("change", list);
    ["dragenter", "dragover"].forEach((name) => zone.addEventListener(name, (event) => {
      event.preventDefault();
      zone.classList.add("dropzone-over");
    }));
    ["dragleave", "drop"].forEach((name) => zone.addEventListener(name, () => zone.classList.remove("dropzone-over")));
    zone.addEventListener("drop", (event) => {
      event.preventDefault();
      if (!event.dataTransfer.files.length) return;
      input.files = event.dataTransfer.files;
      list();
    });
  });

  // "Add question" takes the text that is selected along as evidence.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("[data-quote-selection]");
    if (!link) return;
    const address = new URL(link.href);
    const selection = window.getSelection();
    const quote = selection.toString().trim().slice(0, 1500);
    const node = selection.rangeCount ? selection.getRangeAt(0).startContainer : null;
    const chunk = node && (node.nodeType === Node.ELEMENT_NODE ? node : node.parentElement).closest(".chunk");
    address.searchParams.delete("quote");
    address.searchParams.delete("near");
    if (quote && chunk) {
      address.searchParams.set("quote", quote);
      address.searchParams.set("near", chunk.dataset.start);
    }
    link.href = address;
  });

  document.addEventListener("submit", (event) => {
    const scope = event.target.closest("section, form");
    const wait = scope && scope.querySelector("[data-wait]");
    if (wait) wait.hidden = false;
  });
  // A page that comes back from the browser's own cache is not waiting any more.
  window.addEventListener("pageshow", () => {
    document.querySelectorAll("[data-wait]").forEach((wait) => { wait.hidden = true; });
  });
})();
