"""Markup made of values: whatever is text is escaped, because strangers wrote it."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

_VOID_ELEMENTS = frozenset({"input", "link", "meta", "br", "img", "hr"})


class Markup(str):
    """Text that is markup already."""

    __slots__ = ()


def element(tag: str, /, *children: object, **attributes: object) -> Markup:
    """An element; an attribute that is None or False is left out, `class_` stands for `class`."""
    named = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    if tag in _VOID_ELEMENTS:
        return Markup(f"<{tag}{named}>")
    return Markup(f"<{tag}{named}>{join_markup(children)}</{tag}>")


def join_markup(children: object) -> Markup:
    """Children in their order; text among them is escaped, None is nothing."""
    if children is None:
        return Markup("")
    if isinstance(children, Markup):
        return children
    if isinstance(children, str):
        return Markup(escape(show_invisible(children), quote=False))
    if isinstance(children, Iterable):
        return Markup("".join(map(join_markup, children)))
    return Markup(escape(str(children), quote=False))


def show_invisible(text: str) -> str:
    """The text with what would hide or reverse its neighbours shown as a sign of its own."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)
