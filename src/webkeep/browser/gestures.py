"""Canned interactions, for what tells places apart rather than elements: long pages, canvases, maps, overlays."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.browser.interactions import Candidate, is_control, label_of
from webkeep.browser.listeners import EventListener
from webkeep.browser.targets import Targets
from webkeep.browser.tree import ELEMENT, Node, Tree
from webkeep.browser.values import Interaction, Kind
from webkeep.browser.window import HEIGHT, WIDTH

GRID = "grid"
"""What the likes of points of a grid begin with."""
_MAP_SHARE, _OVERLAY_SHARE = 0.1, 0.6
_POINTED = frozenset({"click", "mousedown", "pointerdown", "mouseup", "pointerup"})
_DRAGGED = frozenset({"wheel", "mousewheel", "mousedown", "pointerdown", "touchstart"})
_PANS = ("left", "right", "up", "down")
_COLUMNS, _ROWS = 6, 4


def gestures(tree: Tree, targets: Targets, listeners: Sequence[EventListener]) -> list[Candidate]:
    """All that fit this page."""
    heard: dict[int, set[str]] = {}
    for each in listeners:
        heard.setdefault(each.node, set()).add(each.event)
    found: list[Candidate] = []
    root = next((node for node in tree.walk() if node.type == ELEMENT), None)
    if root is not None and tree.frames[0].height > HEIGHT:
        found.append(_canned(tree, targets, root, "scroll"))
    for node in tree.walk():
        if node.type == ELEMENT and node.is_seen and node.box is not None:
            events = heard.get(node.id, set())
            if _is_map(node, events):
                found += _of_a_map(tree, targets, node)
            if _is_overlay(tree, node, events):
                found += _grid(tree, targets, node)
    return found


def _share(node: Node) -> float:
    return node.box.area / (WIDTH * HEIGHT) if node.box is not None else 0.0


def _is_map(node: Node, events: set[str]) -> bool:
    listens = not events.isdisjoint(_DRAGGED)
    return listens and _share(node) >= _MAP_SHARE and (node.name == "canvas" or "wheel" in events)


def _is_overlay(tree: Tree, node: Node, events: set[str]) -> bool:
    """Whether it is one large thing to point at, with nothing in it that could be meant instead."""
    if events.isdisjoint(_POINTED) or node.name in ("html", "body"):
        return False
    large = _share(node) >= (_MAP_SHARE if node.name == "canvas" else _OVERLAY_SHARE)
    return large and not any(each.id != node.id and is_control(each) for each in tree.walk(node.id))


def _of_a_map(tree: Tree, targets: Targets, node: Node) -> list[Candidate]:
    pans = [_canned(tree, targets, node, "pan", way) for way in _PANS]
    zooms = [_canned(tree, targets, node, "zoom", way) for way in ("in", "out")]
    return [*pans, *zooms, _canned(tree, targets, node, "contextmenu")]


def _canned(tree: Tree, targets: Targets, node: Node, event: str, value: str = "") -> Candidate:
    interaction = Interaction(event, targets.by_node[node.id], Kind.CANNED, value, label=label_of(tree, node))
    return Candidate(interaction, node.id, f"canned {event}")


def _grid(tree: Tree, targets: Targets, node: Node) -> list[Candidate]:
    """Points over the element, far ones first so that a few of them cover all of it."""
    assert node.box is not None
    points = [
        (int(node.box.width * (column + 0.5) / _COLUMNS), int(node.box.height * (row + 0.5) / _ROWS))
        for row in range(_ROWS)
        for column in range(_COLUMNS)
    ]
    spread = sorted(range(len(points)), key=lambda place: (place * 7) % len(points))
    name, label = targets.by_node[node.id], label_of(tree, node)
    return [
        Candidate(Interaction("click", name, Kind.CANNED, point=points[place], label=label), node.id, f"{GRID} {name}")
        for place in spread
    ]
