"""What a page does without being touched: content that changes, requests that repeat, things that come late."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.browser.overlay import touched
from webkeep.browser.resources import shape_of
from webkeep.browser.targets import Targets, name_elements
from webkeep.browser.tree import ELEMENT, Tree
from webkeep.browser.values import Asking

_POLLED = frozenset({"Fetch", "XHR", "EventSource", "Ping", "Other"})
_LARGE = 0.5


@dataclass(frozen=True, slots=True)
class Unrest:
    """What is known of a page's own doings."""

    volatile: frozenset[str] = frozenset()
    """Targets whose content changes."""
    ambient: frozenset[Asking] = frozenset()
    """Requests seen while nothing was done."""
    shapes: frozenset[str] = frozenset()
    """The shapes of the URLs that are polled."""

    def is_own(self, asking: Asking) -> bool:
        """Whether the page makes such requests anyway."""
        return asking in self.ambient or (asking.role in _POLLED and shape_of(asking.url) in self.shapes)

    def nodes(self, targets: Targets) -> frozenset[int]:
        """The volatile elements of a tree."""
        return frozenset(targets.by_name[name] for name in self.volatile if name in targets.by_name)


def unrest(trees: tuple[Tree, ...], asked: tuple[Asking, ...]) -> Unrest:
    """Read it off looks at an untouched page: what changes in the last interval is volatile."""
    targets = name_elements(trees[0])
    volatile = changing(trees[-2], trees[-1])
    shapes = frozenset(shape_of(each.url) for each in asked if each.role in _POLLED)
    names = frozenset(targets.by_node[number] for number in volatile if number in targets.by_node)
    return Unrest(names, frozenset(asked), shapes)


def changing(before: Tree, after: Tree) -> set[int]:
    """The elements, known before, in which something changes; not the ones that hold most of the page."""
    found = set()
    for number, node in touched(before, after).items():
        if number not in before.nodes:
            continue
        holder = node if node.type == ELEMENT else before.nodes.get(node.parent)
        if holder is not None and holder.type == ELEMENT and not _is_most(before, holder.id):
            found.add(holder.id)
    return found


def _is_most(tree: Tree, number: int) -> bool:
    size = sum(1 for _ in tree.walk(number))
    return size > _LARGE * len(tree.nodes) and size > 8
