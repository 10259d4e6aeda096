"""JSON with its links renamed (URL rewriting): in which strings the references stand that were found in it, and which
addresses of import maps are renamed though they are no links.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from webkeep.extract.links import LinkReference, LinkRole, is_absolute_address
from webkeep.rewrite.link_escaping import escape_json_string
from webkeep.rewrite.link_renaming import ReferenceRenamer
from webkeep.rewrite.text_edits import TextEdit

_STRING = re.compile(r'"((?:[^"\\\n]++|\\.)*+)"(\s*+:)?+')


class _JsonString(NamedTuple):
    value: str
    start: int
    end: int
    is_name: bool


def json_edits(
    text: str, references: Iterable[LinkReference], renamer: ReferenceRenamer, names: bool = False
) -> list[TextEdit]:
    """What changes in a JSON text for the references that were found in it.

    Readers of formats give references without their places: the strings of the same value are the places, those of
    members' names only if `names` says so.
    """
    edits: list[TextEdit] = []
    by_value: dict[str, str] = {}
    for found in references:
        new = renamer.rename_reference(found)
        if new is None:
            continue
        if found.start >= 0:
            edits.append(TextEdit(found.start, found.end, escape_json_string(new)))
        else:
            by_value.setdefault(found.text, new)
    if by_value:
        edits += [
            TextEdit(string.start, string.end, escape_json_string(by_value[string.value]))
            for string in _find_strings(text)
            if string.value in by_value and (names or not string.is_name)
        ]
    return edits


def import_map_addresses(text: str) -> Iterator[LinkReference]:
    """Whole addresses of an import map that are no links: beginnings of addresses, scopes, names for modules."""
    for string in _find_strings(text):
        if is_absolute_address(string.value):
            yield LinkReference(string.value, LinkRole.EMBED, "html importmap")


def _find_strings(text: str) -> Iterator[_JsonString]:
    for match in _STRING.finditer(text):
        value = match[1]
        if "\\" in value:
            try:
                value = json.loads(f'"{value}"', strict=False)
            except ValueError:
                continue
        yield _JsonString(value, match.start(1), match.end(1), match[2] is not None)
