"""Which of several answers to one URL is meant: a page that asks for it again gets the next one that the same capture
recorded, by the header webkeep-occurrence that the shim sends.

What is loaded bit by bit under one URL differs from answer to answer. The shim counts how often a page asks for each
URL, and says so from the second time on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from webkeep.formats.status import NOT_MODIFIED, PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE
from webkeep.replay.choice.coherent_choice import capture_of
from webkeep.replay.choice.collection import Memento
from webkeep.replay.choice.memento_lookup import MementoLookup
from webkeep.replay.server.message import Request

OCCURRENCE_HEADER = "webkeep-occurrence"
_MAX_VERSIONS = 1000
"""Looked through for those of the same capture: a URL that was asked for more often in one is served as of the last
of these."""
_RANGE_STATUSES = frozenset({PARTIAL_CONTENT, RANGE_NOT_SATISFIABLE})
"""What is asked for in parts is one thing, however often that is."""


def choose_occurrence(lookup: MementoLookup, found: Memento, request: Request) -> Memento:
    """The n-th answer of the capture that a version is from, or its last; the version itself where nothing is said."""
    text = request.headers.get(OCCURRENCE_HEADER, "")
    if not (text.isascii() and text.isdigit() and len(text) < 4) or int(text) < 2 or "range" in request.headers:
        return found
    same = list(islice(_of_same_capture(lookup, found), int(text)))
    return same[-1] if same else found


def _of_same_capture(lookup: MementoLookup, found: Memento) -> Iterator[Memento]:
    capture, latest = capture_of(found), found
    for each in islice(lookup.visible_versions(found.entry.key), _MAX_VERSIONS):
        is_same = each.archive is found.archive and each.entry.url == found.entry.url
        if is_same and each.entry.status not in _RANGE_STATUSES and capture_of(each) == capture:
            # What was not modified was once more what came before it.
            latest = latest if each.entry.status == NOT_MODIFIED else each
            yield latest
