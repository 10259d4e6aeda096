"""The document as Chromium has it at one moment: every frame and shadow tree, what is drawn and where."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

ELEMENT, TEXT, DOCUMENT = 1, 3, 9
STYLES = (
    "background-image",
    "cursor",
    "visibility",
    "list-style-image",
    "border-image-source",
    "mask-image",
    "content",
)
"""The computed styles that are asked for, in this order."""
CURSOR, VISIBILITY = 1, 2
_OWN = 9
"""How many fields of a node are its own, and not a matter of how it is drawn."""


class Box(NamedTuple):
    """Where a node is drawn, in CSS pixels from the corner of its document."""

    left: float
    top: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """How much of the screen it takes."""
        return self.width * self.height


class Node(NamedTuple):
    """A node, known by Chromium's number for it as long as its document lives.

    A tuple, as every look at a page makes one for each of its thousands of nodes.
    """

    id: int
    parent: int
    """0 for the outermost document."""
    type: int
    name: str
    """The tag in small letters, or `#text`, `#document`, …"""
    value: str
    attributes: tuple[str, ...]
    """Names and values in turn."""
    children: tuple[int, ...]
    state: str = ""
    """What a person has set: the text of a field, the choice of an option."""
    shadow: str = ""
    """The mode of the shadow tree that it is in, if any."""
    source: str = ""
    """Where its picture or sound comes from at the moment."""
    styles: tuple[str, ...] = ()
    box: Box | None = None
    """None where nothing is drawn."""

    def is_like(self, other: Node) -> bool:
        """Whether it is as the other, wherever they are drawn."""
        return self[:_OWN] == other[:_OWN]

    def get(self, name: str) -> str | None:
        """The value of an attribute."""
        attributes = self.attributes
        for index in range(0, len(attributes), 2):
            if attributes[index] == name:
                return attributes[index + 1]
        return None

    @property
    def is_seen(self) -> bool:
        """Whether a person could point at it."""
        return self.box is not None and self.box.area > 0 and self.styles[VISIBILITY : VISIBILITY + 1] != ("hidden",)


@dataclass(frozen=True, slots=True)
class Frame:
    """What a document is beside its nodes."""

    root: int
    url: str
    base: str
    title: str
    width: float
    height: float
    scrolled: float = 0.0
    """How far down it is."""


@dataclass(frozen=True, slots=True)
class Tree:
    """All nodes of a page; documents of frames hang below the elements that show them."""

    nodes: Mapping[int, Node]
    frames: tuple[Frame, ...]
    """The page itself first."""

    @property
    def root(self) -> int:
        """The document of the page."""
        return self.frames[0].root

    def walk(self, start: int | None = None) -> Iterator[Node]:
        """Nodes in document order."""
        nodes, waiting = self.nodes, [self.root if start is None else start]
        while waiting:
            node = nodes.get(waiting.pop())
            if node is not None:
                yield node
                waiting.extend(reversed(node.children))

    def ancestors(self, node: Node) -> Iterator[Node]:
        """What a node is in, from the inside out."""
        parent = self.nodes.get(node.parent)
        while parent is not None:
            yield parent
            parent = self.nodes.get(parent.parent)


def read_tree(snapshot: Mapping[str, Any]) -> Tree:
    """The answer to `DOMSnapshot.captureSnapshot` as a tree."""
    strings: list[str] = snapshot["strings"]
    documents: list[dict[str, Any]] = snapshot["documents"]
    owners = _owners(documents)
    nodes: dict[int, Node] = {}
    for number, document in enumerate(documents):
        _read_document(document, strings, owners.get(number, 0), nodes)
    for owner, root in ((owners[number], documents[number]["nodes"]["backendNodeId"][0]) for number in owners):
        nodes[owner] = nodes[owner]._replace(children=(*nodes[owner].children, root))
    return Tree(nodes, tuple(_frame(document, strings) for document in documents))


def _owners(documents: list[dict[str, Any]]) -> dict[int, int]:
    """The element that shows each document, by the document's number."""
    found = {}
    for document in documents:
        held = document["nodes"]["contentDocumentIndex"]
        for index, number in zip(held["index"], held["value"], strict=True):
            found[number] = document["nodes"]["backendNodeId"][index]
    return found


def _read_document(document: dict[str, Any], strings: list[str], owner: int, into: dict[int, Node]) -> None:
    held = document["nodes"]
    ids, parents, types = held["backendNodeId"], held["parentIndex"], held["nodeType"]
    pseudo = set(held["pseudoType"]["index"])
    children: list[list[int]] = [[] for _ in ids]
    for index, parent in enumerate(parents):
        if parent >= 0 and index not in pseudo:
            children[parent].append(ids[index])
    states, shadows = _states(held, strings), _rare(held, "shadowRootType", strings)
    sources = _rare(held, "currentSourceURL", strings)
    styles, boxes = _layout(document["layout"], strings)
    for index, number in enumerate(ids):
        if index not in pseudo:
            value, names = held["nodeValue"][index], held["attributes"][index]
            into[number] = Node(
                number,
                ids[parents[index]] if parents[index] >= 0 else owner,
                types[index],
                strings[held["nodeName"][index]].lower(),
                strings[value] if value >= 0 else "",
                tuple([strings[name] if name >= 0 else "" for name in names]),
                tuple(children[index]),
                states.get(index, ""),
                shadows.get(index, ""),
                sources.get(index, ""),
                styles.get(index, ()),
                boxes.get(index),
            )


def _rare(held: dict[str, Any], name: str, strings: list[str]) -> dict[int, str]:
    rare = held[name]
    return {index: strings[value] for index, value in zip(rare["index"], rare["value"], strict=True) if value >= 0}


def _states(held: dict[str, Any], strings: list[str]) -> dict[int, str]:
    states = _rare(held, "inputValue", strings) | _rare(held, "textValue", strings)
    for name in ("inputChecked", "optionSelected"):
        for index in held[name]["index"]:
            states[index] = states.get(index, "") + " chosen"
    return states


def _layout(layout: dict[str, Any], strings: list[str]) -> tuple[dict[int, tuple[str, ...]], dict[int, Box]]:
    styles: dict[int, tuple[str, ...]] = {}
    boxes: dict[int, Box] = {}
    for index, names, bounds in zip(layout["nodeIndex"], layout["styles"], layout["bounds"], strict=True):
        if index not in boxes or boxes[index].area == 0:
            styles[index] = tuple([strings[name] if name >= 0 else "" for name in names])
            boxes[index] = Box._make(bounds)
    return styles, boxes


def _frame(document: dict[str, Any], strings: list[str]) -> Frame:
    def text(name: str) -> str:
        return strings[document[name]] if document[name] >= 0 else ""

    root = document["nodes"]["backendNodeId"][0]
    size = document["contentWidth"], document["contentHeight"], document["scrollOffsetY"]
    return Frame(root, text("documentURL"), text("baseURL"), text("title"), *size)
