// What is kept up to date in pages: it takes the place of what is shown, and who reads or moves in it by keyboard stays
// where they are. Lists of which something waits or runs are asked for again by themselves, while somebody looks: a page that
// nobody moved in for a while asks no more, so that sessions end as they should.
"use strict";
const REFRESH_MS = 5000, IDLE_MS = 30 * 60 * 1000;
let lastMoved = Date.now();
for (const kind of ["pointermove", "pointerdown", "keydown", "wheel"]) addEventListener(kind, () => { lastMoved = Date.now(); }, { passive: true });
const placesIn = (part) => [...part.querySelectorAll("a, [tabindex]")].map((each) => [each.ariaLabel || each.href, each]);
function replaceContent(part, content) {
  const before = new Map(placesIn(part).map(([name, each]) => [name, [each.scrollLeft, each.scrollTop, each === document.activeElement]]));
  part.innerHTML = content;
  for (const [name, each] of placesIn(part)) {
    const [left, top, hadFocus] = before.get(name) || [0, 0, false];
    each.scrollTo(left, top);
    if (hadFocus) each.focus({ preventScroll: true });
  }
}
const movingParts = () => [...document.querySelectorAll("[data-moving=yes]")];
async function refreshParts() {
  if (document.visibilityState === "visible" && Date.now() - lastMoved < IDLE_MS) {
    const answer = await fetch(location.href).catch(() => null);
    if (answer && (!answer.ok || answer.redirected)) return;
    const page = answer && new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const part of page ? movingParts() : []) {
      const next = page.getElementById(part.id);
      if (!next) continue;
      replaceContent(part, next.innerHTML);
      part.dataset.moving = next.dataset.moving;
    }
  }
  if (movingParts().length) setTimeout(refreshParts, REFRESH_MS);
}
if (movingParts().length) setTimeout(refreshParts, REFRESH_MS);
