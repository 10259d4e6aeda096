"""Elements that pages are full of: links and pictures whose attributes are addresses, or have none.

What is done here `Page` would do as well, in three times the time.
"""

from __future__ import annotations

import re
from typing import Any

from turbohtml import Element

from webkeep.extract import Reference
from webkeep.extract.attributes import UNLISTED, Grammar, rules_of, source_of
from webkeep.extract.elements import ELEMENTS
from webkeep.extract.link import WHOLE, new_tuple
from webkeep.rewrite.edits import MISSING
from webkeep.rewrite.renaming import Joiner, Missing
from webkeep.rewrite.spelling import attribute as attribute_spelling
from webkeep.rewrite.splicing import Edit
from webkeep.rewrite.tags import Span

VALUE = re.compile(r"""[\s\S][^=]*+=\s*+(["']?)""")
"""An attribute's source up to its value, and the quotes around that."""

_MORE_THAN_PLAIN = frozenset((*ELEMENTS, "iframe", "script"))
_URL = Grammar.URL


def plain_edits(text: str, name: str, attributes: Any, element: Element, joiner: Joiner) -> list[Edit] | None:
    """What changes in an element; None where it takes more than this to tell."""
    if name in _MORE_THAN_PLAIN:
        return None
    rules = rules_of(name)
    edits = []
    for key, value in attributes:
        rule = rules.get(key, UNLISTED)
        if key[:5] == "data-" or (rule is UNLISTED and (key[:2] == "on" or key == "crossorigin")):
            return None
        if rule is None or rule is UNLISTED or not value:
            continue
        grammar, role, source, guess = rule
        if grammar is not _URL:
            return None
        place = source or source_of(rule, name, key)
        new = joiner.renamed(new_tuple(Reference, (value, role, place, guess, key, WHOLE, WHOLE, "")))
        if new is not None:
            where = element.source_location
            span = where.attrs.get(key.lower()) if where is not None else None
            if span is not None:
                edits += address_edits(text, (span[2], span[5]), key, new)
        elif value.lstrip()[:11].lower() == "javascript:":
            return None
    return edits


def address_edits(text: str, span: Span, key: str, new: str, keeps_name: bool = False) -> list[Edit]:
    """The edits that give an attribute in its place a new address; one of nothing is put out of force.

    Where the attribute has to stay, or other names may not have its prefix, it gets an address that brings nothing.
    """
    if type(new) is not Missing:
        return [value_edit(text, *span, new)]
    if keeps_name or ":" in key:
        return [value_edit(text, *span, new.data_address)]
    return [Edit(span[0], span[0], MISSING), value_edit(text, *span, new)]


def value_edit(text: str, start: int, end: int, new: str) -> Edit:
    """The edit that gives an attribute, which stands between two places, a new value."""
    match = VALUE.match(text, start, end)
    begin, quotes = (match.end(), match[1]) if match else (end, "")
    if quotes:
        return Edit(begin, end - 1, attribute_spelling(new, quotes))
    return Edit(begin, end, f'"{attribute_spelling(new, chr(34))}"')
