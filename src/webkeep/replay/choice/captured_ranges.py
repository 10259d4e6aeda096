"""Bodies that were captured in parts (206): which version holds the bytes that a client asks for by Range; a whole body
goes before any part.
"""

from __future__ import annotations

from itertools import islice

from webkeep.formats.http import parse_content_range, parse_requested_range
from webkeep.formats.status import OK, PARTIAL_CONTENT
from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.url import surt

_MAX_PARTS = 256
"""Versions of one URL that are looked through for the bytes asked for."""


def choose_range(lookup: MementoLookup, query: MementoQuery, found: Memento, range_field: str) -> Memento:
    """The version that holds what is asked for, in place of a part that does not; the whole body before any part."""
    if found.entry.status != PARTIAL_CONTENT:
        return found
    versions = lookup.visible_versions(surt(query.url))
    same = [each for each in islice(versions, _MAX_PARTS) if each.entry.url == found.entry.url]
    nearest = sorted(same, key=lambda each: abs(each.entry.moment.micros - query.moment.micros))
    answered = [each for each in nearest if lookup.matches_method(each, query)]
    whole = next((each for each in answered if each.entry.status == OK), None)
    if whole is not None or not range_field:
        return whole or found
    return next((each for each in answered if _covers_range(each, range_field)), found)


def _covers_range(found: Memento, range_field: str) -> bool:
    """Whether a captured part begins no later than what is asked for, and goes on far enough."""
    asked = parse_requested_range(range_field)
    head = found.read().head
    held = parse_content_range(head.headers.get("content-range")) if head is not None else None
    if asked is None or held is None:
        return False
    if asked.first is None:
        total = held.last + 1 if held.length is None else held.length
        return held.first <= max(total - (asked.last or 0), 0) and held.last + 1 == total
    return held.first <= asked.first <= held.last and (
        asked.last is None or asked.last <= held.last or held.reaches_end
    )
