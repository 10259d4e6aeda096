"""Drawings that a script paints: a tree that can be moved and zoomed, points in a cube that can be turned. The values
lie beside them in the page as JSON; the script is one for all of them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from webkeep.presentation.pages.markup import Markup, element
from webkeep.presentation.visible_text import escape_json_controls


@cache
def read_canvas_script() -> str:
    """The script that paints them."""
    return (files("webkeep.presentation.drawings") / "script" / "canvas.js").read_text("utf-8")


def render_tree_canvas(title: str, values: Mapping[str, object], *caption: object) -> Markup:
    """A tree: what each node hangs from by number (minus one for roots), their colours by number, sizes and names."""
    buttons = _render_buttons((("in", "Zoom in"), ("out", "Zoom out"), ("all", "All of it")))
    return _render_canvas("canvas-tree", title, values, buttons, caption)


def render_scatter_canvas(title: str, values: Mapping[str, object], *caption: object) -> Markup:
    """Points: the names of groups and directories, and each point as numbers of both, of a colour, and a name."""
    buttons = _render_buttons((("cube", "In a cube"), ("flat", "Flat")), pressed="cube")
    return _render_canvas("canvas-scatter", title, values, buttons, caption)


def _render_buttons(named: Sequence[tuple[str, str]], pressed: str = "") -> Markup:
    """Buttons of which one may be pressed at a time, where one is."""
    states = {name: str(name == pressed).lower() if pressed else None for name, _ in named}
    return element(
        "p",
        [element("button", words, type="button", value=name, aria_pressed=states[name]) for name, words in named],
        class_="tools",
    )


def _render_canvas(
    kind: str, title: str, values: Mapping[str, object], buttons: Markup, caption: Sequence[object]
) -> Markup:
    return element(
        "figure",
        buttons,
        element("canvas", role="img", tabindex="0", aria_label=title),
        element("output", class_="pointed"),
        element("figcaption", caption),
        Markup(f'<script type="application/json">{embed_json(values)}</script>'),
        class_=f"full {kind}",
    )


def embed_json(values: object) -> str:
    """JSON that ends no element of the page, whatever strangers put into it."""
    text = json.dumps(values, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace").decode("utf-8")
    return escape_json_controls(text).replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")
