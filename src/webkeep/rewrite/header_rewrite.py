"""Header fields with their links renamed (URL rewriting): where the addresses stand in Link, Refresh,
Speculation-Rules, Location and the like.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from webkeep.extract import header_references
from webkeep.extract.links import LinkBase, LinkReference, LinkRole, refresh_span
from webkeep.model import Headers
from webkeep.rewrite.link_escaping import escape_plain_address
from webkeep.rewrite.link_renaming import LinkRenaming, ReferenceRenamer
from webkeep.rewrite.text_edits import TextEdit, apply_edits

# What is quoted is text, whatever it looks like.
_BRACKETED_ADDRESS = re.compile(r'<([^<>]*+)>|"(?:[^"\\]++|\\.)*+"?')
_QUOTED_ADDRESS = re.compile(r'"([^"]*)"')


def rewrite_field(name: str, value: str, url: str, renaming: LinkRenaming) -> str:
    """The value of a header field with its links renamed; as it is where the field has none."""
    renamer = ReferenceRenamer(renaming, LinkBase(url))
    found = {each.text: each for each in header_references(Headers(((name, value),)))}
    key = name.lower()
    if key == "link":
        # What is not to be asked for, as hosts to connect to, is renamed nonetheless.
        for start, end in _find_bracketed(value):
            text = value[start:end]
            found.setdefault(text, LinkReference(text, LinkRole.NAVIGATE, "http Link", True))
    if key == "link" or (key == "uri" and "<" in value):
        return apply_edits(value, bracketed_edits(value, found, renamer))
    if key == "refresh":
        stretch = refresh_span(value)
        return apply_edits(value, _address_edits(value, [stretch] if stretch else [], found, renamer))
    if key == "speculation-rules":
        return apply_edits(
            value, _address_edits(value, [match.span(1) for match in _QUOTED_ADDRESS.finditer(value)], found, renamer)
        )
    return apply_edits(value, _address_edits(value, [(0, len(value))], found, renamer))


def bracketed_edits(text: str, found: Mapping[str, LinkReference], renamer: ReferenceRenamer) -> list[TextEdit]:
    """What changes in text whose addresses stand in angle brackets."""
    return _address_edits(text, _find_bracketed(text), found, renamer)


def _find_bracketed(text: str) -> list[tuple[int, int]]:
    return [match.span(1) for match in _BRACKETED_ADDRESS.finditer(text) if match[1] is not None]


def _address_edits(
    text: str, stretches: Iterable[tuple[int, int]], found: Mapping[str, LinkReference], renamer: ReferenceRenamer
) -> list[TextEdit]:
    edits = []
    for start, end in stretches:
        reference = found.get(text[start:end])
        new = renamer.rename_reference(reference) if reference is not None else None
        if new is not None:
            edits.append(TextEdit(start, end, escape_plain_address(new)))
    return edits
