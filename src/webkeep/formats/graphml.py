"""GraphML with the shapes that yEd and visone draw: how nodes with label, colour and size, and the edges between them,
are written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from xml.sax.saxutils import escape, quoteattr

_BEGIN = """<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:y="http://www.yworks.com/xml/graphml">
<key id="d0" for="node" yfiles.type="nodegraphics"/>
<key id="d1" for="node" attr.name="label" attr.type="string"/>
<key id="d2" for="edge" attr.name="label" attr.type="string"/>
<graph id="G" edgedefault="directed">
"""
_END = "</graph>\n</graphml>\n"
_REPLACED_CHARACTERS = dict.fromkeys([*range(9), 11, 12, *range(14, 32), 0xFFFE, 0xFFFF], "\ufffd")


@dataclass(frozen=True, slots=True)
class NodeShape:
    """A node as it is drawn."""

    name: str
    label: str
    colour: str
    """As `#00FF00`."""
    size: float
    parent: str = ""


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """An edge with what it stands for."""

    source: str
    target: str
    label: str


def write_graphml(shapes: Iterable[NodeShape], arcs: Iterable[GraphEdge] = ()) -> Iterator[bytes]:
    """The graph of these shapes, each with an edge from its parent, and of further edges, piece by piece."""
    yield _BEGIN.encode()
    for number, shape in enumerate(shapes):
        name = quoteattr(_clean_xml_text(shape.name))
        size = f"{shape.size:.3f}"
        yield (
            f'<node id={name}><data key="d0"><y:ShapeNode><y:Geometry width="{size}" height="{size}"/>'
            f'<y:Fill color="{shape.colour}" transparent="false"/><y:Shape type="ellipse"/></y:ShapeNode></data>'
            f'<data key="d1">{escape(_clean_xml_text(shape.label))}</data></node>\n'
        ).encode()
        if shape.parent:
            yield f'<edge id="e{number}" source={quoteattr(_clean_xml_text(shape.parent))} target={name}/>\n'.encode()
    for number, arc in enumerate(arcs):
        ends = f"source={quoteattr(_clean_xml_text(arc.source))} target={quoteattr(_clean_xml_text(arc.target))}"
        label = escape(_clean_xml_text(arc.label))
        yield f'<edge id="a{number}" {ends}><data key="d2">{label}</data></edge>\n'.encode()
    yield _END.encode()


def _clean_xml_text(text: str) -> str:
    """Text that XML can hold."""
    return text.translate(_REPLACED_CHARACTERS).encode("utf-8", "replace").decode("utf-8")
