"""Actions: what a crawl is told to do next: ask for a candidate, wait until a moment, or that nothing is left."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.frontier.urls.candidate import Candidate
from webkeep.model import Moment


@dataclass(frozen=True, slots=True)
class Dispatch:
    """Ask for this now."""

    candidate: Candidate


@dataclass(frozen=True, slots=True)
class WaitUntil:
    """Nothing may be asked for before this moment, unless an answer comes first."""

    moment: Moment


@dataclass(frozen=True, slots=True)
class Drained:
    """Nothing is left to ask for, and nothing is under way."""


Action = Dispatch | WaitUntil | Drained
"""What a crawl is told to do next."""
