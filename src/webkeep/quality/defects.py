"""The coherence-defect graph: the tree of a capture with its changed pages, and subtrees without any drawn as one.

Green pages stayed as they were; yellow ones changed in content, red ones in where they lead; black ones were gone.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass


class Colour(enum.StrEnum):
    """What became of a page from its visit to its revisit."""

    GREEN = "unchanged"
    YELLOW = "content changed"
    RED = "links changed"
    BLACK = "missing"


@dataclass(frozen=True, slots=True)
class Drawn:
    """One node of the drawing: a page, or pages without a defect that are drawn as one."""

    name: str
    colour: Colour
    pages: int = 1
    parent: str = ""
    """The node it hangs from; "" for a root."""
    is_collapsed: bool = False


def collapsed(parents: Mapping[str, str], colours: Mapping[str, Colour], per_subtree: bool = False) -> Iterator[Drawn]:
    """The drawing of a forest: `parents` names the page that led to each, "" or an unknown one for roots.

    What hangs without a defect from one page is drawn as one node, or (`per_subtree`) each subtree as its own. The
    pages that are drawn, and those in collapsed nodes, are all pages.
    """
    children = _children(parents)
    order = list(_top_down(children))
    sizes: dict[str, int] = {}
    """The pages of a subtree, for those without a defect."""
    for page in reversed(order):
        below = children.get(page, [])
        if colours[page] is Colour.GREEN and all(child in sizes for child in below):
            sizes[page] = 1 + sum(sizes[child] for child in below)
    for page in order:
        parent = parents[page] if parents[page] in parents else ""
        is_root = not parent
        if page in sizes and not is_root:
            continue
        yield Drawn(page, colours[page], 1, parent)
        calm = [child for child in children.get(page, []) if child in sizes]
        if calm and per_subtree:
            yield from (Drawn(child, Colour.GREEN, sizes[child], page, is_collapsed=True) for child in calm)
        elif calm:
            yield Drawn(f"below {page}", Colour.GREEN, sum(sizes[child] for child in calm), page, is_collapsed=True)


def _children(parents: Mapping[str, str]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {"": []}
    for page, parent in parents.items():
        children.setdefault(parent if parent in parents else "", []).append(page)
    return children


def _top_down(children: Mapping[str, list[str]]) -> Iterator[str]:
    """Every page after the one that led to it, however deep they lie."""
    waiting = list(reversed(children[""]))
    while waiting:
        page = waiting.pop()
        yield page
        waiting += reversed(children.get(page, []))


@dataclass(frozen=True, slots=True)
class AreaCounts:
    """How the pages of a capture stand to those of the one before it."""

    new: int = 0
    deleted: int = 0
    same: int = 0
    changed: int = 0

    @property
    def total(self) -> int:
        """All pages of either capture."""
        return self.new + self.deleted + self.same + self.changed


def area_counts(before: Mapping[str, object], after: Mapping[str, object]) -> AreaCounts:
    """The counts by URL and whatever tells one content from another.

    `new + same + changed` are the pages after, `deleted + same + changed` those before.
    """
    kept = before.keys() & after.keys()
    same = sum(before[url] == after[url] for url in kept)
    return AreaCounts(len(after) - len(kept), len(before) - len(kept), same, len(kept) - same)


def area_series(captures: Iterable[Mapping[str, object]]) -> Iterator[AreaCounts]:
    """The counts of each capture of a series against the one before it; all pages of the first are new."""
    before: Mapping[str, object] = {}
    for after in captures:
        yield area_counts(before, after)
        before = after
