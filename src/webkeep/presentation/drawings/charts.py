"""Charts as SVG, made of drawings: bars, columns, and lines over axes with their legend; how large they are, where
ticks stand, and which class of colour and dashes a line gets.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from webkeep.presentation.drawings.drawing import (
    CHART_CLASS,
    PlotAxis,
    cut_text,
    draw_circle,
    draw_line,
    draw_polyline,
    draw_rect,
    draw_svg,
    draw_text,
    format_tick,
    round_up,
    text_width,
)
from webkeep.presentation.pages.markup import Markup, element, join_markup

_BAR_WIDTH, _BAR_LEFT, _BAR_RIGHT, _BAR_ROW = 640.0, 230.0, 80.0, 24.0
"""Units of a chart of bars: its width, the room for names and for words behind bars, and the height of a row."""
_NARROW_WIDTH, _NARROW_ROW = 340.0, 38.0
"""Units of the same for phones: a window's width, and a row of two lines."""
_CHART_WIDTH, _COLUMN_HEIGHT, _MAX_COLUMN_WIDTH = 640.0, 160.0, 80.0
"""Units of a chart of columns: its width, the height of the highest, and how wide a column gets at most."""
_PLOT_WIDTH, _PLOT_HEIGHT = 640.0, 340.0
"""Units of a plot of lines."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 16.0, 14.0, 44.0
"""Margins around a plot, with room for the names of axes and ticks."""
_TICK_COUNT = 6
"""Lines across a plot: enough to read a value by, few enough to label."""
_MAX_MARKED_POINTS = 24
"""Points of a line that are marked one by one, and that ticks stand under; of more the line is enough."""
SERIES_COUNT = 8
"""Classes `series0` to `series7` of `charts.css`, the colours of lines beside each other."""
_DASHES = ("", "dashed", "dotted")


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Points under one name; `style` is a class of the style sheet."""

    name: str
    points: tuple[tuple[float, float], ...]
    style: str


def series_style(colour: int, dash: int = 0) -> str:
    """The classes of a line by the numbers of its colour and of its dashes, whatever they are."""
    return f"series{colour % SERIES_COUNT} {_DASHES[dash % len(_DASHES)]}".strip()


def render_bar_chart(title: str, rows: Sequence[tuple[str, float, str]]) -> Markup:
    """A bar for each row: its name, its length, and the words behind it; drawn a second time for phones, where names
    stand above their bars, and the style sheet shows one of the two.
    """
    if not rows:
        return Markup("")
    most = max(value for _, value, _ in rows) or 1.0
    return join_markup((_draw_wide_bars(title, rows, most), _draw_narrow_bars(title, rows, most)))


def _draw_wide_bars(title: str, rows: Sequence[tuple[str, float, str]], most: float) -> Markup:
    shapes: list[Markup] = []
    for place, (name, value, words) in enumerate(rows):
        y = 10 + _BAR_ROW * place
        length = value / most * (_BAR_WIDTH - _BAR_LEFT - _BAR_RIGHT)
        shapes.append(draw_text(_BAR_LEFT - 8, y + 17, cut_text(name, _BAR_LEFT), "end"))
        shapes.append(draw_rect(_BAR_LEFT, y + 3, length, _BAR_ROW - 8, "bar"))
        shapes.append(draw_text(_BAR_LEFT + length + 6, y + 17, words))
    return draw_svg(_BAR_WIDTH, 20 + _BAR_ROW * len(rows), shapes, label=title, class_=f"{CHART_CLASS} wide")


def _draw_narrow_bars(title: str, rows: Sequence[tuple[str, float, str]], most: float) -> Markup:
    shapes: list[Markup] = []
    room = _NARROW_WIDTH - 8 - max(text_width(words) for _, _, words in rows)
    for place, (name, value, words) in enumerate(rows):
        y = _NARROW_ROW * place
        length = value / most * max(room, _NARROW_WIDTH / 4)
        shapes.append(draw_text(0, y + 14, cut_text(name, _NARROW_WIDTH)))
        shapes.append(draw_rect(0, y + 19, length, _BAR_ROW - 10, "bar"))
        shapes.append(draw_text(length + 6, y + 31, words))
    return draw_svg(_NARROW_WIDTH, _NARROW_ROW * len(rows) + 4, shapes, label=title, class_=f"{CHART_CLASS} narrow")


