"""Which of several answers to one URL is meant: a page that asks for it again gets the next one that was recorded.

What is loaded bit by bit under one URL differs from answer to answer. The shim counts how often a page asks for each
URL, and says so from the second time on.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from webkeep.replay.choosing import capture_of
from webkeep.replay.collection import Found
from webkeep.replay.looking import Looker
from webkeep.replay.message import Request

HEADER = "webkeep-occurrence"
_MOST = 1000
_UNMODIFIED = 304
_OF_PARTS = frozenset({206, 416})
"""What is asked for in parts is one thing, however often that is."""


def occurrence_for(looker: Looker, found: Found, request: Request) -> Found:
    """The n-th answer of the capture that a version is from, or its last; the version itself where nothing is said."""
    text = request.headers.get(HEADER, "")
    if not (text.isascii() and text.isdigit() and len(text) < 4) or int(text) < 2 or "range" in request.headers:
        return found
    same = list(islice(_of_same_capture(looker, found), int(text)))
    return same[-1] if same else found


def _of_same_capture(looker: Looker, found: Found) -> Iterator[Found]:
    capture, latest = capture_of(found), found
    for each in islice(looker.visible(found.entry.key), _MOST):
        is_same = each.archive is found.archive and each.entry.url == found.entry.url
        if is_same and each.entry.status not in _OF_PARTS and capture_of(each) == capture:
            # What was not modified was once more what came before it.
            latest = latest if each.entry.status == _UNMODIFIED else each
            yield latest
