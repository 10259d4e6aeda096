"""The tree of a page's states: a picture to look over, and a list to open branch by branch; how many views are drawn,
their sizes and colours, and how many resources are named below each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from webkeep.presentation import format_count
from webkeep.presentation.drawings import draw_bend, draw_circle, draw_svg
from webkeep.presentation.pages import Markup, element
from webkeep.quality.states.walked_pages import WalkedPage, WalkedView

MAX_VIEWS_DRAWN = 400
"""Views in the drawing of one page; all are in the list below it."""
_WIDTH, _LEVEL_HEIGHT, _MARGIN = 1000.0, 74.0, 24.0
"""Units of the drawing: its width, the height of a level, and the margin."""
_MAX_RESOURCES_LISTED = 30
"""New resources named below one view; the rest are counted."""


@dataclass(frozen=True, slots=True)
class _NodeSpot:
    x: float
    y: float
    size: float


def render_state_tree(page: WalkedPage, name: str) -> Iterator[Markup]:
    """The tree of a page; `name` is what its parts are called on the page that shows them."""
    children: dict[str, list[WalkedView]] = {}
    drawn = page.views[:MAX_VIEWS_DRAWN]
    for view in drawn:
        if view.level:
            children.setdefault(view.parent, []).append(view)
    root = drawn[0]
    yield _draw_tree(drawn, children, name)
    yield _render_branch(root, None, children, name, is_open=True)
    if len(page.views) > len(drawn):
        words = f"{format_count(len(page.views) - len(drawn), 'further view')} not drawn."
        yield element("p", element("small", words))


def _draw_tree(drawn: tuple[WalkedView, ...], children: dict[str, list[WalkedView]], name: str) -> Markup:
    levels: dict[int, list[WalkedView]] = {}
    for view in _walk_tree(drawn[0], children):
        levels.setdefault(view.level, []).append(view)
    spots = {
        view.id: _NodeSpot((place + 1) * _WIDTH / (len(views) + 1), _MARGIN + level * _LEVEL_HEIGHT, _node_radius(view))
        for level, views in levels.items()
        for place, view in enumerate(views)
    }
    placed = [view for view in drawn if view.id in spots]
    shapes = [
        draw_bend((spots[view.parent].x, spots[view.parent].y), (spots[view.id].x, spots[view.id].y))
        for view in placed
        if view.level and view.parent in spots
    ]
    seen: set[int] = set()
    for view in placed:
        sort = "same" if view.state in seen else "root" if not view.level else "fresh"
        seen.add(view.state)
        shapes.append(element("a", _draw_node(view, spots[view.id], sort), href=f"#{name}-{view.id}"))
    height = 2 * _MARGIN + max(levels) * _LEVEL_HEIGHT
    return draw_svg(_WIDTH, height, shapes, label="Tree of states", class_="chart tree")


def _draw_node(view: WalkedView, spot: _NodeSpot, sort: str) -> Markup:
    words = f"{view.caption}: {format_count(len(view.resources), 'resource')}"
    return draw_circle(spot.x, spot.y, spot.size, sort, words)


def _walk_tree(root: WalkedView, children: dict[str, list[WalkedView]]) -> Iterator[WalkedView]:
    """A view, then all below it, branch by branch."""
    waiting, met = [root], {root.id}
    while waiting:
        view = waiting.pop()
        yield view
        below = [each for each in children.get(view.id, ()) if each.id not in met]
        met.update(each.id for each in below)
        waiting += reversed(below)


def _node_radius(view: WalkedView) -> float:
    return min(3.0 + sqrt(len(view.resources)), 12.0)


def _render_branch(
    view: WalkedView, above: WalkedView | None, children: dict[str, list[WalkedView]], name: str, is_open: bool
) -> Markup:
    """A view and those below it, to be opened one by one; ways into themselves are not followed."""
    below = [each for each in children.get(view.id, ()) if each.level > view.level]
    fresh = sorted(view.resources - above.resources) if above is not None else []
    count = f"{len(below):,} below, " if below else ""
    new = f"{len(fresh):,} new, " if above is not None else ""
    told = f"state {view.state}; {count}{new}{format_count(len(view.resources), 'resource')}"
    listed = element("ul", [element("li", each) for each in fresh[:_MAX_RESOURCES_LISTED]], class_="new")
    return element(
        "details",
        element("summary", f"{view.caption} ", element("small", told)),
        listed if fresh else None,
        [_render_branch(each, view, children, name, is_open=False) for each in below],
        class_="branch",
        id=f"{name}-{view.id}",
        open=is_open,
    )
