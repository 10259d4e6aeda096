// The page of a job, kept up to date: what the service sends takes the place of what is shown, and who reads or
// moves in it by keyboard stays where they are.
"use strict";
const live = document.getElementById("live");
if (live && live.dataset.ended === "no") {
  const stateOf = () => live.querySelector("[data-state]")?.dataset.state;
  const shown = stateOf();
  const events = new EventSource(live.dataset.events);
  const places = () => [...live.querySelectorAll("a, [tabindex]")].map((each) => [each.ariaLabel || each.href, each]);
  const show = (text) => {
    const before = new Map(places().map(([name, each]) => [name, [each.scrollLeft, each.scrollTop, each === document.activeElement]]));
    live.innerHTML = text;
    for (const [name, each] of places()) {
      const [left, top, hadFocus] = before.get(name) || [0, 0, false];
      each.scrollTo(left, top);
      if (hadFocus) each.focus({ preventScroll: true });
    }
  };
  events.onmessage = (event) => {
    show(event.data);
    if (stateOf() !== shown) {
      events.close();
      location.reload();
    }
  };
  addEventListener("pagehide", () => events.close());
}
