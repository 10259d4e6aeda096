"""Addresses in HTML that lead somewhere and are no links: a crawl does not ask for them, a reader's click may."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from webkeep.extract import Reference, Role

_POSTED = frozenset(("post", "dialog"))
_PLACES = {
    "form": ("action", Role.NAVIGATE),
    "button": ("formaction", Role.NAVIGATE),
    "input": ("formaction", Role.NAVIGATE),
    "object": ("codebase", Role.EMBED),
    "applet": ("codebase", Role.EMBED),
}


def unlinked_references(name: str, attributes: Mapping[str, str]) -> Iterator[Reference]:
    """The addresses of an element beside its links; all are guesses."""
    attribute, role = _PLACES.get(name, ("", Role.NAVIGATE))
    address = attributes.get(attribute, "")
    if not address:
        return
    if role is Role.EMBED:
        is_linked = attributes.get("classid", "").strip().lower().startswith("clsid:")
    else:
        is_linked = attributes.get(f"{attribute.removesuffix('action')}method", "").strip().lower() not in _POSTED
    if not is_linked:
        yield Reference(address, role, f"html {name}[{attribute}]", True, attribute)
