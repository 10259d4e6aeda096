"""Addresses in HTML that lead somewhere and are no links, such as the action of a form sent by POST or a codebase: a
crawl does not ask for them, a reader's click may.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.extract.links import LinkReference, LinkRole

_UNFOLLOWED_METHODS = frozenset(("post", "dialog"))
_ADDRESS_ATTRIBUTES = {
    "form": ("action", LinkRole.NAVIGATE),
    "button": ("formaction", LinkRole.NAVIGATE),
    "input": ("formaction", LinkRole.NAVIGATE),
    "object": ("codebase", LinkRole.EMBED),
    "applet": ("codebase", LinkRole.EMBED),
}


def unlinked_references(name: str, attributes: Mapping[str, str]) -> Iterator[LinkReference]:
    """The addresses of an element beside its links; all are guesses."""
    attribute, role = _ADDRESS_ATTRIBUTES.get(name, ("", LinkRole.NAVIGATE))
    address = attributes.get(attribute, "")
    if not address:
        return
    if role is LinkRole.EMBED:
        is_linked = attributes.get("classid", "").strip().lower().startswith("clsid:")
    else:
        is_linked = (
            attributes.get(f"{attribute.removesuffix('action')}method", "").strip().lower() not in _UNFOLLOWED_METHODS
        )
    if not is_linked:
        yield LinkReference(address, role, f"html {name}[{attribute}]", True, attribute)
