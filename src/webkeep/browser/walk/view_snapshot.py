"""A view as it is kept, with its DOM, text, links and screenshot, and what can be done from it that could not be done
before.
"""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.browser.dom.dom_markup import find_links, serialize_html, shown_resources, visible_text
from webkeep.browser.dom.dom_tree import DomTree
from webkeep.browser.dom.element_names import ElementNames, name_elements
from webkeep.browser.dom.event_listeners import EventListener
from webkeep.browser.walk.field_filling import find_fields
from webkeep.browser.walk.gestures import find_gestures
from webkeep.browser.walk.interaction_candidates import InteractionCandidate, find_candidates
from webkeep.browser.walk_model import InteractionScript, PageOverlay, WalkLimits


@dataclass(frozen=True, slots=True)
class ViewSnapshot:
    """All of a view that outlives its load."""

    url: str
    title: str
    dom: str
    text: str
    links: tuple[str, ...]
    referred: frozenset[str]
    available: tuple[InteractionCandidate, ...]
    fresh: tuple[InteractionCandidate, ...]
    """What could not be done in the view before."""
    screenshot: bytes = b""
    withheld: frozenset[str] = frozenset()
    """Fields for passwords that a person gave something for."""
    overlays: tuple[PageOverlay, ...] = ()
    uncovered: bytes = b""
    """Its picture without what lies over it, where anything does."""


def take_snapshot(
    tree: DomTree,
    listeners: tuple[EventListener, ...],
    limits: WalkLimits,
    before: tuple[ElementNames, InteractionScript] | None = None,
    screenshot: bytes = b"",
) -> ViewSnapshot:
    """Draw one; `before` tells what could be done in the view before, in this load."""
    targets = name_elements(tree)
    typed = find_fields(tree, targets, limits.fillings)
    heard = find_candidates(tree, targets, listeners, limits.events)
    available = [*heard, *typed.candidates, *find_gestures(tree, targets, listeners)]
    known = set()
    if before is not None:
        names, script = before
        known = {(names.by_name.get(each.target), each.event, each.value, each.point) for each in script}
    fresh = [
        each
        for each in available
        if (each.node, each.interaction.event, each.interaction.value, each.interaction.point) not in known
    ]
    frame = tree.frames[0]
    return ViewSnapshot(
        frame.url, frame.title, serialize_html(tree), visible_text(tree), find_links(tree), shown_resources(tree),
        tuple(available), tuple(fresh), screenshot, typed.withheld,
    )  # fmt: skip
