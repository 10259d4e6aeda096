"""Text for HTML pages: escaped, and with every character shown that could hide or turn around what is read."""

from __future__ import annotations

import html

# The style of the pages that certificates are shown on.

STYLE_SHEET = """
:root { color-scheme: light dark; --ink: #1b1f24; --soft: #5b6570; --paper: #fdfdfb; --line: #d9dcd6; --band: #e3efe4;
  --good: #2b7a3d; --bad: #b3261e; --gone: #4a4a4a; --new: #8a5a00; --once: #5a6b8c; --open: #7b4aa0 }
@media (prefers-color-scheme: dark) { :root { --ink: #e6e6e1; --soft: #a2a9b0; --paper: #16181b; --line: #363b40;
  --band: #1f3325; --good: #6fc283; --bad: #ff8a80; --gone: #b5b5b5; --new: #e3b45c; --once: #93a9d6;
  --open: #c9a0ea } }
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); max-width: 68rem;
  margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.9rem; margin: 0 } h2 { margin: 2.2rem 0 .5rem; font-size: 1.25rem }
.headline { font-size: 1.25rem; border-left: 4px solid var(--good); padding-left: .8rem }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem } dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .25rem .6rem .25rem 0; border-bottom: 1px solid var(--line) }
th { color: var(--soft); font-weight: 600 } .wide { overflow-x: auto }
.list { font-size: .85rem } .list td:nth-child(-n+3) { white-space: nowrap }
.list td:nth-child(4) { min-width: 14rem } .list td:nth-child(5) { overflow-wrap: anywhere; min-width: 18rem }
code { font-size: .85em } small, .count { color: var(--soft) } figure { margin: 0 } figcaption { font-size: .9rem }
svg { width: 100%; height: auto; border: 1px solid var(--line) } svg line, svg path { stroke-width: 1.6; fill: none }
svg text { fill: var(--soft); font: 12px system-ui, sans-serif } .accord { fill: var(--band) }
.reference { stroke: var(--soft); stroke-dasharray: 4 3 } .key { font-weight: 600 }
.coherent, .apex { color: var(--good) } .changed { color: var(--bad) } .vanished { color: var(--gone) }
.appeared { color: var(--new) } .once { color: var(--once) } .undecided, .unanswered { color: var(--open) }
svg g line, svg g path { stroke: currentColor } svg g circle { fill: currentColor }
footer { margin-top: 3rem; color: var(--soft) }
@media print { body { max-width: none; margin: 0 } h2 { break-after: avoid } }
"""


def escape_visible(text: str) -> str:
    """Text that anybody may have written, safe to stand in an HTML page and to be read."""
    if not text.isprintable():
        text = "".join(char if char.isprintable() else f"\\u{ord(char):04x}" for char in text)
    return html.escape(text)


def render_row(*cells: str, tag: str = "td") -> str:
    """A row of a table, of cells that are HTML already."""
    return "<tr>" + "".join(f"<{tag}>{cell}</{tag}>" for cell in cells) + "</tr>\n"
