// The server sends the settings anew after some choices. What a person types or presses meanwhile is kept:
// typed values are put into the new form, a pressed button is pressed again once that form is ready.
(function () {
  "use strict";

  const panel = document.getElementById("settings");
  let request = null; // under way, its answer will replace the form
  let sent = new Map(); // the form's values as they left with it
  let pressed = ""; // the button that sent it
  let held = ""; // the button pressed since
  let form = 0; // counts the forms: an estimate asked of an earlier one has no place in the present one

  function fields() {
    return Array.from(panel.querySelectorAll("input:not([type=hidden]), select, textarea")).filter((field) => field.name);
  }

  function value(field) {
    return field.type === "checkbox" || field.type === "radio" ? field.checked : field.value;
  }

  function key(field) {
    return field.type === "radio" || field.type === "checkbox" ? `${field.name}=${field.value}` : field.name;
  }

  function values() {
    return new Map(fields().map((field) => [key(field), value(field)]));
  }

  function put(field, wanted) {
    if (field.type === "checkbox" || field.type === "radio") field.checked = wanted;
    else field.value = wanted;
    if (value(field) !== wanted) return; // an option that is no longer offered
    field.dispatchEvent(new Event("input", { bubbles: true }));
    field.dispatchEvent(new Event("change", { bubbles: true }));
  }

  function name(button) {
    return [button.name, button.value, button.getAttribute("formaction"), button.textContent.trim()].join("|");
  }

  function concerns(event) {
    return event.detail.target === panel;
  }

  // Enter in a name saves under it; the form's own button would start a run.
  panel.addEventListener("keydown", (event) => {
    const joined = event.key === "Enter" && event.target.matches(".joined > input") && event.target.parentElement;
    if (!joined) return;
    event.preventDefault();
    joined.querySelector("button").click();
  });

  panel.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!request || !button || button.type !== "submit") return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (name(button) !== pressed) held = name(button); // the same again is a double click
  }, true);

  // A form that comes between pressing a button and letting it go takes the button away: the browser sees no click.
  let down = null;
  panel.addEventListener("mousedown", (event) => {
    down = event.button === 0 ? event.target.closest("button") : null;
  });
  panel.addEventListener("mouseup", () => {
    if (down && !down.isConnected) {
      held = name(down);
      if (!request) press();
    }
    down = null;
  });

  // What a run would cost comes with a new form anyway.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (event.target.id !== "estimate") return;
    if (request) event.preventDefault();
    event.target.dataset.form = String(form);
  });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const asked = event.detail.requestConfig.elt;
    if (asked.id === "estimate" && asked.dataset.form !== String(form)) event.detail.shouldSwap = false;
  });

  document.addEventListener("htmx:beforeRequest", (event) => {
    if (!concerns(event)) return;
    form += 1;
    request = event.detail.xhr;
    sent = values();
    const button = event.detail.requestConfig.triggeringEvent?.submitter || event.target.closest("button");
    pressed = button ? name(button) : "";
  });

  let typed = [];
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (!concerns(event)) return;
    typed = Array.from(values()).filter(([field, now]) => sent.has(field) && sent.get(field) !== now);
  });
  document.addEventListener("htmx:afterSwap", (event) => {
    if (!concerns(event)) return;
    const present = new Map(fields().map((field) => [key(field), field]));
    typed.splice(0).forEach(([field, wanted]) => { if (present.has(field)) put(present.get(field), wanted); });
  });
  document.addEventListener("htmx:afterSettle", (event) => {
    if (!concerns(event) || event.detail.xhr !== request) return; // a value put back has sent another: its end frees
    request = null;
    press();
  });

  // An answer that changes nothing (the server failed, another request took its place) frees the buttons too.
  document.addEventListener("htmx:afterRequest", (event) => {
    if (!concerns(event) || event.detail.xhr !== request || event.detail.xhr.status === 422 || event.detail.successful) return;
    request = null;
    held = "";
  });

  function press() {
    if (!held) return;
    const button = Array.from(panel.querySelectorAll("button")).find((each) => name(each) === held);
    held = "";
    if (button) button.click();
  }
})();
