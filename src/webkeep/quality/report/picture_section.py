"""The section of a report with its large pictures: the tree of the capture with its changes, and the change scatter
(media type × directory × URL), each with its table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from webkeep.presentation import format_count
from webkeep.presentation.drawings import render_colour_legend, render_scatter_canvas, render_tree_canvas
from webkeep.presentation.pages import element
from webkeep.quality.certificates import DefectNode, RevisitColour
from webkeep.quality.report.archive_report import ArchiveReport
from webkeep.quality.report.report_parts import count_cell, render_folded, render_numbers, shorten_url
from webkeep.quality.report.url_course import SeriesChange

MAX_NODES = 60_000
"""Nodes that are drawn, those nearest to where the capture began first; GraphML and JSON have them all."""
_MAX_DIRECTORIES = 60
"""Directories that the scatter tells apart; the others are drawn as one."""
_OTHER_DIRECTORIES = "others"
_CHANGES = (
    SeriesChange.SAME,
    SeriesChange.CHANGED,
    SeriesChange.NEW,
    SeriesChange.DELETED,
    SeriesChange.UNKNOWN,
)
_MAX_COLLAPSED_NODES = 30
"""The largest parts without a change that are listed."""
_COLOUR_WORDS = (
    (RevisitColour.GREEN, "stayed the same, or differs in noise alone"),
    (RevisitColour.YELLOW, "changed in content"),
    (RevisitColour.RED, "changed in its links"),
    (RevisitColour.BLACK, "is gone"),
    (RevisitColour.BLUE, "is new"),
)
_TREE_HELP = (
    "Point at a node for its address; drag to move the tree; click into it, and the wheel and the keys + and - zoom. "
    "Two fingers do both."
)
_SCATTER_HELP = (
    "Flat, a row is a directory, a column a type, and a square a URL. Point at one for its address; drag the cube, or "
    "use the arrow keys, to turn it."
)


def render_picture_section(report: ArchiveReport) -> Iterator[object]:
    """Where changes lie on the site."""
    if report.nodes:
        yield from _render_tree(report.nodes)
    if report.points and len(report.series.captures) > 1:
        yield from _render_scatter(report)


def _render_tree(nodes: Sequence[DefectNode]) -> Iterator[object]:
    drawn = choose_nodes(nodes)
    seen = {each.colour for each in drawn}
    left_out = f" {len(nodes) - len(drawn):,} more are in the JSON file." if len(drawn) < len(nodes) else ""
    yield element("h3", "The tree of the capture")
    yield render_tree_canvas(
        f"The tree by which the capture found its pages, {len(drawn):,} nodes",
        tree_values(drawn),
        render_colour_legend((f"tree-{each.name.lower()}", words) for each, words in _COLOUR_WORDS if each in seen),
        f"{format_count(len(drawn), 'node')}. A page hangs from the one that led to it; what hangs below a page "
        f"without a change is one node, the larger the more pages it stands for.{left_out} {_TREE_HELP}",
    )
    counts = Counter(str(each.colour) for each in nodes if not each.is_collapsed)
    rows = [(str(colour), count_cell(counts[str(colour)])) for colour in RevisitColour if counts[str(colour)]]
    collapsed = sorted((each for each in nodes if each.is_collapsed), key=lambda each: -each.pages)[
        :_MAX_COLLAPSED_NODES
    ]
    calm = [(shorten_url(each.parent), count_cell(each.pages)) for each in collapsed]
    yield render_folded(
        "The numbers",
        render_numbers(("pages drawn by themselves", "pages"), rows),
        render_numbers(("parts without a change, below", "pages"), calm) if calm else None,
    )


def choose_nodes(nodes: Sequence[DefectNode], most: int = MAX_NODES) -> list[DefectNode]:
    """As many nodes as are drawn, none of them without the one it hangs from."""
    if len(nodes) <= most:
        return list(nodes)
    below: dict[str, list[DefectNode]] = {}
    for node in nodes:
        below.setdefault(node.parent, []).append(node)
    chosen: list[DefectNode] = []
    level = below.get("", [])
    while level and len(chosen) < most:
        chosen += level[: most - len(chosen)]
        level = [child for node in level for child in below.get(node.name, ())]
    return chosen


def tree_values(nodes: Sequence[DefectNode]) -> dict[str, object]:
    """A tree as the script takes it."""
    numbers = {node.name: number for number, node in enumerate(nodes)}
    colours = {colour: number for number, colour in enumerate(RevisitColour)}
    return {
        "parents": [numbers.get(node.parent, -1) if node.parent else -1 for node in nodes],
        "colours": [colours[node.colour] for node in nodes],
        "sizes": [node.pages for node in nodes],
        "names": [shorten_url(node.name) for node in nodes],
    }


def _render_scatter(report: ArchiveReport) -> Iterator[object]:
    points = report.points
    seen = {each.change for each in points}
    groups = sorted({str(each.group) for each in points})
    common = Counter(each.directory for each in points).most_common(_MAX_DIRECTORIES)
    directories = sorted(name for name, _ in common)
    numbers = {name: number for number, name in enumerate([*directories, _OTHER_DIRECTORIES])}
    other = numbers[_OTHER_DIRECTORIES]
    has_others = any(each.directory not in numbers for each in points)
    values = {
        "groups": groups,
        "directories": [*_name_directories(directories), *([_OTHER_DIRECTORIES] if has_others else [])],
        "points": [
            (
                groups.index(str(each.group)),
                numbers.get(each.directory, other),
                _CHANGES.index(each.change),
                f"{shorten_url(each.url)}: {each.change}",
            )
            for each in points
        ],
    }
    yield element("h3", "Changes by type, directory and URL")
    yield render_scatter_canvas(
        f"{len(points):,} resources by type, directory and URL, coloured by what became of them",
        values,
        render_colour_legend((f"change-{each}", str(each)) for each in _CHANGES if each in seen),
        f"{format_count(len(points), 'resource')} of the last capture against the one before: type, directory, and "
        f"upwards the URLs of both. {_SCATTER_HELP}",
    )
    counted = Counter((each.directory, each.change) for each in points)
    rows = [(shorten_url(name), *(count_cell(counted[name, change]) for change in _CHANGES)) for name in directories]
    yield render_folded("The numbers", render_numbers(("directory", *map(str, _CHANGES)), rows))


def _name_directories(directories: Sequence[str]) -> list[str]:
    """As short as they can be told apart: without their host where all are of one."""
    origins = {_origin_of(each) for each in directories}
    if len(origins) != 1:
        return [shorten_url(each) for each in directories]
    return [shorten_url(each[len(_origin_of(each)) :] or each) for each in directories]


def _origin_of(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return f"{scheme}{mark}{rest.partition('/')[0]}"
