// A browser that is shown: the next picture is asked for when the last one is there, and what is done goes back in its order.
"use strict";
const shown = document.getElementById("shown");
const view = document.getElementById("view");
const picture = document.getElementById("picture");
const address = document.getElementById("address");
const told = document.getElementById("told");
const typing = document.getElementById("typing");
const dialog = document.getElementById("dialog");
const headers = { "Content-Type": "application/json", "X-CSRF-Token": shown.dataset.token };
const MOVE_MS = 60;
const RETRY_MS = 1000;
let seen = { number: 0, width: 0, height: 0 };
let isOver = false;
let failures = 0;
let notice = "";

// ---- what is done ----
let waiting = [];
let isSending = false;
async function send() {
  if (isSending) return;
  isSending = true;
  while (waiting.length && !isOver) {
    const inputs = waiting.splice(0, 100);
    try {
      const answer = await fetch(`${shown.dataset.path}/input`, { method: "POST", headers, body: JSON.stringify({ inputs }) });
      if (!answer.ok) notice = (await answer.json().catch(() => ({}))).error || "That was not done.";
      else if (inputs.some((each) => each.kind === "go")) notice = "";
    } catch { notice = "The service does not answer."; }
    tell();
  }
  isSending = false;
}
function act(input) {
  const last = waiting[waiting.length - 1];
  if (last && last.kind === "move" && input.kind === "move") waiting[waiting.length - 1] = input;
  else if (waiting.length < 1000) waiting.push(input);
  send();
}
const modifiersOf = (event) => (event.altKey ? 1 : 0) | (event.ctrlKey ? 2 : 0) | (event.metaKey ? 4 : 0) | (event.shiftKey ? 8 : 0);
function placeOf(event) {
  const box = picture.getBoundingClientRect();
  const x = Math.round((event.clientX - box.left) * (seen.width / (box.width || 1)));
  const y = Math.round((event.clientY - box.top) * (seen.height / (box.height || 1)));
  return { x: Math.min(Math.max(x, 0), seen.width), y: Math.min(Math.max(y, 0), seen.height) };
}
const mouse = (kind, event) => act({ kind, ...placeOf(event), button: event.button > 0 ? event.button : 0, buttons: event.buttons, clicks: event.detail || 1, modifiers: modifiersOf(event) });
let lastMove = 0;
picture.addEventListener("pointermove", (event) => {
  if (event.timeStamp - lastMove < MOVE_MS) return;
  lastMove = event.timeStamp;
  mouse("move", event);
});
view.addEventListener("mousedown", (event) => { event.preventDefault(); view.focus(); mouse("down", event); });
view.addEventListener("mouseup", (event) => mouse("up", event));
view.addEventListener("contextmenu", (event) => event.preventDefault());
view.addEventListener("wheel", (event) => {
  event.preventDefault();
  act({ kind: "wheel", ...placeOf(event), dx: Math.round(event.deltaX), dy: Math.round(event.deltaY), modifiers: modifiersOf(event) });
}, { passive: false });
function key(kind, event) {
  if (event.key === "F6") { if (kind === "keydown") (event.shiftKey ? address : typing).focus(); event.preventDefault(); return; }
  const isPaste = (event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v";
  if (isPaste || event.isComposing || event.key === "Unidentified" || event.key.length > 32) return;
  event.preventDefault();
  act({ kind, key: event.key, code: event.code, number: event.keyCode, modifiers: modifiersOf(event) });
}
view.addEventListener("keydown", (event) => key("keydown", event));
view.addEventListener("keyup", (event) => key("keyup", event));
view.addEventListener("paste", (event) => {
  event.preventDefault();
  const text = event.clipboardData.getData("text/plain");
  if (text) act({ kind: "text", text: text.slice(0, 100000) });
});
typing.addEventListener("input", (event) => {
  if (event.isComposing) return;
  if (typing.value) act({ kind: "text", text: typing.value.slice(0, 100000) });
  typing.value = "";
});
typing.addEventListener("compositionend", () => { if (typing.value) act({ kind: "text", text: typing.value }); typing.value = ""; });
typing.addEventListener("keydown", (event) => {
  if (!["Enter", "Backspace", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "Escape"].includes(event.key)) return;
  event.preventDefault();
  for (const kind of ["keydown", "keyup"]) act({ kind, key: event.key, code: event.code || event.key, number: event.keyCode, modifiers: 0 });
});
document.getElementById("address-form").addEventListener("submit", (event) => {
  event.preventDefault();
  act({ kind: "go", url: address.value });
  view.focus();
});
for (const button of shown.querySelectorAll("[data-does]")) button.addEventListener("click", () => act({ kind: button.dataset.does }));

// ---- its size ----
const phone = document.getElementById("phone");
function tellSize() {
  const width = phone.checked ? 390 : view.parentElement.clientWidth;
  const height = phone.checked ? 780 : Math.max(360, Math.round(innerHeight * 0.72));
  act({ kind: "size", width: Math.round(width), height, phone: phone.checked });
}
let sizing = 0;
addEventListener("resize", () => { clearTimeout(sizing); sizing = setTimeout(tellSize, 300); });
phone.addEventListener("change", tellSize);

// ---- what a page asks ----
const value = document.getElementById("dialog-value");
function answer(accept) { act({ kind: "answer", accept, text: value.value }); dialog.hidden = true; view.focus(); }
document.getElementById("dialog-form").addEventListener("submit", (event) => { event.preventDefault(); answer(true); });
document.getElementById("dialog-no").addEventListener("click", () => answer(false));
dialog.addEventListener("keydown", (event) => { if (event.key === "Escape") answer(false); });
function showDialog(asked) {
  if (!asked) { dialog.hidden = true; return; }
  if (!dialog.hidden) return;
  document.getElementById("dialog-text").textContent = `The page says: ${asked.text}`;
  document.getElementById("dialog-field").hidden = asked.kind !== "prompt";
  document.getElementById("dialog-no").hidden = asked.kind === "alert";
  value.value = asked.value;
  dialog.hidden = false;
  (asked.kind === "prompt" ? value : dialog.querySelector("button")).focus();
}

// ---- what is to be seen ----
function tell(text = "") {
  const said = isOver ? text : notice || text;
  if (said !== told.textContent) told.textContent = said;
}
function show(answer) {
  if (answer.counts !== undefined) {
    const counts = document.getElementById("counts");
    if (counts && counts.textContent !== answer.counts) counts.textContent = answer.counts;
  }
  if (answer.number === undefined) { tell(answer.waits ? `${answer.waits}.` : ""); return; }
  if (!seen.number) tellSize();
  seen = { number: answer.number, width: answer.width, height: answer.height };
  if (answer.picture) picture.src = `data:image/jpeg;base64,${answer.picture}`;
  if (document.activeElement !== address) address.value = answer.url;
  view.dataset.url = answer.url;
  view.dataset.drawn = answer.picture ? "yes" : "no";
  showDialog(answer.dialog);
  tell(answer.notice || "");
}
function finish(reason) {
  isOver = true;
  view.dataset.ended = "yes";
  picture.removeAttribute("src");
  tell(`It is over: ${reason}`);
}
async function look() {
  while (!isOver) {
    try {
      const answer = await fetch(`${shown.dataset.path}/view?after=${seen.number}`);
      if (answer.status === 404 || answer.status === 401 || answer.status === 403 || answer.redirected) { finish("you are shown it no more."); return; }
      const values = await answer.json();
      failures = 0;
      if (values.error) { tell(values.error); await new Promise((done) => setTimeout(done, RETRY_MS)); continue; }
      if (values.ended) { finish(values.ended); return; }
      show(values);
    } catch {
      failures += 1;
      tell("The service does not answer; it is tried again.");
      if (failures > 30) { finish("the service does not answer."); return; }
      await new Promise((done) => setTimeout(done, RETRY_MS));
    }
  }
}
for (const form of document.querySelectorAll("[data-ends]")) form.addEventListener("submit", () => { isLeaving = true; });
let isLeaving = false;
addEventListener("pagehide", () => {
  if (isOver || isLeaving) return;
  const form = new FormData();
  form.set("csrf_token", shown.dataset.token);
  form.set("leaving", "yes");
  navigator.sendBeacon(`${shown.dataset.path}/end`, form);
});
look();
