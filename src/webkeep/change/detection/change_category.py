"""Kinds of change of a page, by what a reader would make of them (minor, major, structural by links, removed), the
colours they are shown in, and whether a page is static, churns or scrolls.
"""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.change.detection.edit_distance import edit_share
from webkeep.change.detection.page_comparison import ChangeOutcome

MAJOR_EDIT_SHARE = 0.1
"""The share of words from which on a change of the text is a large one."""
_WORD = re.compile(r"\w+")


class ChangeCategory(enum.StrEnum):
    """What kind of change happened to a page."""

    NONE = "none"
    MINOR = "minor"
    """Small edits of the text."""
    MAJOR = "major"
    """Large parts of the text added or deleted."""
    STRUCTURAL = "structural"
    """Links added or deleted."""
    REMOVED = "removed"


class ChangeColour(enum.StrEnum):
    """How changes are shown."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"
    BLACK = "black"


COLOUR_BY_CATEGORY = {
    ChangeCategory.NONE: ChangeColour.GREEN,
    ChangeCategory.MINOR: ChangeColour.YELLOW,
    ChangeCategory.MAJOR: ChangeColour.YELLOW,
    ChangeCategory.STRUCTURAL: ChangeColour.RED,
    ChangeCategory.REMOVED: ChangeColour.BLACK,
}


@dataclass(frozen=True, slots=True)
class PageVersion:
    """What a page said and where it led."""

    text: str
    links: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class PageDifference:
    """How two versions of a page differ."""

    category: ChangeCategory
    edited: float = 0.0
    """The share of words that were put in or taken out."""
    links_added: int = 0
    links_deleted: int = 0

    @property
    def colour(self) -> ChangeColour:
        """How it is shown."""
        return COLOUR_BY_CATEGORY[self.category]


def classify_change(change: ChangeOutcome, before: PageVersion | None, after: PageVersion | None) -> PageDifference:
    """How a page changed, in the light of what it was judged to have done.

    Links count before text: a page whose links changed leads elsewhere, whatever else it says.
    """
    if change is ChangeOutcome.REMOVED:
        return PageDifference(ChangeCategory.REMOVED)
    if change is ChangeOutcome.UNCHANGED or before is None or after is None:
        return PageDifference(ChangeCategory.NONE if change is ChangeOutcome.UNCHANGED else ChangeCategory.MAJOR)
    added, deleted = len(after.links - before.links), len(before.links - after.links)
    edited = edit_share(_split_words(before.text), _split_words(after.text))
    category = ChangeCategory.MAJOR if edited >= MAJOR_EDIT_SHARE else ChangeCategory.MINOR
    return PageDifference(ChangeCategory.STRUCTURAL if added or deleted else category, edited, added, deleted)


def _split_words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class ChangeBehaviour(enum.StrEnum):
    """What a page does with its content in the course of time."""

    STATIC = "static"
    CHURN = "churn"
    """It overwrites: what is new is gone by the next change."""
    SCROLL = "scroll"
    """It adds: what is new stays for some time."""


def classify_behaviour(versions: Iterable[frozenset[str]]) -> ChangeBehaviour:
    """What a page does, by the shingles of its versions in their order; two versions alone are churn."""
    distinct: list[frozenset[str]] = []
    for version in versions:
        if not distinct or version != distinct[-1]:
            distinct.append(version)
    if len(distinct) < 2:
        return ChangeBehaviour.STATIC
    appeared = stayed = 0
    for before, new, after in zip(distinct, distinct[1:], distinct[2:], strict=False):
        fresh = new - before
        appeared += len(fresh)
        stayed += len(fresh & after)
    return ChangeBehaviour.SCROLL if 2 * stayed > appeared else ChangeBehaviour.CHURN
