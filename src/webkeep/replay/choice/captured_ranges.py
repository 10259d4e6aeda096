"""Bodies that were captured in parts: which of them holds the bytes that a client asks for."""

from __future__ import annotations

import re
from itertools import islice

from webkeep.replay.choice.collection import Memento, MementoQuery
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.url import surt

_PARTIAL_CONTENT = 206
_MAX_PARTS = 256
"""Versions of one URL that are looked through for the bytes asked for."""
_RANGE_FIELD = re.compile(r"\s*bytes\s*=\s*([0-9]{0,18})\s*-\s*([0-9]{0,18})\s*", re.IGNORECASE)
_CONTENT_RANGE = re.compile(r"\s*bytes\s+([0-9]{1,18})-([0-9]{1,18})/([0-9]{1,18}|\*)\s*", re.IGNORECASE)


def choose_range(looker: MementoLookup, wish: MementoQuery, found: Memento, range_field: str) -> Memento:
    """The version that holds what is asked for, in place of a part that does not; the whole body before any part."""
    if found.entry.status != _PARTIAL_CONTENT:
        return found
    versions = looker.visible_versions(surt(wish.url))
    same = [each for each in islice(versions, _MAX_PARTS) if each.entry.url == found.entry.url]
    nearest = sorted(same, key=lambda each: abs(each.entry.moment.micros - wish.moment.micros))
    answered = [each for each in nearest if looker.matches_method(each, wish)]
    whole = next((each for each in answered if each.entry.status == 200), None)
    if whole is not None or not range_field:
        return whole or found
    return next((each for each in answered if _covers_range(each, range_field)), found)


def _covers_range(found: Memento, range_field: str) -> bool:
    """Whether a captured part begins no later than what is asked for, and goes on far enough."""
    asked = _RANGE_FIELD.fullmatch(range_field)
    head = found.read().head
    held = _CONTENT_RANGE.fullmatch(head.headers.get("content-range")) if head is not None else None
    if asked is None or held is None:
        return False
    first, last = int(held[1]), int(held[2])
    if not asked[1]:
        total = int(held[3]) if held[3] != "*" else last + 1
        return bool(asked[2]) and first <= max(total - int(asked[2]), 0) and last + 1 == total
    wanted = int(asked[1])
    return first <= wanted <= last and (not asked[2] or int(asked[2]) <= last or held[3] == str(last + 1))
