"""The text of a named field: what readers will find of it once it is written."""

from __future__ import annotations

_LINE_ENDS = str.maketrans("\r\n", "  ")


def field_text(text: str) -> str:
    """The text on one line, without blanks around it, and such that UTF-8 can spell it."""
    if text.isascii() and text.isprintable() and text[:1] != " " and text[-1:] != " ":
        return text
    return text.translate(_LINE_ENDS).strip().encode("utf-8", "replace").decode("utf-8")


def target_text(url: str) -> str:
    """A target URI as a field's text, without the angle brackets that readers take off."""
    text = field_text(url)
    while text.startswith("<") and text.endswith(">"):
        text = text[1:-1].strip()
    return text
