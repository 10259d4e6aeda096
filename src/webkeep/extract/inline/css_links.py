"""Links of style sheets and style attributes: all that CSS names is embedded, each by the construct that names it."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.document import find_css_references
from webkeep.extract.links.link import LinkReference, LinkRole


def style_references(text: str, attribute: str = "") -> Iterator[LinkReference]:
    """The references of a style sheet or of a style attribute."""
    for found in find_css_references(text):
        yield LinkReference(
            found.text, LinkRole.EMBED, f"css {found.construct}", False, attribute, found.start, found.end
        )
