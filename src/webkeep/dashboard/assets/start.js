// The start page: what a capture would mean is looked up as soon as an address stands there, and shown as it comes in;
// a file that is sent is told by how much of it is there.
"use strict";
const form = document.getElementById("start"), panel = document.getElementById("preview");
if (form && panel) {
  const PAUSE_MS = 900, POLL_MS = 700;
  const url = form.elements.namedItem("url");
  let turn = 0, timer = 0, asked = "";
  const described = () => {
    const data = new FormData(form);
    data.delete("submission");
    return new URLSearchParams(data).toString();
  };
  const looksWhole = (text) => /^(https?:\/\/)?([^\s\/.]+\.)+[^\s\/.]{2,}(\/|$|:|\?)|^https?:\/\/[^\s\/]+\/?/i.test(text.trim());
  const take = async (mine, answer) => {
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (mine !== turn) return;
    const found = page.getElementById("preview") || page.querySelector(".message");
    panel.innerHTML = found ? found.innerHTML : "";
    if (found && found.dataset.over === "no") timer = setTimeout(() => poll(mine, answer.url), POLL_MS);
  };
  const tell = (mine, words) => { if (mine === turn) panel.textContent = words; };
  const poll = (mine, where) => fetch(where).then((answer) => take(mine, answer), () => tell(mine, "The service gives no answer."));
  const look = () => {
    clearTimeout(timer);
    const now = described();
    if (now === asked || !looksWhole(url.value)) return;
    asked = now;
    const mine = ++turn, body = new URLSearchParams(now);
    body.set("submission", crypto.randomUUID ? crypto.randomUUID() : String(Math.random()));
    tell(mine, "Looking …");
    fetch(form.dataset.previews, {method: "POST", body}).then((answer) => take(mine, answer), () => tell(mine, "The service gives no answer."));
  };
  const later = () => { clearTimeout(timer); timer = setTimeout(look, PAUSE_MS); };
  form.addEventListener("input", (event) => { if (event.target.name !== "collection") later(); });
  form.addEventListener("change", (event) => { if (event.target.name !== "collection") later(); });
  url.addEventListener("paste", () => setTimeout(look, 0));
  if (panel.dataset.over === "no") poll(++turn, location.href);
  else if (url.value && !panel.querySelector(".outlook")) look();
}
const bring = document.getElementById("bring");
if (bring) {
  const bar = bring.querySelector("progress"), button = bring.querySelector("button"), told = bring.querySelector("[role=status]");
  const end = (words) => { bar.hidden = true; button.disabled = false; told.textContent = words; };
  bring.addEventListener("submit", (event) => {
    event.preventDefault();
    const request = new XMLHttpRequest(), body = new FormData(bring);
    bar.hidden = false;
    button.disabled = true;
    told.textContent = "";
    request.upload.addEventListener("progress", (sent) => { if (sent.lengthComputable) bar.value = sent.loaded / sent.total; });
    request.addEventListener("error", () => end("The file did not arrive; send it again."));
    request.addEventListener("load", () => {
      const page = new DOMParser().parseFromString(request.responseText, "text/html").querySelector("main");
      if (request.status < 400 && request.responseURL === bring.action && page) {
        document.querySelector("main").replaceWith(page);
        page.querySelector("h1").tabIndex = -1;
        page.querySelector("h1").focus();
        return;
      }
      if (request.status < 400) { location.assign(request.responseURL); return; }
      end(page ? page.innerText.trim().replace(/\s+/g, " ") : "That did not work");
    });
    request.open("POST", bring.action);
    request.send(body);
  });
}
