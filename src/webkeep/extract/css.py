"""Links of style sheets."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.document import css_references
from webkeep.extract.link import Reference, Role


def style_references(text: str, attribute: str = "") -> Iterator[Reference]:
    """The references of a style sheet or of a style attribute."""
    for found in css_references(text):
        yield Reference(found.text, Role.EMBED, f"css {found.construct}", False, attribute, found.start, found.end)
