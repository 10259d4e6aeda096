"""Trees written by hand: nested tuples of a tag, attributes and children, with numbers given in document order."""

from typing import Any

from webkeep.browser.dom.dom_tree import (
    DOCUMENT_NODE,
    ELEMENT_NODE,
    TEXT_NODE,
    DomNode,
    DomTree,
    FrameDocument,
    NodeBox,
)

SHOWN = ("none", "auto", "visible", "none", "none", "none", "normal")


class Planter:
    """Makes trees whose nodes are numbered by `key` attributes or in the order of planting."""

    def __init__(self, first: int = 1) -> None:
        self._next = first

    def tree(self, *children: Any, url: str = "http://site.test/", height: float = 500) -> DomTree:
        nodes: dict[int, DomNode] = {}
        root = self._take()
        held = tuple(self._plant(child, root, nodes) for child in children)
        nodes[root] = DomNode(root, 0, DOCUMENT_NODE, "#document", "", (), held)
        return DomTree(nodes, (FrameDocument(root, url, url, "A page", 1280, height),))

    def _take(self) -> int:
        self._next += 1
        return self._next - 1

    def _plant(self, what: Any, parent: int, nodes: dict[int, DomNode]) -> int:
        number = self._take()
        if isinstance(what, str):
            nodes[number] = DomNode(
                number, parent, TEXT_NODE, "#text", what, (), (), styles=SHOWN, box=NodeBox(0, 0, 10, 10)
            )
            return number
        name, attributes, *children = what
        extra = {key[1:]: value for key, value in attributes.items() if key.startswith("_")}
        pairs = [word for key, value in attributes.items() if not key.startswith("_") for word in (key, value)]
        held = tuple(self._plant(child, number, nodes) for child in children)
        box = None if extra.pop("unseen", False) else NodeBox(0, 0, extra.pop("width", 10), extra.pop("height", 10))
        styles = (SHOWN[0], extra.pop("cursor", SHOWN[1]), *SHOWN[2:])
        nodes[number] = DomNode(
            number, parent, ELEMENT_NODE, name, "", tuple(pairs), held, styles=styles, box=box, **extra
        )
        return number


def tree(*children: Any, **more: Any) -> DomTree:
    return Planter().tree(*children, **more)


def by_id(planted: DomTree, name: str) -> DomNode:
    return next(node for node in planted.nodes.values() if node.get("id") == name)
