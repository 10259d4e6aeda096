"""Line plots as SVG, drawn by hand: colours come from the page's style sheet, so that they suit light and dark."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from html import escape
from math import ceil, floor, log10

WIDTH, HEIGHT = 640, 340
"""Units of the drawing."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 16, 14, 44
"""Margins around the plot, with room for the names of axes and ticks."""
_TICK_COUNT = 5


@dataclass(frozen=True, slots=True)
class PlotLine:
    """Points under one name; `style` is a class of the style sheet."""

    name: str
    points: tuple[tuple[float, float], ...]
    style: str


@dataclass(frozen=True, slots=True)
class PlotAxis:
    """From where to where values go, and whether by powers of ten."""

    low: float
    high: float
    is_log: bool = False

    def share(self, value: float) -> float:
        """How far along the axis a value lies, from zero to one."""
        low, high, at = (log10(each) if self.is_log else each for each in (self.low, self.high, value))
        return (at - low) / (high - low) if high > low else 0.5


def render_plot(lines: Sequence[PlotLine], across: str, upward: str, is_log: bool = False) -> str:
    """The lines over one another, with the points' names and values as tooltips."""
    points = [point for line in lines for point in line.points]
    if not points:
        return ""
    horizontal = _build_axis([x for x, _ in points], is_log)
    vertical = PlotAxis(0.0, _round_up(max(y for _, y in points)))
    ticks = sorted({x for x, _ in points})
    parts = [
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(upward)} by {escape(across)}">',
        *_render_grid(horizontal, vertical, ticks),
        *(_render_line(line, horizontal, vertical) for line in lines),
        f'<text class="name" x="{(_LEFT + WIDTH - _RIGHT) / 2:.0f}" y="{HEIGHT - 6}">{escape(across)}</text>',
        "</svg>",
    ]
    return "".join(parts)


def render_legend(lines: Iterable[PlotLine]) -> str:
    """The names of lines beside a piece of each."""
    stroke = '<svg viewBox="0 0 28 10" class="key"><path class="{}" d="M1 5H27"/></svg>'
    entries = (f"<li>{stroke.format(line.style)}{escape(line.name)}</li>" for line in lines)
    return f'<ul class="legend">{"".join(entries)}</ul>'


def _build_axis(values: Sequence[float], is_log: bool) -> PlotAxis:
    return PlotAxis(min(values), max(values), is_log)


def _round_up(value: float) -> float:
    """The next round number."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return ceil(2 * value / unit) * unit / 2


def _render_grid(horizontal: PlotAxis, vertical: PlotAxis, ticks: Sequence[float]) -> Iterable[str]:
    for number in range(_TICK_COUNT + 1):
        value = vertical.high * number / _TICK_COUNT
        y = _y(vertical, value)
        yield f'<path class="grid" d="M{_LEFT} {y:.1f}H{WIDTH - _RIGHT}"/>'
        yield f'<text class="tick y" x="{_LEFT - 8}" y="{y + 4:.1f}">{_format_number(value)}</text>'
    for tick in ticks:
        yield f'<text class="tick x" x="{_x(horizontal, tick):.1f}" y="{HEIGHT - 24}">{_format_number(tick)}</text>'


def _render_line(line: PlotLine, horizontal: PlotAxis, vertical: PlotAxis) -> str:
    places = [(_x(horizontal, x), _y(vertical, y), y) for x, y in line.points]
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y, _ in places)
    dots = "".join(
        f'<circle class="{line.style}" cx="{x:.1f}" cy="{y:.1f}" r="3"><title>{escape(line.name)}: {value:,.6g}'
        "</title></circle>"
        for x, y, value in places
    )
    return f'<path class="{line.style}" d="M{path}"/>{dots}'


def _x(axis: PlotAxis, value: float) -> float:
    return _LEFT + axis.share(value) * (WIDTH - _LEFT - _RIGHT)


def _y(axis: PlotAxis, value: float) -> float:
    return HEIGHT - _BOTTOM - axis.share(value) * (HEIGHT - _TOP - _BOTTOM)


def _format_number(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:g}"
