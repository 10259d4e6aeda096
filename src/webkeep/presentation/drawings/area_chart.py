"""Stacked areas as SVG: how several counts make up a whole over a series, one place after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from webkeep.presentation.drawings.drawing import (
    CHART_CLASS,
    PlotAxis,
    draw_line,
    draw_path,
    draw_rect,
    draw_svg,
    draw_text,
    format_tick,
    round_up_to_steps,
    text_width,
)
from webkeep.presentation.pages.markup import Markup, element, join_markup

_WIDTH, _HEIGHT = 640.0, 240.0
"""Units of the drawing: as wide as other charts are, and low enough for three below each other."""
_NARROW_WIDTH = 340.0
"""The width of the same for phones: a window's."""
_LEFT, _RIGHT, _TOP, _BOTTOM = 64.0, 16.0, 10.0, 34.0
"""Margins around the areas, with room for ticks."""
_TICK_COUNT = 5
"""Lines across: enough to read a count by in so low a drawing."""
_MAX_COLUMNS = 3
"""Places that are drawn as columns: between so few nothing slopes, as nobody looked there."""
_NAME_GAP = 8.0
"""Units between two names under the drawing, at least."""


@dataclass(frozen=True, slots=True)
class AreaBand:
    """A count at every place; `style` is a class of the style sheet."""

    name: str
    counts: tuple[int, ...]
    style: str


def render_area_chart(
    title: str, places: Sequence[str], bands: Sequence[AreaBand], write: Callable[[float], str] = format_tick
) -> Markup:
    """Bands upon one another, the first at the bottom; few places are drawn as columns, and all of it a second time for
    phones.

    `write` makes words of the counts beside it.
    """
    totals = [sum(counts) for counts in zip(*(band.counts for band in bands), strict=True)]
    if not totals or not max(totals):
        return Markup("")
    upward = PlotAxis(0.0, round_up_to_steps(max(totals), _TICK_COUNT - 1))
    drawn = ((_WIDTH, "wide"), (_NARROW_WIDTH, "narrow"))
    return join_markup(
        _draw_areas(title, _AreaPlot(len(places), upward, width), places, bands, write, style) for width, style in drawn
    )


def _draw_areas(
    title: str,
    area: _AreaPlot,
    places: Sequence[str],
    bands: Sequence[AreaBand],
    write: Callable[[float], str],
    style: str,
) -> Markup:
    tops = list(
        accumulate((band.counts for band in bands), lambda low, high: tuple(map(sum, zip(low, high, strict=True))))
    )
    floors = [(0,) * len(places), *tops[:-1]]
    shapes: list[object] = list(area.draw_ticks(places, write))
    for band, low, high in zip(bands, floors, tops, strict=True):
        if any(band.counts):
            shapes.append(area.draw_band(band, low, high))
    return draw_svg(area.width, _HEIGHT, shapes, label=title, class_=f"{CHART_CLASS} {style}")


def render_area_legend(bands: Iterable[AreaBand]) -> Markup:
    """The names of bands beside a piece of each."""
    return render_colour_legend((band.style, band.name) for band in bands)


def render_colour_legend(colours: Iterable[tuple[str, str]]) -> Markup:
    """Words beside a piece of each colour; a colour is a class of the style sheet."""
    entries = (
        element("li", draw_svg(14, 10, draw_rect(0, 0, 14, 10, style), class_="chart key"), words)
        for style, words in colours
    )
    return element("ul", entries, class_="legend")


@dataclass(frozen=True, slots=True)
class _AreaPlot:
    """Places and counts within the margins."""

    places: int
    upward: PlotAxis
    width: float

    @property
    def has_columns(self) -> bool:
        """Whether places stand apart."""
        return self.places <= _MAX_COLUMNS

    def x(self, place: float) -> float:
        """The middle of a place; of a column half a step to both sides belongs to it."""
        room = self.width - _LEFT - _RIGHT
        return _LEFT + room * ((place + 0.5) / self.places if self.has_columns else place / (self.places - 1))

    def y(self, count: float) -> float:
        return _HEIGHT - _BOTTOM - self.upward.share(count) * (_HEIGHT - _TOP - _BOTTOM)

    def draw_band(self, band: AreaBand, low: Sequence[int], high: Sequence[int]) -> Markup:
        around = (-0.3, 0.3) if self.has_columns else (0.0,)
        above = [(self.x(place + by), self.y(high[place])) for place in range(self.places) for by in around]
        below = [(self.x(place + by), self.y(low[place])) for place in range(self.places) for by in around]
        pieces = (
            zip(*(_chunk(each, 2) for each in (above, below)), strict=True) if self.has_columns else ((above, below),)
        )
        steps = ("M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in [*top, *reversed(floor)]) + "Z" for top, floor in pieces)
        return draw_path("".join(steps), f"area {band.style}", band.name)

    def draw_ticks(self, places: Sequence[str], write: Callable[[float], str]) -> Iterable[Markup]:
        for count in self.upward.ticks(_TICK_COUNT):
            yield draw_line(_LEFT, self.y(count), self.width - _RIGHT, self.y(count), "grid")
            yield draw_text(_LEFT - 8, self.y(count) + 4, write(count), "end")
        # Of more places than there is room for names, every so many has one.
        most = int((self.width - _LEFT - _RIGHT) / (max(map(text_width, places)) + _NAME_GAP))
        step = -(-len(places) // max(most, 1))
        for place in range(0, len(places), step):
            # The last name would reach beyond the drawing.
            is_last = not self.has_columns and self.places == place + 1
            x, anchor = (self.width, "end") if is_last else (self.x(place), "middle")
            yield draw_text(x, _HEIGHT - 12, places[place], anchor)


def _chunk(points: Sequence[tuple[float, float]], size: int) -> list[Sequence[tuple[float, float]]]:
    return [points[at : at + size] for at in range(0, len(points), size)]
