"""What a page does without being touched: content that changes, such as clocks and carousels, and requests that repeat,
such as polling.
"""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.browser.dom.dom_tree import ELEMENT_NODE, DomTree
from webkeep.browser.dom.element_names import ElementNames, name_elements
from webkeep.browser.dom.tree_overlay import changed_nodes
from webkeep.browser.resource_identity import url_shape
from webkeep.browser.walk_model import PageRequest

_POLLING_ROLES = frozenset({"Fetch", "XHR", "EventSource", "Ping", "Other"})
_MOST_OF_PAGE_SHARE = 0.5
"""An element with more of all nodes than this is the page, and not a part of it that changes."""


@dataclass(frozen=True, slots=True)
class SelfActivity:
    """What is known of a page's own doings."""

    volatile: frozenset[str] = frozenset()
    """Targets whose content changes."""
    ambient: frozenset[PageRequest] = frozenset()
    """Requests seen while nothing was done."""
    shapes: frozenset[str] = frozenset()
    """The shapes of the URLs that are polled."""

    def is_own(self, request: PageRequest) -> bool:
        """Whether the page makes such requests anyway."""
        return request in self.ambient or (request.role in _POLLING_ROLES and url_shape(request.url) in self.shapes)

    def volatile_nodes(self, targets: ElementNames) -> frozenset[int]:
        """The volatile elements of a tree."""
        return frozenset(targets.by_name[name] for name in self.volatile if name in targets.by_name)


def observe_activity(trees: tuple[DomTree, ...], asked: tuple[PageRequest, ...]) -> SelfActivity:
    """Read it off looks at an untouched page: what changes in the last interval is volatile."""
    targets = name_elements(trees[0])
    volatile = changing_elements(trees[-2], trees[-1])
    shapes = frozenset(url_shape(each.url) for each in asked if each.role in _POLLING_ROLES)
    names = frozenset(targets.by_node[number] for number in volatile if number in targets.by_node)
    return SelfActivity(names, frozenset(asked), shapes)


def changing_elements(before: DomTree, after: DomTree) -> set[int]:
    """The elements, known before, in which something changes; not the ones that hold most of the page."""
    found = set()
    for number, node in changed_nodes(before, after).items():
        if number not in before.nodes:
            continue
        holder = node if node.type == ELEMENT_NODE else before.nodes.get(node.parent)
        if holder is not None and holder.type == ELEMENT_NODE and not _holds_most(before, holder.id):
            found.add(holder.id)
    return found


def _holds_most(tree: DomTree, number: int) -> bool:
    size = sum(1 for _ in tree.walk(number))
    return size > _MOST_OF_PAGE_SHARE * len(tree.nodes) and size > 8
