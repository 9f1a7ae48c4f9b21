// Chat: sends the form by fetch and shows the answer as it streams in. Without this file the form posts a full page.
(function () {
  "use strict";

  const log = document.getElementById("chat-log");
  const pending = document.getElementById("chat-pending");
  if (!log || !pending) return;
  let running = null;

  // The form is replaced when it comes back with errors, so it is looked up each time.
  const composer = () => document.getElementById("chat-composer");
  const field = () => composer().elements.message;

  function busy(on) {
    const form = composer();
    form.querySelector("[type=submit]").hidden = on;
    form.querySelector("[data-chat-stop]").hidden = !on;
  }

  function show(html) {
    const holder = document.createElement("template");
    holder.innerHTML = html.trim();
    return holder.content.firstElementChild;
  }

  function atBottom() {
    return window.innerHeight + window.scrollY >= document.documentElement.scrollHeight - 120;
  }

  function follow(change) {
    const stay = atBottom();
    change();
    if (stay) window.scrollTo({ top: document.documentElement.scrollHeight });
  }

  // One server-sent event: lines "event: name" and "data: JSON", then an empty line.
  function parse(block) {
    const event = { name: "", data: null };
    for (const line of block.split("\n")) {
      if (line.startsWith("event: ")) event.name = line.slice(7);
      if (line.startsWith("data: ")) event.data = JSON.parse(line.slice(6));
    }
    return event;
  }

  async function read(response, take) {
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      blocks.map(parse).forEach(take);
    }
  }

  function fail(article, text) {
    article.removeAttribute("aria-busy");
    article.querySelector(".chat-stage").hidden = true;
    const error = article.querySelector("[data-chat-error]");
    error.textContent = text;
    error.hidden = false;
  }

  function begin(question) {
    const article = pending.content.firstElementChild.cloneNode(true);
    article.querySelector("[data-chat-question]").textContent = question;
    document.querySelectorAll("[data-chat-empty]").forEach((empty) => { empty.hidden = true; });
    log.append(article);
    article.scrollIntoView({ block: "nearest" });
    return article;
  }

  function taker(article) {
    const text = article.querySelector("[data-chat-text]");
    const stage = article.querySelector("[data-chat-stage]");
    return ({ name, data }) => follow(() => {
      if (name === "stage") stage.textContent = data;
      if (name === "piece") { text.append(data); stage.textContent = "Answering"; }
      if (name === "done") { article.replaceWith(show(data)); article.dataset.done = "yes"; }
    });
  }

  async function send(form) {
    const body = new FormData(form);
    const question = String(body.get("message")).trim();
    running = new AbortController();
    busy(true);
    form.querySelectorAll(".field-error").forEach((error) => error.remove());
    const article = begin(question);
    try {
      const response = await fetch(form.dataset.chatStream, { method: "POST", body, signal: running.signal });
      if (response.status === 422) {
        article.remove();
        composer().replaceWith(show(await response.text()));
        ready();
      } else if (!response.ok) {
        fail(article, form.dataset.refused);
      } else {
        field().value = "";
        await read(response, taker(article));
        if (!article.dataset.done) fail(article, form.dataset.lost);
      }
    } catch (error) {
      fail(article, error.name === "AbortError" ? "Stopped." : form.dataset.lost);
    } finally {
      running = null;
      busy(false);
      field().focus();
    }
  }

  function ready() {
    composer().querySelector("[data-chat-hint]").hidden = false;
  }

  document.addEventListener("submit", (event) => {
    if (event.target !== composer()) return;
    event.preventDefault();
    if (!running) send(event.target);
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target === field() && event.key === "Enter" && !event.shiftKey && !event.isComposing;
    if (!typing) return;
    event.preventDefault();
    composer().requestSubmit();
  });
  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-chat-stop]") && running) running.abort();
    const sample = event.target.closest("[data-chat-sample]");
    if (!sample) return;
    event.preventDefault();
    field().value = sample.textContent;
    field().focus();
  });
  ready();
})();
