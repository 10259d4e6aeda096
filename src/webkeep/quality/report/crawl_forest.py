"""The tree by which a capture found its URLs (its spanning tree), for very many of them: depths, and the drawing in
which subtrees without a defect are one node.

Theory of operation. URLs are rows of arrays, some hundred bytes each with their names. What led to a URL (`via`) is
known by name when the URL comes by, and by its row once all have come. Circles of pages that led to each other in
files from elsewhere are cut where they close. Nothing here recurses, so that chains may be of any length.
"""

from __future__ import annotations

import enum
from array import array
from collections.abc import Iterator, Sequence

from webkeep.change.rates import UrlRows
from webkeep.quality.certificates import DefectNode, RevisitColour

_MAX_ROWS = 4_000_000
"""URLs of a tree; what comes behind these has no depth and is not drawn."""
_NO_ROW = -1
"""Stands for the row of what is not there, as `UrlRows` has it."""
_COLOURS: Sequence[RevisitColour] = tuple(RevisitColour)


class ForestMark(enum.IntEnum):
    """What the last capture has of a URL of the tree."""

    HELD = 0
    FAILED = 1
    UNSEEN = 2
    """Only the capture before saw it."""


class CrawlForest:
    """URLs with what led to them."""

    def __init__(self) -> None:
        self._rows = UrlRows(_MAX_ROWS)
        self._names = bytearray()
        self._ends = array("Q")
        self._vias = array("i")
        self._via_numbers: dict[str, int] = {}
        self._colours = bytearray()
        self._marks = bytearray()
        self._parents: array[int] | None = None
        self._depths: array[int] | None = None

    def __len__(self) -> int:
        return len(self._vias)

    def add(
        self, url: str, via: str, colour: RevisitColour = RevisitColour.GREEN, mark: ForestMark = ForestMark.HELD
    ) -> None:
        """Take in a URL that was not there before."""
        row = self._rows.find_or_add_row(url)
        if row != len(self._vias):
            return  # no room left
        self._names += url.encode("utf-8", "surrogatepass")
        self._ends.append(len(self._names))
        self._vias.append(self._via_numbers.setdefault(via, len(self._via_numbers)) if via else _NO_ROW)
        self._colours.append(_COLOURS.index(colour))
        self._marks.append(mark)

    def recolour(self, url: str, colour: RevisitColour) -> None:
        """Give a URL of the tree another colour, as more is known of it."""
        row = self._rows.find_row(url)
        if row != _NO_ROW:
            self._colours[row] = _COLOURS.index(colour)

    def marked_depths(self) -> Iterator[tuple[int, ForestMark]]:
        """The depth of each URL, and what the last capture has of it."""
        return zip(self.depths(), map(ForestMark, self._marks), strict=True)

    def depth_of(self, url: str) -> int | None:
        """How many steps lead to a URL from where the capture began; None for what is not there."""
        row = self._rows.find_row(url)
        return self.depths()[row] if row >= 0 else None

    def depths(self) -> array[int]:
        """How many steps lead to each URL, in the order they came."""
        if self._depths is None:
            depths = array("i", [_NO_ROW]) * len(self)
            for row in range(len(self)):
                self._follow(row, depths)
            self._depths = depths
        return self._depths

    def _follow(self, row: int, depths: array[int]) -> None:
        """Fill in the depths from a row up to one that is known."""
        parents, way, at = self.parents(), [], row
        while at != _NO_ROW and depths[at] == _NO_ROW:
            way.append(at)
            at = parents[at]
        depth = depths[at] if at != _NO_ROW else _NO_ROW
        for each in reversed(way):
            depth += 1
            depths[each] = depth

    def parents(self) -> array[int]:
        """The row that led to each; minus one for where the capture began."""
        if self._parents is None:
            rows = array("i", [_NO_ROW]) * len(self._via_numbers)
            for via, number in self._via_numbers.items():
                rows[number] = self._rows.find_row(via)
            found = array("i", (_NO_ROW if via == _NO_ROW else rows[via] for via in self._vias))
            _cut_circles(found)
            self._parents = found
        return self._parents

    def name(self, row: int) -> str:
        """The URL of a row."""
        start = self._ends[row - 1] if row else 0
        return self._names[start : self._ends[row]].decode("utf-8", "replace")

    def collapse(self) -> Iterator[DefectNode]:
        """The drawing: every page that changed and what leads to it; what hangs below without a change is one node."""
        parents, sizes = self.parents(), self._calm_sizes()
        hidden = array("i", [0]) * len(self)
        for row, parent in enumerate(parents):
            if sizes[row] and parent != _NO_ROW:
                hidden[parent] += sizes[row]
        for row, parent in enumerate(parents):
            if sizes[row] and parent != _NO_ROW:
                continue
            name = self.name(row)
            yield DefectNode(name, _COLOURS[self._colours[row]], 1, self.name(parent) if parent != _NO_ROW else "")
            if hidden[row]:
                yield DefectNode(f"below {name}", RevisitColour.GREEN, hidden[row], name, is_collapsed=True)

    def _calm_sizes(self) -> array[int]:
        """The pages of each subtree without a defect; nought for all others."""
        depths, parents = self.depths(), self.parents()
        sizes = array("i", (int(_COLOURS[colour] is RevisitColour.GREEN) for colour in self._colours))
        order = sorted(range(len(self)), key=depths.__getitem__, reverse=True)
        for row in order:  # a page that is not calm makes what leads to it not calm either
            if not sizes[row] and parents[row] != _NO_ROW:
                sizes[parents[row]] = 0
        for row in order:
            parent = parents[row]
            if sizes[row] and parent != _NO_ROW and sizes[parent]:
                sizes[parent] += sizes[row]
        return sizes


def _cut_circles(parents: array[int]) -> None:
    """Make a forest of it: a page that would lead to itself in the end begins a tree."""
    state = bytearray(len(parents))  # 0 unseen, 1 on the way, 2 safe
    for row in range(len(parents)):
        way, at = [], row
        while at != _NO_ROW and not state[at]:
            state[at] = 1
            way.append(at)
            at = parents[at]
        if at != _NO_ROW and state[at] == 1:
            parents[at] = _NO_ROW
        for each in way:
            state[each] = 2
