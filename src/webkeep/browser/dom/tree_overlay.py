"""What an interaction wrote to the DOM, and how a page would look had only that been written.

Theory of operation. Within one load, nodes keep their numbers. So what an interaction touched is the set of nodes whose
own attributes, text or list of children differ before and after it. If a page has been changed by others since a known
view, the interaction's own effect on that view is the view with the touched nodes put in. That holds as long as these
refer only to nodes of the view and to nodes the interaction made: where they refer to what the others made, it built on
their work, and has to be run where there is nothing but the view.
"""

from __future__ import annotations

from webkeep.browser.dom.dom_tree import DomNode, DomTree


def changed_nodes(before: DomTree, after: DomTree) -> dict[int, DomNode]:
    """The nodes that came or changed, as they are now."""
    known = before.nodes
    return {
        number: node
        for number, node in after.nodes.items()
        if (old := known.get(number)) is None or not node.has_same_content(old)
    }


def overlay_changes(view: DomTree, before: DomTree, after: DomTree, written: dict[int, DomNode]) -> DomTree | None:
    """The view after an interaction alone, which was run in a page with more in it; None if that cannot be told."""
    if view is before:
        return after
    nodes = dict(view.nodes)
    for number, node in written.items():
        if number in before.nodes and number not in nodes:
            return None
        nodes[number] = node
    made = written.keys() - before.nodes.keys()
    for number in written:
        if any(child not in view.nodes and child not in made for child in nodes[number].children):
            return None
    reached = _reachable_nodes(nodes, view.root, written, after)
    return None if reached is None else DomTree(reached, after.frames)


def _reachable_nodes(
    nodes: dict[int, DomNode], root: int, written: dict[int, DomNode], after: DomTree
) -> dict[int, DomNode] | None:
    """What hangs together; None where a node hangs in two places, as others moved it and the interaction kept to that.

    Below what was written, nodes are drawn as they are now; what they are stays what it is in the view.
    """
    found: dict[int, DomNode] = {}
    waiting = [(root, False)]
    while waiting:
        number, is_below = waiting.pop()
        if number in found:
            return None
        if number in nodes:
            is_below = is_below or number in written
            node = found[number] = _with_layout(nodes[number], after.nodes.get(number)) if is_below else nodes[number]
            waiting.extend((child, is_below) for child in node.children)
    return found


def _with_layout(node: DomNode, now: DomNode | None) -> DomNode:
    """A node, drawn as it is now."""
    return node if now is None else node._replace(source=now.source, styles=now.styles, box=now.box)
