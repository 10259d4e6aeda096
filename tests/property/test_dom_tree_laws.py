"""Laws of trees that Chromium tells in pieces: a child that was named and never read is left out, and nothing fails."""

from typing import Any

from hypothesis import given, settings, strategies as st

from webkeep.browser.dom.dom_signature import dom_signature
from webkeep.browser.dom.dom_tree import (
    DOCUMENT_NODE,
    ELEMENT_NODE,
    TEXT_NODE,
    DomNode,
    DomTree,
    FrameDocument,
    NodeBox,
)
from webkeep.browser.dom.element_names import name_elements
from webkeep.browser.dom.event_listeners import EventListener
from webkeep.browser.dom.tree_overlay import changed_nodes, overlay_changes
from webkeep.browser.walk.self_activity import observe_activity
from webkeep.browser.walk.view_snapshot import take_snapshot
from webkeep.browser.walk_model import WalkLimits

LIMITS = WalkLimits(depth=1, seconds=60, views=100, requests=100)
STYLES = ("none", "pointer", "visible", "none", "none", "none", "normal")
TAGS = ("html", "body", "div", "a", "select", "option", "input", "x-box", "iframe", "form", "canvas")
ATTRIBUTES = ((), ("id", "a"), ("id", "b"), ("href", "#x"), ("class", "c"), ("name", "n", "type", "text"))
SHAPES = st.lists(
    st.tuples(
        st.integers(0, 30), st.sampled_from((1, 1, 1, 3, 9)), st.sampled_from(TAGS), st.sampled_from(ATTRIBUTES),
        st.sampled_from(("", "", "open", "closed")), st.booleans(),
    ),
    max_size=14,
)  # fmt: skip
"""For each node the one it hangs below, by its number among those before; its kind, tag and attributes; how drawn."""


def planted(shapes: list[tuple[Any, ...]], unread: set[int]) -> DomTree:
    """A tree in which some children are named and not there."""
    parents = {number: 1 + shape[0] % (number - 1) for number, shape in enumerate(shapes, 2)}
    nodes = {1: DomNode(1, 0, DOCUMENT_NODE, "#document", "", (), tuple(n for n in parents if parents[n] == 1))}
    for number, (_, kind, tag, attributes, shadow, is_drawn) in enumerate(shapes, 2):
        name = {ELEMENT_NODE: tag, TEXT_NODE: "#text", DOCUMENT_NODE: "#document"}[kind]
        nodes[number] = DomNode(
            number, parents[number], kind, name, "words" if kind == TEXT_NODE else "",
            attributes if kind == ELEMENT_NODE else (), tuple(n for n in parents if parents[n] == number),
            shadow=shadow, styles=STYLES, box=NodeBox(0, 0, 900, 900) if is_drawn else None,
        )  # fmt: skip
    held = {number: node for number, node in nodes.items() if number == 1 or number not in unread}
    return DomTree(held, (FrameDocument(1, "http://site.test/", "http://site.test/", "A page", 1280, 9000),))


def heard(tree: DomTree) -> tuple[EventListener, ...]:
    return tuple(
        EventListener(number, event, "1:1") for number in (0, 1, 2, 3, 99) for event in ("click", "change", "wheel")
    )


trees = st.builds(planted, SHAPES, st.sets(st.integers(2, 15)))


@given(trees)
@settings(max_examples=150)
def test_a_view_is_read_whatever_is_missing_in_it(tree: DomTree) -> None:
    snapshot = take_snapshot(tree, heard(tree), LIMITS)
    assert {each.node for each in snapshot.available} <= tree.nodes.keys()
    assert set(name_elements(tree).by_node) <= tree.nodes.keys()
    assert dom_signature(tree) == dom_signature(tree)


@given(trees, trees, trees)
@settings(max_examples=150)
def test_steps_are_laid_over_views_whatever_is_missing_in_them(view: DomTree, before: DomTree, after: DomTree) -> None:
    observe_activity((view, before, after), ())
    result = overlay_changes(view, before, after, changed_nodes(before, after))
    if result is not None:
        take_snapshot(result, heard(result), LIMITS, (name_elements(view), ()))
