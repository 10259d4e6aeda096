"""The tree of a page's states: a picture to look over, and a list to open branch by branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

from webkeep.quality.report_html import escape_visible
from webkeep.quality.states.walked_pages import WalkedPage, WalkedView

MAX_VIEWS_DRAWN = 400
"""Views in the drawing of one page; all are in the list below it."""
_WIDTH, _LEVEL_HEIGHT, _MARGIN = 1000.0, 74.0, 24.0
"""Units of the drawing: its width, the height of a level, and the margin."""
_MAX_RESOURCES_LISTED = 30
"""New resources named below one view."""


@dataclass(frozen=True, slots=True)
class _NodeSpot:
    x: float
    y: float
    size: float


def render_state_tree(page: WalkedPage, name: str) -> Iterator[str]:
    """The tree of a page; `name` is what its parts are called on the page that shows them."""
    children: dict[str, list[WalkedView]] = {}
    drawn = page.views[:MAX_VIEWS_DRAWN]
    for view in drawn:
        if view.level:
            children.setdefault(view.parent, []).append(view)
    root = drawn[0]
    yield from _draw_tree(drawn, children, name)
    yield from _render_branch(root, None, children, name, is_open=True)
    if len(page.views) > len(drawn):
        yield f"<p><small>{len(page.views) - len(drawn):,} further views are not drawn.</small></p>\n"


def _draw_tree(drawn: tuple[WalkedView, ...], children: dict[str, list[WalkedView]], name: str) -> Iterator[str]:
    levels: dict[int, list[WalkedView]] = {}
    for view in _walk_tree(drawn[0], children):
        levels.setdefault(view.level, []).append(view)
    spots = {
        view.id: _NodeSpot((place + 1) * _WIDTH / (len(views) + 1), _MARGIN + level * _LEVEL_HEIGHT, _node_radius(view))
        for level, views in levels.items()
        for place, view in enumerate(views)
    }
    height = 2 * _MARGIN + max(levels) * _LEVEL_HEIGHT
    yield f'<svg class=tree viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="Tree of states">\n'
    for view in drawn:
        if view.level and view.parent in spots and view.id in spots:
            above, spot = spots[view.parent], spots[view.id]
            middle = (above.y + spot.y) / 2
            bend = f"{above.x:.1f} {middle:.1f} {spot.x:.1f} {middle:.1f}"
            yield f'<path d="M{above.x:.1f} {above.y:.1f}C{bend} {spot.x:.1f} {spot.y:.1f}"/>'
    seen: set[int] = set()
    for view in drawn:
        if view.id in spots:
            spot = spots[view.id]
            sort = "same" if view.state in seen else "root" if not view.level else "fresh"
            seen.add(view.state)
            words = f"{view.caption}: {len(view.resources):,} resources"
            yield (
                f'<a href="#{name}-{view.id}"><circle class={sort} cx="{spot.x:.1f}" cy="{spot.y:.1f}" '
                f'r="{spot.size:.1f}"><title>{escape_visible(words)}</title></circle></a>'
            )
    yield "\n</svg>\n"


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
) -> Iterator[str]:
    """A view and those below it, to be opened one by one; ways into themselves are not followed."""
    below = [each for each in children.get(view.id, ()) if each.level > view.level]
    fresh = sorted(view.resources - above.resources) if above is not None else []
    count = f"{len(below):,} below, " if below else ""
    new = f"{len(fresh):,} new, " if above is not None else ""
    opened = " open" if is_open else ""
    yield (
        f'<details class=branch id="{name}-{view.id}"{opened}><summary>{escape_visible(view.caption)} '
        f"<small>state {view.state}; {count}{new}{len(view.resources):,} resources</small></summary>\n"
    )
    if fresh:
        yield (
            "<ul class=new>"
            + "".join(f"<li>{escape_visible(each)}</li>" for each in fresh[:_MAX_RESOURCES_LISTED])
            + "</ul>\n"
        )
    for each in below:
        yield from _render_branch(each, view, children, name, is_open=False)
    yield "</details>\n"
