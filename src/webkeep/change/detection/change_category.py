"""Kinds of change of a page, by what a reader would make of them (removed, structural by links, major, minor,
insignificant, none), what makes a change insignificant, and the colours they are shown in.
"""

from __future__ import annotations

import enum


class ChangeCategory(enum.StrEnum):
    """What kind of change happened to a page, from none to all of it."""

    UNCHANGED = "unchanged"
    INSIGNIFICANT = "insignificant"
    """It differs in nothing that matters: in dates, counters, tokens, advertisements, or in markup that is not seen."""
    MINOR = "minor"
    """Small edits of the text."""
    MAJOR = "major"
    """Large parts of the text added or deleted; or it is no text, and all that is known is that it differs."""
    STRUCTURAL = "structural"
    """Links added or deleted."""
    REMOVED = "removed"
    NEW = "new"
    """It was not there before."""

    @property
    def is_significant(self) -> bool:
        """Whether it is a change that matters."""
        return self not in (ChangeCategory.UNCHANGED, ChangeCategory.INSIGNIFICANT)

    @property
    def colour(self) -> ChangeColour:
        """How it is shown."""
        return _COLOUR_BY_CATEGORY[self]


class NoiseKind(enum.StrEnum):
    """What makes a change insignificant."""

    ADVERTISEMENT = "advertisement"
    DATE = "date"
    COUNTER = "visitor counter"
    SESSION = "session token"
    NONCE = "nonce"
    ORDERING = "ordering"
    """The same parts in another order."""
    MARKUP = "markup"
    """What is seen is the same."""
    VARYING = "varying"
    """Differs whenever it is fetched."""


class ChangeColour(enum.StrEnum):
    """How changes are shown."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"
    BLACK = "black"


_COLOUR_BY_CATEGORY = {
    ChangeCategory.UNCHANGED: ChangeColour.GREEN,
    ChangeCategory.INSIGNIFICANT: ChangeColour.GREEN,
    ChangeCategory.MINOR: ChangeColour.YELLOW,
    ChangeCategory.MAJOR: ChangeColour.YELLOW,
    ChangeCategory.STRUCTURAL: ChangeColour.RED,
    ChangeCategory.REMOVED: ChangeColour.BLACK,
    ChangeCategory.NEW: ChangeColour.RED,
}
