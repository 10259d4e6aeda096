"""Drawings as SVG: shapes, words and scales. Colours come from the style of the page, so that they suit light and dark:
a shape takes the text colour of its class.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil, floor, log10

from webkeep.presentation.pages.markup import Markup, element, join_markup

_CHARACTER_WIDTH = 0.55
"""The mean width of a character to the size of its font, in the sans-serif fonts that browsers have."""
_FONT_UNITS = 12.0
"""The size of the font in drawings, as `charts.css` sets it."""
CHART_CLASS = "chart"


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

    def ticks(self, count: int) -> list[float]:
        """So many values evenly along the axis, its ends among them."""
        return [self.low + (self.high - self.low) * number / (count - 1) for number in range(count)]


def round_up(value: float) -> float:
    """The next round number, for the end of an axis."""
    if value <= 0:
        return 1.0
    unit = 10.0 ** floor(log10(value))
    return ceil(2 * value / unit) * unit / 2


def round_up_to_steps(value: float, count: int) -> float:
    """The end of an axis of whole numbers that so many steps lead to, each of a round number."""
    least = max(value / count, 1.0)
    unit = 10.0 ** floor(log10(least))
    return count * next(step * unit for step in (1, 2, 2.5, 5, 10) if step * unit >= least and step * unit % 1 == 0)


def format_tick(value: float) -> str:
    """A number beside an axis."""
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def draw_svg(
    width: float, height: float, *shapes: object, label: str = "", class_: str = CHART_CLASS, centred: bool = False
) -> Markup:
    """A drawing, with zero in its upper left corner or in its middle; its label is what is said of it to those who
    cannot see it, and without one it is hidden from them.
    """
    left, top = (-width / 2, -height / 2) if centred else (0.0, 0.0)
    view = f"{_number(left)} {_number(top)} {_number(width)} {_number(height)}"
    size = {} if label else {"width": _number(width), "height": _number(height), "aria_hidden": "true"}
    drawn = join_markup(shapes)
    # A picture is one thing to those who hear it: what leads somewhere would not be told of.
    told = {"role": "group" if "<a " in drawn else "img", "aria_label": label} if label else {}
    return Markup(element("svg", drawn, class_=class_ or None, viewBox=view, **size, **told) + "\n")


def draw_line(x1: float, y1: float, x2: float, y2: float, class_: str | None = None) -> Markup:
    """A straight line."""
    return _draw_shape("line", class_, x1=x1, x2=x2, y1=y1, y2=y2)


def draw_rect(x: float, y: float, width: float, height: float, class_: str | None = None, title: str = "") -> Markup:
    """A rectangle."""
    return _draw_shape("rect", class_, title, x=x, y=y, width=max(width, 0.0), height=max(height, 0.0))


def draw_circle(x: float, y: float, radius: float, class_: str | None = None, title: str = "") -> Markup:
    """A circle, and what is said where one points at it."""
    return _draw_shape("circle", class_, title, cx=x, cy=y, r=radius)


def draw_polyline(points: Iterable[tuple[float, float]], class_: str | None = None) -> Markup:
    """A line through points."""
    return draw_path("M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in points), class_)


def draw_bend(start: tuple[float, float], end: tuple[float, float]) -> Markup:
    """A line from above to below that leaves and arrives upright."""
    middle = (start[1] + end[1]) / 2
    numbers = " ".join(map(_number, (start[0], middle, end[0], middle, *end)))
    return draw_path(f"M{_number(start[0])} {_number(start[1])}C{numbers}")


def draw_cross(x: float, y: float, size: float) -> Markup:
    """Two lines that cross at a place."""
    return draw_path(f"M{_number(x - size)} {_number(y - size)}l{_number(2 * size)} {_number(2 * size)}"
                     f"m0 {_number(-2 * size)}l{_number(-2 * size)} {_number(2 * size)}")  # fmt: skip


def draw_path(steps: str, class_: str | None = None, title: str = "") -> Markup:
    """A line by its steps, as SVG writes them."""
    return element("path", element("title", title) if title else None, class_=class_, d=steps)


def draw_text(x: float, y: float, text: str, side: str = "start") -> Markup:
    """Words that start, end or have their middle at a place."""
    return element("text", text, x=_number(x), y=_number(y), text_anchor=None if side == "start" else side)


def draw_group(*shapes: object, class_: str | None = None, title: str = "") -> Markup:
    """Shapes of one colour, and what is said where one points at them."""
    return element("g", element("title", title) if title else None, shapes, class_=class_)


def text_width(text: str) -> float:
    """About how many units words take in a drawing."""
    return len(text) * _CHARACTER_WIDTH * _FONT_UNITS


def cut_text(text: str, width: float) -> str:
    """Words as far as there is room for them in a drawing."""
    most = max(int(width / (_CHARACTER_WIDTH * _FONT_UNITS)), 1)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _draw_shape(tag: str, class_: str | None, title: str = "", **numbers: float) -> Markup:
    places = {name: _number(value) for name, value in numbers.items()}
    return element(tag, element("title", title) if title else None, class_=class_, **places)


def _number(value: float) -> str:
    """A coordinate, as exact as a screen shows it."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
