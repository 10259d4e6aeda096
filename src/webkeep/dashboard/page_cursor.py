"""Cursors: where a list that is told in pieces goes on, as text that programs hand back as it is."""

from __future__ import annotations

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from webkeep.errors import UsageError
from webkeep.formats import read_json
from webkeep.model import Moment

DEFAULT_LISTED_ROWS = 100
"""Things in one piece of a list where nobody said how many."""
_MAX_LISTED_ROWS = 1000
"""More are asked for in several pieces, each of them within moments."""
_MAX_CURSOR_CHARS = 20_000
"""Of the longest key with a URL in it, four thirds as long in base64."""
_WRONG = "that cursor is none; hand on the one that came with the piece before, or leave it out"

_Listed = TypeVar("_Listed")


def check_limit(limit: int) -> int:
    """How many things to tell."""
    if not 1 <= limit <= _MAX_LISTED_ROWS:
        raise UsageError(f"limit is from 1 to {_MAX_LISTED_ROWS}, and not {limit}")
    return limit


def write_cursor(*keys: str | int) -> str:
    """What a list goes on behind."""
    return base64.urlsafe_b64encode(json.dumps(keys, separators=(",", ":")).encode()).decode().rstrip("=")


def read_cursor(text: str, kinds: Sequence[type]) -> list[Any] | None:
    """The keys of a cursor, of such types; None for the empty one, which is the beginning."""
    if not text:
        return None
    try:
        packed = base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)) if len(text) <= _MAX_CURSOR_CHARS else b""
    except (binascii.Error, ValueError) as error:
        raise UsageError(_WRONG) from error
    keys = read_json(packed)
    if not isinstance(keys, list) or [type(each) for each in keys] != list(kinds):
        raise UsageError(_WRONG)
    return keys


def read_moment_cursor(text: str) -> tuple[Moment, str] | None:
    """The moment and the name that a list goes on behind."""
    keys = read_cursor(text, (int, str))
    return None if keys is None else (Moment(keys[0]), keys[1])


def cut_piece(
    found: Sequence[_Listed], limit: int, cursor_of: Callable[[_Listed], str]
) -> tuple[Sequence[_Listed], str | None]:
    """So many of what was found, one more of which was asked for; and the cursor of the rest, where there is any."""
    if len(found) <= limit:
        return found, None
    return found[:limit], cursor_of(found[limit - 1])