def render_column_chart(title: str, counts: Mapping[str, int]) -> Markup:
    """A column for each name, in their order."""
    if not counts:
        return Markup("")
    most = max(counts.values()) or 1
    step = min(_CHART_WIDTH / len(counts), _MAX_COLUMN_WIDTH)
    shapes: list[Markup] = []
    for place, (name, count) in enumerate(counts.items()):
        height, middle = count / most * _COLUMN_HEIGHT, (place + 0.5) * step
        top = _COLUMN_HEIGHT + 14 - height
        shapes.append(draw_rect(middle - step * 0.4, top, step * 0.8, height, "bar", f"{name}: {count:,}"))
        shapes.append(draw_text(middle, _COLUMN_HEIGHT + 30, name, "middle"))
        shapes.append(draw_text(middle, top - 4, f"{count:,}", "middle"))
    return draw_svg(_CHART_WIDTH, _COLUMN_HEIGHT + 34, shapes, label=title)


def render_line_plot(lines: Sequence[PlotLine], across: str, upward: str, is_log: bool = False) -> Markup:
    """Lines over one another; where points are few they are marked, and say their name and value."""
    points = [point for line in lines for point in line.points]
    if not points:
        return Markup("")
    values = sorted({x for x, _ in points})
    is_marked = len(values) <= _MAX_MARKED_POINTS
    horizontal = PlotAxis(values[0] if is_marked else min(values[0], 0.0), values[-1], is_log)
    plot = _PlotArea(horizontal, PlotAxis(0.0, round_up(max(y for _, y in points))))
    ticks = values if is_marked else horizontal.ticks(_TICK_COUNT)
    shapes = [
        *plot.draw_grid(ticks),
        *(plot.draw_line(line, is_marked) for line in lines),
        draw_text((_LEFT + _PLOT_WIDTH - _RIGHT) / 2, _PLOT_HEIGHT - 6, across, "middle"),
    ]
    return draw_svg(_PLOT_WIDTH, _PLOT_HEIGHT, shapes, label=f"{upward} by {across}")


def render_legend(lines: Iterable[PlotLine]) -> Markup:
    """The names of lines beside a piece of each."""
    entries = (
        element("li", draw_svg(28, 10, draw_line(1, 5, 27, 5, line.style), class_="chart key"), line.name)
        for line in lines
    )
    return element("ul", entries, class_="legend")


def render_figure(chart: Markup, *caption: object, class_: str | None = None) -> Markup:
    """A chart with what is said of it; nothing where there is no chart."""
    if not chart:
        return chart
    below = element("figcaption", caption) if caption else None
    # On a phone a chart is pushed sideways, with the keyboard too.
    reached = None if class_ == "small" else "0"
    return join_markup((element("figure", chart, below, class_=class_, tabindex=reached), Markup("\n")))


@dataclass(frozen=True, slots=True)
class _PlotArea:
    """Values as places within the margins of a plot."""

    horizontal: PlotAxis
    vertical: PlotAxis

    def x(self, value: float) -> float:
        return _LEFT + self.horizontal.share(value) * (_PLOT_WIDTH - _LEFT - _RIGHT)

    def y(self, value: float) -> float:
        return _PLOT_HEIGHT - _BOTTOM - self.vertical.share(value) * (_PLOT_HEIGHT - _TOP - _BOTTOM)

    def draw_grid(self, ticks: Sequence[float]) -> Iterable[Markup]:
        for value in self.vertical.ticks(_TICK_COUNT):
            y = self.y(value)
            yield draw_line(_LEFT, y, _PLOT_WIDTH - _RIGHT, y, "grid")
            yield draw_text(_LEFT - 8, y + 4, format_tick(value), "end")
        for tick in ticks:
            yield draw_text(self.x(tick), _PLOT_HEIGHT - 24, format_tick(tick), "middle")

    def draw_line(self, line: PlotLine, is_marked: bool) -> Markup:
        places = [(self.x(x), self.y(y), y) for x, y in line.points]
        dots = [draw_circle(x, y, 3, line.style, f"{line.name}: {value:,.6g}") for x, y, value in places if is_marked]
        return join_markup((draw_polyline(((x, y) for x, y, _ in places), line.style) if places else None, dots))
