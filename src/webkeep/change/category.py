"""Kinds of change, by what a reader would make of them, and the colours they are shown in."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable
from dataclasses import dataclass

from webkeep.change.edits import edited_share
from webkeep.change.verdict import Change

LARGE = 0.1
"""The share of words from which on a change of the text is a large one."""
_WORD = re.compile(r"\w+")


class Category(enum.StrEnum):
    """What kind of change happened to a page."""

    NONE = "none"
    MINOR = "minor"
    """Small edits of the text."""
    MAJOR = "major"
    """Large parts of the text added or deleted."""
    STRUCTURAL = "structural"
    """Links added or deleted."""
    REMOVED = "removed"


class Colour(enum.StrEnum):
    """How changes are shown."""

    GREEN = "green"
    YELLOW = "yellow"
    RED = "red"
    BLACK = "black"


COLOURS = {
    Category.NONE: Colour.GREEN,
    Category.MINOR: Colour.YELLOW,
    Category.MAJOR: Colour.YELLOW,
    Category.STRUCTURAL: Colour.RED,
    Category.REMOVED: Colour.BLACK,
}


@dataclass(frozen=True, slots=True)
class Version:
    """What a page said and where it led."""

    text: str
    links: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Difference:
    """How two versions of a page differ."""

    category: Category
    edited: float = 0.0
    """The share of words that were put in or taken out."""
    links_added: int = 0
    links_deleted: int = 0

    @property
    def colour(self) -> Colour:
        """How it is shown."""
        return COLOURS[self.category]


def difference(change: Change, before: Version | None, after: Version | None) -> Difference:
    """How a page changed, in the light of what it was judged to have done.

    Links count before text: a page whose links changed leads elsewhere, whatever else it says.
    """
    if change is Change.REMOVED:
        return Difference(Category.REMOVED)
    if change is Change.UNCHANGED or before is None or after is None:
        return Difference(Category.NONE if change is Change.UNCHANGED else Category.MAJOR)
    added, deleted = len(after.links - before.links), len(before.links - after.links)
    edited = edited_share(_words(before.text), _words(after.text))
    category = Category.MAJOR if edited >= LARGE else Category.MINOR
    return Difference(Category.STRUCTURAL if added or deleted else category, edited, added, deleted)


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


class Behaviour(enum.StrEnum):
    """What a page does with its content in the course of time."""

    STATIC = "static"
    CHURN = "churn"
    """It overwrites: what is new is gone by the next change."""
    SCROLL = "scroll"
    """It adds: what is new stays for some time."""


def behaviour(versions: Iterable[frozenset[str]]) -> Behaviour:
    """What a page does, by the shingles of its versions in their order; two versions alone are churn."""
    distinct: list[frozenset[str]] = []
    for version in versions:
        if not distinct or version != distinct[-1]:
            distinct.append(version)
    if len(distinct) < 2:
        return Behaviour.STATIC
    appeared = stayed = 0
    for before, new, after in zip(distinct, distinct[1:], distinct[2:], strict=False):
        fresh = new - before
        appeared += len(fresh)
        stayed += len(fresh & after)
    return Behaviour.SCROLL if 2 * stayed > appeared else Behaviour.CHURN
