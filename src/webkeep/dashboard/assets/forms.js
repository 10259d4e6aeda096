// Forms by which something is begun: whoever comes back to one by the browser's Back finds it under the id that it had
// when it was sent, so that sending the same once more leads to what came of it. After a while it is a new one. What was
// refused has a button that leads back to the form, in which everything still stands.
"use strict";
const KEPT_MS = 10 * 60 * 1000, ID_LENGTH = 16;
const once = [...document.querySelectorAll("form[data-once] input[name=submission]")];
if (once.length) {
  const known = history.state?.submission;
  const isBack = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
  if (isBack && known && Date.now() - known.at < KEPT_MS) {
    for (const field of once) field.value = known.id + field.value.slice(ID_LENGTH);
  } else {
    history.replaceState({ ...history.state, submission: { id: once[0].value.slice(0, ID_LENGTH), at: Date.now() } }, "");
  }
}
const refusal = document.querySelector("main > .message");
if (refusal && history.length > 1) {
  const back = document.createElement("button");
  back.className = "plain";
  back.textContent = "Go back";
  back.addEventListener("click", () => history.back());
  refusal.append(back);
}
