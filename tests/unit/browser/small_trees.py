"""Trees written by hand: nested tuples of a tag, attributes and children, with numbers given in document order."""

from typing import Any

from webkeep.browser.tree import DOCUMENT, ELEMENT, TEXT, Box, Frame, Node, Tree

SHOWN = ("none", "auto", "visible", "none", "none", "none", "normal")


class Planter:
    """Makes trees whose nodes are numbered by `key` attributes or in the order of planting."""

    def __init__(self, first: int = 1) -> None:
        self._next = first

    def tree(self, *children: Any, url: str = "http://site.test/", height: float = 500) -> Tree:
        nodes: dict[int, Node] = {}
        root = self._take()
        held = tuple(self._plant(child, root, nodes) for child in children)
        nodes[root] = Node(root, 0, DOCUMENT, "#document", "", (), held)
        return Tree(nodes, (Frame(root, url, url, "A page", 1280, height),))

    def _take(self) -> int:
        self._next += 1
        return self._next - 1

    def _plant(self, what: Any, parent: int, nodes: dict[int, Node]) -> int:
        number = self._take()
        if isinstance(what, str):
            nodes[number] = Node(number, parent, TEXT, "#text", what, (), (), styles=SHOWN, box=Box(0, 0, 10, 10))
            return number
        name, attributes, *children = what
        extra = {key[1:]: value for key, value in attributes.items() if key.startswith("_")}
        pairs = [word for key, value in attributes.items() if not key.startswith("_") for word in (key, value)]
        held = tuple(self._plant(child, number, nodes) for child in children)
        box = None if extra.pop("unseen", False) else Box(0, 0, extra.pop("width", 10), extra.pop("height", 10))
        styles = (SHOWN[0], extra.pop("cursor", SHOWN[1]), *SHOWN[2:])
        nodes[number] = Node(number, parent, ELEMENT, name, "", tuple(pairs), held, styles=styles, box=box, **extra)
        return number


def tree(*children: Any, **more: Any) -> Tree:
    return Planter().tree(*children, **more)


def by_id(planted: Tree, name: str) -> Node:
    return next(node for node in planted.nodes.values() if node.get("id") == name)
