"""Canned interactions, for what tells places apart rather than elements: scrolling long pages, panning and zooming
canvases and maps, clicks on a grid over overlays.
"""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.browser.dom.dom_tree import ELEMENT_NODE, DomNode, DomTree
from webkeep.browser.dom.element_names import ElementNames
from webkeep.browser.dom.event_listeners import EventListener
from webkeep.browser.walk.interaction_candidates import InteractionCandidate, element_label, is_control
from webkeep.browser.walk_model import VIEWPORT_HEIGHT, VIEWPORT_WIDTH, Interaction, InteractionKind

GRID_PREFIX = "grid"
"""What the likes of points of a grid begin with."""
_MIN_MAP_SHARE, _MIN_OVERLAY_SHARE = 0.1, 0.6
"""Of the window, from which on a canvas or whatever listens to the wheel is taken for a map, and anything else for
an overlay."""
_POINTER_EVENTS = frozenset({"click", "mousedown", "pointerdown", "mouseup", "pointerup"})
_DRAG_EVENTS = frozenset({"wheel", "mousewheel", "mousedown", "pointerdown", "touchstart"})
_PAN_DIRECTIONS = ("left", "right", "up", "down")
_GRID_COLUMNS, _GRID_ROWS = 6, 4
"""Places on a large surface that are clicked, each in the middle of its cell: 24 trials find what is at least a
sixth wide."""


def find_gestures(
    tree: DomTree, targets: ElementNames, listeners: Sequence[EventListener]
) -> list[InteractionCandidate]:
    """All that fit this page."""
    heard: dict[int, set[str]] = {}
    for each in listeners:
        heard.setdefault(each.node, set()).add(each.event)
    found: list[InteractionCandidate] = []
    root = next((node for node in tree.walk() if node.type == ELEMENT_NODE), None)
    if root is not None and tree.frames[0].height > VIEWPORT_HEIGHT:
        found.append(_gesture(tree, targets, root, "scroll"))
    for node in tree.walk():
        if node.type == ELEMENT_NODE and node.is_visible and node.box is not None:
            events = heard.get(node.id, set())
            if _is_map(node, events):
                found += _map_gestures(tree, targets, node)
            if _is_overlay(tree, node, events):
                found += _grid_points(tree, targets, node)
    return found


def _viewport_share(node: DomNode) -> float:
    return node.box.area / (VIEWPORT_WIDTH * VIEWPORT_HEIGHT) if node.box is not None else 0.0


def _is_map(node: DomNode, events: set[str]) -> bool:
    listens = not events.isdisjoint(_DRAG_EVENTS)
    return listens and _viewport_share(node) >= _MIN_MAP_SHARE and (node.name == "canvas" or "wheel" in events)


def _is_overlay(tree: DomTree, node: DomNode, events: set[str]) -> bool:
    """Whether it is one large thing to point at, with nothing in it that could be meant instead."""
    if events.isdisjoint(_POINTER_EVENTS) or node.name in ("html", "body"):
        return False
    large = _viewport_share(node) >= (_MIN_MAP_SHARE if node.name == "canvas" else _MIN_OVERLAY_SHARE)
    return large and not any(each.id != node.id and is_control(each) for each in tree.walk(node.id))


def _map_gestures(tree: DomTree, targets: ElementNames, node: DomNode) -> list[InteractionCandidate]:
    pans = [_gesture(tree, targets, node, "pan", way) for way in _PAN_DIRECTIONS]
    zooms = [_gesture(tree, targets, node, "zoom", way) for way in ("in", "out")]
    return [*pans, *zooms, _gesture(tree, targets, node, "contextmenu")]


def _gesture(tree: DomTree, targets: ElementNames, node: DomNode, event: str, value: str = "") -> InteractionCandidate:
    interaction = Interaction(
        event, targets.by_node[node.id], InteractionKind.CANNED, value, label=element_label(tree, node)
    )
    return InteractionCandidate(interaction, node.id, f"canned {event}")


def _grid_points(tree: DomTree, targets: ElementNames, node: DomNode) -> list[InteractionCandidate]:
    """Points over the element, far ones first so that a few of them cover all of it."""
    assert node.box is not None
    points = [
        (int(node.box.width * (column + 0.5) / _GRID_COLUMNS), int(node.box.height * (row + 0.5) / _GRID_ROWS))
        for row in range(_GRID_ROWS)
        for column in range(_GRID_COLUMNS)
    ]
    spread = sorted(range(len(points)), key=lambda place: (place * 7) % len(points))
    name, label = targets.by_node[node.id], element_label(tree, node)
    return [
        InteractionCandidate(
            Interaction("click", name, InteractionKind.CANNED, point=points[place], label=label),
            node.id,
            f"{GRID_PREFIX} {name}",
        )
        for place in spread
    ]
