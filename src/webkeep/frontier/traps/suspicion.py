"""Suspicions: the kinds of crawler trap, which are the ways in which a site can have more URLs than pages."""

from __future__ import annotations

import enum
from typing import NamedTuple


class TrapKind(enum.StrEnum):
    """What a URL looks like."""

    SESSION = "session id"
    PERMUTATION = "query in another order"
    CALENDAR = "calendar"
    CHAIN = "numbers without end"
    COMBINATION = "combinations of parameters"
    REPETITION = "repeating path"
    DEEP = "very deep path"
    LONG = "very long address"
    SAME_CONTENT = "same content"
    REDIRECTS = "endless redirects"
    SITEMAPS = "sitemaps without end"
    GUESS = "wrong guesses"


class TrapSuspicion(NamedTuple):
    """A URL looks like one of too many."""

    kind: TrapKind
    shape: str
    """What it has in common with the others."""
