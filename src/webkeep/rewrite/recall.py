"""Recall: what became of tags that were met before, as most tags of a site are on many of its pages.

Theory of operation. What becomes of a tag depends on its source, on what relative addresses begin with, and on where
the page stands. So tags are remembered by their source, for one origin or one directory as their addresses need it;
and not with the new addresses but with their goals, to which every page has its own way. A tag of which more comes than
this (a note of something missing, a name that hangs on the page) is not remembered.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from typing import Self

from webkeep.extract import Reference
from webkeep.extract.link import new_tuple
from webkeep.rewrite.edits import LIFTED
from webkeep.rewrite.splicing import Edit

Goal = tuple[str, str]
"""Where an address leads among the renamed documents: a folder, and the rest of the address below it."""
Known = tuple[int, tuple[tuple[int, int, str | None, str], ...]]
"""What is known of a tag: how many addresses in it lead to goals, and what changes: stretches, counted from its start,
each with folder and rest of the goal of its new address, or with None and what is written there."""

_LONGEST = 400
_MOST = 20_000
_UNCHANGED: list[Known] = [(ways, ()) for ways in range(4)]
"""What is known of most tags, and need not be kept for each."""
_WEB = ("http:", "https:", "HTTP:", "HTTPS:")


class Way(str):
    """A new address that leads to a goal, and to the same from elsewhere by another way."""

    __slots__ = ("goal",)
    goal: Goal

    @classmethod
    def to(cls, goal: Goal, way: str) -> Self:
        """The address of a goal, as a page writes it that has this way to the goal's folder."""
        new = cls(way + goal[1])
        new.goal = goal
        return new


class Reach(enum.IntEnum):
    """Where the same tag comes to the same goals."""

    ORIGIN = 0
    DIRECTORY = 1
    PAGE = 2


def reach_of(found: Reference, new: str | None) -> Reach:
    """How far what became of a reference holds; None stands for one that is left."""
    text = found.text
    if found.base or found.source[:6] == "script" or (new is not None and type(new) is not Way):
        return Reach.PAGE
    if text[:1] == "/" or text.startswith(_WEB):
        return Reach.ORIGIN
    return Reach.DIRECTORY if text[:1].isalnum() or text[:1] == "." else Reach.PAGE


class TagMemory:
    """Tags of many pages, as many as there is room for."""

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._size = 0
        self._places: dict[str, dict[str, Known]] = {}

    def at(self, place: str) -> dict[str, Known]:
        """The tags that are known for an origin or a directory."""
        return self._places.setdefault(place, {})

    def grow(self) -> None:
        """Count one more tag; where there are too many all are forgotten."""
        self._size += 1
        if self._size > self._most:
            for known in self._places.values():
                known.clear()
            self._places.clear()
            self._size = 0


class Recall:
    """What one page knows of its tags."""

    __slots__ = ("_memory", "directory", "met", "origin", "ways")

    def __init__(self, memory: TagMemory, url: str, folder: str, ways: Mapping[str, str]) -> None:
        """The page at a URL, which is to be in a folder, from which these ways lead to others."""
        path = url.partition("?")[0]
        self._memory = memory
        self.origin = memory.at("/".join(path.split("/", 3)[:3]))
        self.directory = memory.at(f"{path[: path.rfind('/') + 1]} {folder}")
        self.ways = ways
        self.met = 0
        """How many addresses that lead to goals were recalled and not worked out."""

    def learn(self, tag: str, at: int, edits: Iterable[Edit], ways: int, reach: Reach) -> None:
        """Remember what changes in a tag that stands at a place, if it is the same elsewhere."""
        if reach is Reach.PAGE or len(tag) > _LONGEST or not tag.isascii():
            return
        changes: list[tuple[int, int, str | None, str]] = []
        for start, end, text in edits:
            if not isinstance(text, Way) and text != LIFTED:
                return
            folder, rest = text.goal if isinstance(text, Way) else (None, LIFTED)
            changes.append((start - at, end - at, folder, rest))
        known = (ways, tuple(changes)) if changes or ways >= len(_UNCHANGED) else _UNCHANGED[ways]
        (self.origin if reach is Reach.ORIGIN else self.directory)[tag] = known
        self._memory.grow()

    def recalled(self, known: Known, at: int) -> list[Edit]:
        """What changes in a known tag that stands at a place."""
        met, changes = known
        self.met += met
        ways = self.ways
        return [
            new_tuple(Edit, (at + start, at + end, rest if folder is None else ways[folder] + rest))
            for start, end, folder, rest in changes
        ]
