"""Names for elements that hold in every load of a page: CSS selectors from the nearest id on down."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from webkeep.browser.dom.dom_tree import DOCUMENT_NODE, ELEMENT_NODE, DomNode, DomTree

SUBTREE_SEPARATOR = " >>> "
"""Stands where the way goes into a frame or a shadow tree."""
_PLAIN_ID = re.compile(r"-?[A-Za-z_][\w-]*\Z")
_ROOT_NAME = "html"


@dataclass(frozen=True, slots=True)
class ElementNames:
    """The elements of a tree by name, and their names."""

    by_name: dict[str, int]
    by_node: dict[int, str]


def name_elements(tree: DomTree) -> ElementNames:
    """Give every element its name."""
    ids = _unique_ids(tree)
    names: dict[int, str] = {}
    for node in tree.walk():
        if node.type == ELEMENT_NODE:
            names.setdefault(node.id, _ROOT_NAME)
            _name_children(tree, node, names, ids)
        elif node.type == DOCUMENT_NODE:
            _name_roots(tree, node, names)
    return ElementNames({name: number for number, name in names.items()}, names)


def _name_roots(tree: DomTree, document: DomNode, names: dict[int, str]) -> None:
    prefix = names.get(document.parent, "")
    for child in document.children:
        node = tree.nodes.get(child)
        if node is not None and node.type == ELEMENT_NODE:
            names[child] = f"{prefix}{SUBTREE_SEPARATOR}{node.name}" if prefix else node.name


def _name_children(tree: DomTree, parent: DomNode, names: dict[int, str], ids: set[int]) -> None:
    counts: Counter[tuple[str, bool]] = Counter()
    above = names[parent.id]
    for child in parent.children:
        node = tree.nodes.get(child)
        if node is None or node.type != ELEMENT_NODE:
            continue
        inside = _is_shadow_top(parent, node)
        counts[node.name, inside] += 1
        if child in ids:
            scope = above.rpartition(SUBTREE_SEPARATOR)[0]
            name = f"#{node.get('id')}"
            names[child] = (
                f"{above}{SUBTREE_SEPARATOR}{name}"
                if inside
                else f"{scope}{SUBTREE_SEPARATOR}{name}"
                if scope
                else name
            )
        else:
            step = f"{node.name}:nth-of-type({counts[node.name, inside]})"
            names[child] = f"{above}{SUBTREE_SEPARATOR}{step}" if inside else f"{above} > {step}"


def _is_shadow_top(parent: DomNode, child: DomNode) -> bool:
    """Whether a child is at the top of its parent's shadow tree.

    Chromium does not say which of the children of an element in a shadow tree are its light ones; elements of a name
    that only custom elements can have are taken to show their shadow trees.
    """
    return bool(child.shadow) and (not parent.shadow or "-" in parent.name)


def _unique_ids(tree: DomTree) -> set[int]:
    """The elements that can be named by their id: alone with it on the page, and plainly written."""
    holders: dict[str, list[int]] = {}
    for node in tree.nodes.values():
        if node.type == ELEMENT_NODE and (name := node.get("id")) and _PLAIN_ID.match(name):
            holders.setdefault(name, []).append(node.id)
    return {numbers[0] for numbers in holders.values() if len(numbers) == 1}
