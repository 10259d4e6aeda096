"""The coherence-defect graph of a capture that visited and revisited, as GraphML: which colour a page has, and
which subtrees are drawn as one node.
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import sqrt

from webkeep.coherence.certificates import CertifiedResource, CoherenceCertificate, CoherenceVerdict
from webkeep.extract import MAX_READ_BYTES, extract_links
from webkeep.formats import NodeShape, write_graphml
from webkeep.formats.http import ResponseHead
from webkeep.model import Observation, RecordType
from webkeep.store.archive import Archive

# The coherence-defect graph: the tree of a capture with its changed pages, and subtrees without any drawn as one.
#
# Green pages stayed as they were; yellow ones changed in content, red ones in where they lead; black ones were gone.


class RevisitColour(enum.StrEnum):
    """What became of a page from its visit to its revisit."""

    GREEN = "unchanged"
    YELLOW = "content changed"
    RED = "links changed"
    BLACK = "missing"
    BLUE = "new"
    """Between two captures: not there in the first. No revisit finds what no visit did."""


@dataclass(frozen=True, slots=True)
class DefectNode:
    """One node of the drawing: a page, or pages without a defect that are drawn as one."""

    name: str
    colour: RevisitColour
    pages: int = 1
    parent: str = ""
    """The node it hangs from; "" for a root."""
    is_collapsed: bool = False


def collapse_subtrees(
    parents: Mapping[str, str], colours: Mapping[str, RevisitColour], per_subtree: bool = False
) -> Iterator[DefectNode]:
    """The drawing of a forest: `parents` names the page that led to each, "" or an unknown one for roots.

    What hangs without a defect from one page is drawn as one node, or (`per_subtree`) each subtree as its own. The
    pages that are drawn, and those in collapsed nodes, are all pages.
    """
    children = _children_by_parent(parents)
    order = list(_walk_top_down(children))
    sizes: dict[str, int] = {}
    """The pages of a subtree, for those without a defect."""
    for page in reversed(order):
        below = children.get(page, [])
        if colours[page] is RevisitColour.GREEN and all(child in sizes for child in below):
            sizes[page] = 1 + sum(sizes[child] for child in below)
    for page in order:
        parent = parents[page] if parents[page] in parents else ""
        is_root = not parent
        if page in sizes and not is_root:
            continue
        yield DefectNode(page, colours[page], 1, parent)
        calm = [child for child in children.get(page, []) if child in sizes]
        if calm and per_subtree:
            yield from (DefectNode(child, RevisitColour.GREEN, sizes[child], page, is_collapsed=True) for child in calm)
        elif calm:
            yield DefectNode(
                f"below {page}", RevisitColour.GREEN, sum(sizes[child] for child in calm), page, is_collapsed=True
            )


def _children_by_parent(parents: Mapping[str, str]) -> dict[str, list[str]]:
    children: dict[str, list[str]] = {"": []}
    for page, parent in parents.items():
        children.setdefault(parent if parent in parents else "", []).append(page)
    return children


def _walk_top_down(children: Mapping[str, list[str]]) -> Iterator[str]:
    """Every page after the one that led to it, however deep they lie."""
    waiting = list(reversed(children[""]))
    while waiting:
        page = waiting.pop()
        yield page
        waiting += reversed(children.get(page, []))


_NODE_SIZE = 10.003
"""The size of a node of one page; the area grows with the number of pages."""
_NODE_COLOURS = {
    RevisitColour.GREEN: "#00FF00",
    RevisitColour.YELLOW: "#FFFF00",
    RevisitColour.RED: "#FF0000",
    RevisitColour.BLACK: "#000000",
    RevisitColour.BLUE: "#0000FF",
}


def render_defect_graph(archive: Archive, certificate: CoherenceCertificate) -> Iterator[bytes]:
    """The graph as GraphML; subtrees without a defect are one node, the larger the more pages it stands for."""
    return render_node_graph(defect_nodes(archive, certificate))


def render_node_graph(nodes: Iterable[DefectNode]) -> Iterator[bytes]:
    """Nodes as GraphML, each with an edge from the one it hangs from."""
    return write_graphml(map(_node_shape, nodes))


def defect_nodes(archive: Archive, certificate: CoherenceCertificate) -> Iterator[DefectNode]:
    """The nodes of the graph of a certified capture."""
    looks: dict[str, list[Observation]] = {}
    for observation in archive.observations(certificate.summary.capture):
        if observation.record_type != RecordType.METADATA:
            looks.setdefault(observation.url, []).append(observation)
    resources = [each for each in certificate.resources if each.url in looks]
    parents = {each.url: looks[each.url][0].via for each in resources}
    colours = {each.url: _revisit_colour(archive, each, looks[each.url]) for each in resources}
    return collapse_subtrees(_break_cycles(parents), colours)


def _revisit_colour(archive: Archive, resource: CertifiedResource, looks: list[Observation]) -> RevisitColour:
    if resource.verdict is CoherenceVerdict.VANISHED:
        return RevisitColour.BLACK
    if resource.verdict not in (CoherenceVerdict.CHANGED, CoherenceVerdict.APPEARED):
        return RevisitColour.GREEN
    return (
        RevisitColour.RED if _read_links(archive, looks[0]) != _read_links(archive, looks[-1]) else RevisitColour.YELLOW
    )


def _read_links(archive: Archive, look: Observation) -> set[str]:
    stored = archive.read(look)
    headers = (stored.head or ResponseHead()).headers
    content = b"".join(stored.content(MAX_READ_BYTES))
    return {link.url.partition("#")[0] for link in extract_links(look.url, headers, content)}


def _break_cycles(parents: dict[str, str]) -> dict[str, str]:
    """A forest, whatever led to what: a page that would lead to itself in the end is a root."""
    safe: set[str] = set()
    mended = dict(parents)
    for page in parents:
        way: dict[str, None] = {}
        at = page
        while at in mended and at not in safe and at not in way:
            way[at] = None
            at = mended[at]
        if at in way:
            mended[at] = ""
        safe |= way.keys()
    return mended


def _node_shape(node: DefectNode) -> NodeShape:
    label = f"{node.pages:,} pages {node.colour.value}" if node.is_collapsed else f"{node.name} {node.colour.value}"
    return NodeShape(node.name, label, _NODE_COLOURS[node.colour], _NODE_SIZE * sqrt(node.pages), node.parent)
