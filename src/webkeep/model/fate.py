"""Fates: what became of a URL that a capture came across, and why: stored, duplicate, refused (as by robots.txt), out
of scope, failed, cut by a limit, trapped, queued or taken down.
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class UrlOutcome(enum.StrEnum):
    """The ways a URL can end in a capture."""

    STORED = "stored"
    DUPLICATE = "duplicate"
    REFUSED = "refused"
    OUT_OF_SCOPE = "out-of-scope"
    FAILED = "failed"
    CUT = "cut"
    TRAPPED = "trapped"
    QUEUED = "queued"
    TAKEN_DOWN = "taken-down"


STORED_OUTCOMES = frozenset({UrlOutcome.STORED, UrlOutcome.DUPLICATE})
"""An answer is in the archive, as itself or as a reference to the same content."""


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of one URL, and why."""

    url: str
    outcome: UrlOutcome
    reason: str = ""
    via: str = ""
