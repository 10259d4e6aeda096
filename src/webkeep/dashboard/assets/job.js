// The page of a job, kept up to date: what the service sends takes the place of what is shown (live.js).
"use strict";
const live = document.getElementById("live");
if (live && live.dataset.ended === "no") {
  const stateOf = () => live.querySelector("[data-state]")?.dataset.state;
  const shown = stateOf();
  const events = new EventSource(live.dataset.events);
  events.onmessage = (event) => {
    replaceContent(live, event.data);
    if (stateOf() !== shown) {
      events.close();
      location.reload();
    }
  };
  addEventListener("pagehide", () => events.close());
}
