"""Overlays: whether something lies over a page that was put there to be answered first, such as a question for consent,
and how much of the window it hides.
"""

from __future__ import annotations

from dataclasses import dataclass

LEAST_HIDDEN_PERCENT = 50
"""Banners at an edge hide less; the page is read beside them."""
MAX_OVERLAY_CHARS = 80
"""Of its words, so that people know it again."""
OVERLAY_SCRIPT = """(() => {
  const hidden = new Map(), steps = 8;
  const layer = (node) => {
    for (let each = node; each && each !== document.body; each = each.parentElement)
      if (getComputedStyle(each).position === 'fixed') return each;
    return null;
  };
  const speaks = (node) => node.matches('img,video,canvas,svg,picture') || [...node.childNodes].some(
    (each) => each.nodeType === Node.TEXT_NODE && each.data.trim());
  for (let row = 0; row < steps; row++) for (let column = 0; column < steps; column++) {
    const found = document.elementsFromPoint((column + .5) * innerWidth / steps, (row + .5) * innerHeight / steps);
    const over = found.length ? layer(found[0]) : null;
    if (over) hidden.set(over, (hidden.get(over) || 0) + 1);
  }
  const [over, count] = [...hidden].sort((one, other) => other[1] - one[1])[0] || [null, 0];
  if (!over) return null;
  const behind = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT, (node) =>
    node === over ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
  for (let node = behind.nextNode(); node; node = behind.nextNode()) {
    if (!speaks(node) || layer(node)) continue;
    const box = node.getBoundingClientRect();
    if (box.width && box.height && box.top < innerHeight && box.bottom > 0)
      return [Math.round(100 * count / steps / steps), over.innerText.slice(0, 1000)];
  }
  return null;
})()"""
"""What lies over the window while the page has something to show behind it: how much of it in percent, and its words.
A page that is itself in a fixed box has nothing behind that."""


@dataclass(frozen=True, slots=True)
class WindowOverlay:
    """What lies over a page in its window."""

    percent: int
    text: str

    def describe(self) -> str:
        """The same in words."""
        words = " ".join(self.text.split())
        cut = words if len(words) <= MAX_OVERLAY_CHARS else f"{words[: MAX_OVERLAY_CHARS - 1]}…"
        said = f"“{cut}”" if cut else "something without words"
        return f"{said} lies over {self.percent} % of its window, and hides what is behind it; it was not answered"


def overlay_from_answer(value: object) -> WindowOverlay | None:
    """What the script found; None where nothing hides the page."""
    match value:
        case [int() as percent, str() as text] if percent >= LEAST_HIDDEN_PERCENT:
            return WindowOverlay(percent, text)
    return None
