"""HTML made of values, as elements, attributes, tables and lists of facts: whatever is text is escaped, because
strangers wrote it (XSS).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from webkeep.presentation.visible_text import escape_controls, escape_controls_in_lines

_VOID_ELEMENTS = frozenset({"input", "link", "meta", "br", "img", "hr"})
_READ_ATTRIBUTES = frozenset({"title", "alt", "placeholder", "aria_label"})
"""Attributes that people read; all others are for the browser, and stay as they are."""


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(tag: str, /, *children: object, **attributes: object) -> Markup:
    """An element; an attribute that is None or False is left out, `class_` stands for `class`."""
    named = "".join(_write_attribute(*each) for each in attributes.items()) if attributes else ""
    if tag in _VOID_ELEMENTS:
        return Markup(f"<{tag}{named}>")
    return Markup(f"<{tag}{named}>{join_markup(children)}</{tag}>")


def _write_attribute(key: str, value: object) -> str:
    if value is None or value is False:
        return ""
    name = key.rstrip("_").replace("_", "-")
    text = escape_controls(str(value)) if key in _READ_ATTRIBUTES else str(value)
    return f" {name}" if value is True else f' {name}="{escape(text)}"'


def join_markup(children: object) -> Markup:
    """Children in their order; text among them is escaped, None is nothing."""
    if children is None:
        return Markup("")
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return escape_text(children)
    if isinstance(children, Iterable):
        return Markup("".join(map(join_markup, children)))
    return Markup(escape(str(children), quote=False))


def escape_text(text: str) -> Markup:
    """Text as markup, with nothing hidden in it."""
    return Markup(escape(escape_controls_in_lines(text), quote=False))


def render_table(
    head: Sequence[object], rows: Iterable[Iterable[object]], class_: str | None = None, caption: str | None = None
) -> Iterator[Markup]:
    """A table piece by piece, which can be pushed sideways where it is too wide for its page.

    A row is the content of its cells, or the whole row as markup.
    """
    named = Markup("") if class_ is None else Markup(f' class="{escape(class_)}"')
    above = element("caption", caption) if caption else ""
    columns = element("thead", render_row(head, "th")) if head else ""
    yield Markup(f'<div class="scroll" tabindex="0"><table{named}>{above}{columns}<tbody>\n')
    for row in rows:
        yield row if isinstance(row, Markup) else render_row(row)
    yield Markup("</tbody></table></div>\n")


def render_row(cells: Iterable[object], tag: str = "td") -> Markup:
    """A row of a table; a cell that is markup of a cell already stands as it is."""
    return Markup(f"<tr>{''.join(_render_cell(each, tag) for each in cells)}</tr>\n")


def _render_cell(cell: object, tag: str) -> str:
    inner = join_markup(cell)
    tag = tag if inner else "td"  # a heading that says nothing is none
    return inner if inner.startswith(("<td", "<th")) else f"<{tag}>{inner}</{tag}>"


def render_facts(facts: Iterable[tuple[str, object]]) -> Markup:
    """Names and what is to be said of each; what has no value is left out."""
    lines = ((element("dt", name), element("dd", value)) for name, value in facts if value)
    return element("dl", lines)
