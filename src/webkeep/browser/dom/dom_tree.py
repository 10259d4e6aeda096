"""The document as Chromium has it at one moment, read out of a DOM snapshot: every frame and shadow tree, what is
filled in, what is drawn and where, and which computed styles are asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

ELEMENT_NODE, TEXT_NODE, DOCUMENT_NODE = 1, 3, 9
"""As the DOM numbers the kinds of nodes."""
COMPUTED_STYLES = (
    "background-image",
    "cursor",
    "visibility",
    "list-style-image",
    "border-image-source",
    "mask-image",
    "content",
)
"""The computed styles that are asked for, in this order."""
CURSOR_STYLE, VISIBILITY_STYLE = 1, 2
"""Places of two of the styles that a snapshot asks for."""
_OWN_FIELDS = 9
"""How many fields of a node are its own, and not a matter of how it is drawn."""


class NodeBox(NamedTuple):
    """Where a node is drawn, in CSS pixels from the corner of its document."""

    left: float
    top: float
    width: float
    height: float

    @property
    def area(self) -> float:
        """How much of the screen it takes."""
        return self.width * self.height


class DomNode(NamedTuple):
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
    box: NodeBox | None = None
    """None where nothing is drawn."""

    def has_same_content(self, other: DomNode) -> bool:
        """Whether it is as the other, wherever they are drawn."""
        return self[:_OWN_FIELDS] == other[:_OWN_FIELDS]

    def get(self, name: str) -> str | None:
        """The value of an attribute."""
        attributes = self.attributes
        for index in range(0, len(attributes), 2):
            if attributes[index] == name:
                return attributes[index + 1]
        return None

    @property
    def is_visible(self) -> bool:
        """Whether a person could point at it."""
        return (
            self.box is not None
            and self.box.area > 0
            and self.styles[VISIBILITY_STYLE : VISIBILITY_STYLE + 1] != ("hidden",)
        )


@dataclass(frozen=True, slots=True)
class FrameDocument:
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
class DomTree:
    """All nodes of a page; documents of frames hang below the elements that show them."""

    nodes: Mapping[int, DomNode]
    frames: tuple[FrameDocument, ...]
    """The page itself first."""

    @property
    def root(self) -> int:
        """The document of the page."""
        return self.frames[0].root

    def walk(self, start: int | None = None) -> Iterator[DomNode]:
        """Nodes in document order."""
        nodes, waiting = self.nodes, [self.root if start is None else start]
        while waiting:
            node = nodes.get(waiting.pop())
            if node is not None:
                yield node
                waiting.extend(reversed(node.children))


def parse_snapshot(snapshot: Mapping[str, Any]) -> DomTree:
    """The answer to `DOMSnapshot.captureSnapshot` as a tree."""
    strings: list[str] = snapshot["strings"]
    documents: list[dict[str, Any]] = snapshot["documents"]
    owners = _frame_owners(documents)
    nodes: dict[int, DomNode] = {}
    for number, document in enumerate(documents):
        _read_document(document, strings, owners.get(number, 0), nodes)
    for owner, root in ((owners[number], documents[number]["nodes"]["backendNodeId"][0]) for number in owners):
        nodes[owner] = nodes[owner]._replace(children=(*nodes[owner].children, root))
    return DomTree(nodes, tuple(_read_frame(document, strings) for document in documents))


def _frame_owners(documents: list[dict[str, Any]]) -> dict[int, int]:
    """The element that shows each document, by the document's number."""
    found = {}
    for document in documents:
        held = document["nodes"]["contentDocumentIndex"]
        for index, number in zip(held["index"], held["value"], strict=True):
            found[number] = document["nodes"]["backendNodeId"][index]
    return found


def _read_document(document: dict[str, Any], strings: list[str], owner: int, into: dict[int, DomNode]) -> None:
    held = document["nodes"]
    ids, parents, types = held["backendNodeId"], held["parentIndex"], held["nodeType"]
    pseudo = set(held["pseudoType"]["index"])
    children: list[list[int]] = [[] for _ in ids]
    for index, parent in enumerate(parents):
        if parent >= 0 and index not in pseudo:
            children[parent].append(ids[index])
    states, shadows = _input_states(held, strings), _rare_strings(held, "shadowRootType", strings)
    sources = _rare_strings(held, "currentSourceURL", strings)
    styles, boxes = _read_layout(document["layout"], strings)
    for index, number in enumerate(ids):
        if index not in pseudo:
            value, names = held["nodeValue"][index], held["attributes"][index]
            into[number] = DomNode(
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


def _rare_strings(held: dict[str, Any], name: str, strings: list[str]) -> dict[int, str]:
    rare = held[name]
    return {index: strings[value] for index, value in zip(rare["index"], rare["value"], strict=True) if value >= 0}


def _input_states(held: dict[str, Any], strings: list[str]) -> dict[int, str]:
    states = _rare_strings(held, "inputValue", strings) | _rare_strings(held, "textValue", strings)
    for name in ("inputChecked", "optionSelected"):
        for index in held[name]["index"]:
            states[index] = states.get(index, "") + " chosen"
    return states


def _read_layout(layout: dict[str, Any], strings: list[str]) -> tuple[dict[int, tuple[str, ...]], dict[int, NodeBox]]:
    styles: dict[int, tuple[str, ...]] = {}
    boxes: dict[int, NodeBox] = {}
    for index, names, bounds in zip(layout["nodeIndex"], layout["styles"], layout["bounds"], strict=True):
        if index not in boxes or boxes[index].area == 0:
            styles[index] = tuple([strings[name] if name >= 0 else "" for name in names])
            boxes[index] = NodeBox._make(bounds)
    return styles, boxes


def _read_frame(document: dict[str, Any], strings: list[str]) -> FrameDocument:
    def text(name: str) -> str:
        return strings[document[name]] if document[name] >= 0 else ""

    root = document["nodes"]["backendNodeId"][0]
    size = document["contentWidth"], document["contentHeight"], document["scrollOffsetY"]
    return FrameDocument(root, text("documentURL"), text("baseURL"), text("title"), *size)
