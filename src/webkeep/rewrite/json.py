"""JSON with its links renamed: those that stand under the members that mean links, or that look like links."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from webkeep.extract import Reference, Role
from webkeep.extract.guess import is_absolute
from webkeep.rewrite.renaming import Joiner
from webkeep.rewrite.spelling import json_string
from webkeep.rewrite.splicing import Edit

_STRING = re.compile(r'"((?:[^"\\\n]++|\\.)*+)"(\s*+:)?+')


class _String(NamedTuple):
    value: str
    start: int
    end: int
    is_name: bool


def json_edits(text: str, references: Iterable[Reference], joiner: Joiner, names: bool = False) -> list[Edit]:
    """What changes in a JSON text for the references that were found in it.

    Readers of formats give references without their places: the strings of the same value are the places, those of
    members' names only if `names` says so.
    """
    edits: list[Edit] = []
    by_value: dict[str, str] = {}
    for found in references:
        new = joiner.renamed(found)
        if new is None:
            continue
        if found.start >= 0:
            edits.append(Edit(found.start, found.end, json_string(new)))
        else:
            by_value.setdefault(found.text, new)
    if by_value:
        edits += [
            Edit(string.start, string.end, json_string(by_value[string.value]))
            for string in _strings(text)
            if string.value in by_value and (names or not string.is_name)
        ]
    return edits


def import_map_addresses(text: str) -> Iterator[Reference]:
    """Whole addresses of an import map that are no links: beginnings of addresses, scopes, names for modules."""
    for string in _strings(text):
        if is_absolute(string.value):
            yield Reference(string.value, Role.EMBED, "html importmap")


def _strings(text: str) -> Iterator[_String]:
    for match in _STRING.finditer(text):
        value = match[1]
        if "\\" in value:
            try:
                value = json.loads(f'"{value}"', strict=False)
            except ValueError:
                continue
        yield _String(value, match.start(1), match.end(1), match[2] is not None)
