"""Header fields with their links renamed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from webkeep.extract import Reference, Role
from webkeep.extract.base import Base
from webkeep.extract.headers import header_references
from webkeep.extract.refresh import refresh_stretch
from webkeep.model import Headers
from webkeep.rewrite.renaming import Joiner, Renaming
from webkeep.rewrite.spelling import plain_address
from webkeep.rewrite.splicing import Edit, spliced

# What is quoted is text, whatever it looks like.
_BRACKETED = re.compile(r'<([^<>]*+)>|"(?:[^"\\]++|\\.)*+"?')
_QUOTED = re.compile(r'"([^"]*)"')


def rewrite_field(name: str, value: str, url: str, renaming: Renaming) -> str:
    """The value of a header field with its links renamed; as it is where the field has none."""
    joiner = Joiner(renaming, Base(url))
    found = {each.text: each for each in header_references(Headers(((name, value),)))}
    key = name.lower()
    if key == "link":
        # What is not to be asked for, as hosts to connect to, is renamed nonetheless.
        for start, end in _bracketed(value):
            text = value[start:end]
            found.setdefault(text, Reference(text, Role.NAVIGATE, "http Link", True))
    if key == "link" or (key == "uri" and "<" in value):
        return spliced(value, bracketed_edits(value, found, joiner))
    if key == "refresh":
        stretch = refresh_stretch(value)
        return spliced(value, _edits(value, [stretch] if stretch else [], found, joiner))
    if key == "speculation-rules":
        return spliced(value, _edits(value, [match.span(1) for match in _QUOTED.finditer(value)], found, joiner))
    return spliced(value, _edits(value, [(0, len(value))], found, joiner))


def bracketed_edits(text: str, found: Mapping[str, Reference], joiner: Joiner) -> list[Edit]:
    """What changes in text whose addresses stand in angle brackets."""
    return _edits(text, _bracketed(text), found, joiner)


def _bracketed(text: str) -> list[tuple[int, int]]:
    return [match.span(1) for match in _BRACKETED.finditer(text) if match[1] is not None]


def _edits(
    text: str, stretches: Iterable[tuple[int, int]], found: Mapping[str, Reference], joiner: Joiner
) -> list[Edit]:
    edits = []
    for start, end in stretches:
        reference = found.get(text[start:end])
        new = joiner.renamed(reference) if reference is not None else None
        if new is not None:
            edits.append(Edit(start, end, plain_address(new)))
    return edits
