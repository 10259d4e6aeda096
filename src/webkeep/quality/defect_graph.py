"""The coherence-defect graph of a capture that visited and revisited, out of its records."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt

from webkeep.coherence.certificate import Certificate, Resource, Verdict
from webkeep.extract import extract_links
from webkeep.extract.reading import MOST_READ
from webkeep.formats.graphml import Shape, graphml
from webkeep.formats.http1 import ResponseHead
from webkeep.model import Observation
from webkeep.quality.defects import Colour, Drawn, collapsed
from webkeep.store.archive import Archive

_SIZE = 10.003
_PAINT = {Colour.GREEN: "#00FF00", Colour.YELLOW: "#FFFF00", Colour.RED: "#FF0000", Colour.BLACK: "#000000"}


def defect_graph(archive: Archive, certificate: Certificate) -> Iterator[bytes]:
    """The graph as GraphML; subtrees without a defect are one node, the larger the more pages it stands for."""
    return graphml(map(_shape, defect_nodes(archive, certificate)))


def defect_nodes(archive: Archive, certificate: Certificate) -> Iterator[Drawn]:
    """The nodes of the graph of a certified capture."""
    looks: dict[str, list[Observation]] = {}
    for observation in archive.observations(certificate.summary.capture):
        if observation.record_type != "metadata":
            looks.setdefault(observation.url, []).append(observation)
    resources = [each for each in certificate.resources if each.url in looks]
    parents = {each.url: looks[each.url][0].via for each in resources}
    colours = {each.url: _colour(archive, each, looks[each.url]) for each in resources}
    return collapsed(_without_circles(parents), colours)


def _colour(archive: Archive, resource: Resource, looks: list[Observation]) -> Colour:
    if resource.verdict is Verdict.VANISHED:
        return Colour.BLACK
    if resource.verdict not in (Verdict.CHANGED, Verdict.APPEARED):
        return Colour.GREEN
    return Colour.RED if _links(archive, looks[0]) != _links(archive, looks[-1]) else Colour.YELLOW


def _links(archive: Archive, look: Observation) -> set[str]:
    holding = archive.read(look)
    headers = (holding.head or ResponseHead()).headers
    content = b"".join(holding.content(MOST_READ))
    return {link.url.partition("#")[0] for link in extract_links(look.url, headers, content)}


def _without_circles(parents: dict[str, str]) -> dict[str, str]:
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


def _shape(node: Drawn) -> Shape:
    label = f"{node.pages:,} pages {node.colour.value}" if node.is_collapsed else f"{node.name} {node.colour.value}"
    return Shape(node.name, label, _PAINT[node.colour], _SIZE * sqrt(node.pages), node.parent)
