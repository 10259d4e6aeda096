"""Text and pictures for the report of a recovery."""

from __future__ import annotations

import html
from collections.abc import Mapping

from webkeep.recover.report.site_difference import DifferenceVector, diagram_rings

STYLE = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --paper: #fdfdfb; --line: #d9dcd6; --bar: #3b6ea5;
  --hole: #fdfdfb; --dark: #3c4b5c; --light: #9db8d4; --crust: #e0a458; --good: #2b7a3d; --bad: #b3261e }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e1; --soft: #a2a9b0; --paper: #16181b; --line: #363b40;
  --bar: #7aa7d9; --hole: #16181b; --dark: #4e6278; --light: #a9c2dc; --crust: #d9a15c; --good: #6fc283;
  --bad: #ff8a80 } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 68rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.9rem; margin: 0 } h2 { margin: 2.2rem 0 .5rem; font-size: 1.25rem }
.headline { font-size: 1.25rem; border-left: 4px solid var(--good); padding-left: .8rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere }
th { color: var(--soft); font-weight: 600 } .list { font-size: .85rem } figure { margin: 0; max-width: 40rem }
figcaption, small { color: var(--soft); font-size: .9rem } svg { width: 100%; height: auto }
svg text { fill: var(--soft); font: 11px system-ui, sans-serif } .bar { fill: var(--bar) }
.hole { fill: var(--hole); stroke: var(--line) } .dark { fill: var(--dark) } .light { fill: var(--light) }
.crust { fill: var(--crust) } footer { margin-top: 3rem; color: var(--soft) }
@media print { body { max-width: none; margin: 0 } h2 { break-after: avoid } }
"""


_MAX_BAR_WIDTH = 80


def escape_text(text: str) -> str:
    """Text that anybody may have written, safe to stand in a page and to be read."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return html.escape(text)


def table_row(*cells: str, tag: str = "td") -> str:
    """A row of a table, of cells that are HTML already."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"


def render_bar_chart(counts: Mapping[str, int], what: str) -> str:
    """A chart of bars, one for each name in order."""
    if not counts:
        return ""
    most, width, height = max(counts.values()), 640, 160
    step = min(width / len(counts), _MAX_BAR_WIDTH)
    drawn = [f'<figure><svg viewBox="0 0 {width} {height + 34}" role="img" aria-label="{escape_text(what)}">']
    for place, (name, count) in enumerate(counts.items()):
        tall = count / most * height
        left = place * step
        drawn.append(
            f'<rect class="bar" x="{left + step * 0.1:.1f}" y="{height + 14 - tall:.1f}" width="{step * 0.8:.1f}" '
            f'height="{tall:.1f}"><title>{escape_text(name)}: {count:,}</title></rect>'
            f'<text x="{left + step / 2:.1f}" y="{height + 30}" text-anchor="middle">{escape_text(name)}</text>'
            f'<text x="{left + step / 2:.1f}" y="{height + 10 - tall:.1f}" text-anchor="middle">{count:,}</text>'
        )
    return "".join(drawn) + f"</svg><figcaption>{escape_text(what)}</figcaption></figure>\n"


def render_reconstruction_diagram(vector: DifferenceVector) -> str:
    """The reconstruction diagram: a hole for what is missing, dark for what changed, a crust for what was added."""
    radii = diagram_rings(vector)
    circles = [("crust", radii.added), ("light", radii.identical), ("dark", radii.changed), ("hole", radii.missing)]
    drawn = "".join(f'<circle class="{name}" r="{100 * radius:.2f}"></circle>' for name, radius in circles if radius)
    edge = round(100 * radii.added) + 3
    words = (
        f"missing {vector.missing:.1%} (hole), changed {vector.changed:.1%} (dark), added {vector.added:.1%} (crust)"
    )
    return (
        f'<figure style="max-width:16rem"><svg viewBox="{-edge} {-edge} {2 * edge} {2 * edge}" role="img" '
        f'aria-label="{escape_text(words)}">{drawn}</svg><figcaption>{escape_text(words)}</figcaption></figure>\n'
    )
