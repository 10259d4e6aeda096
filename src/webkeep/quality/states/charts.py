"""Small charts as SVG: bars, and curves over an axis."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from webkeep.quality.report_html import escape_visible

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 1000.0, 220.0, 90.0, 10.0, 26.0
"""Units of the drawing: its width, the margins left, right and above, and the height of a row."""
_HEIGHT, _BOTTOM = 260.0, 34.0
"""Of a curve, and of the room below its axis."""


def render_bar_chart(title: str, rows: Sequence[tuple[str, float, str]]) -> Iterator[str]:
    """A bar for each row: its name, its length, and the words behind it."""
    if not rows:
        return
    most = max((value for _, value, _ in rows), default=0.0) or 1.0
    height = _TOP * 2 + _ROW * len(rows)
    yield f'<svg class=chart viewBox="0 0 {_WIDTH:g} {height:g}" role="img" aria-label="{escape_visible(title)}">\n'
    for place, (name, value, words) in enumerate(rows):
        y = _TOP + _ROW * place
        length = max(value / most * (_WIDTH - _LEFT - _RIGHT), 0.0)
        yield f'<text x="{_LEFT - 8:g}" y="{y + 17:g}" text-anchor="end">{escape_visible(name[:34])}</text>'
        yield f'<rect class=bar x="{_LEFT:g}" y="{y + 3:g}" width="{length:.1f}" height="{_ROW - 8:g}"/>'
        yield f'<text x="{_LEFT + length + 6:.1f}" y="{y + 17:g}">{escape_visible(words)}</text>\n'
    yield "</svg>\n"


def render_curve_chart(title: str, points: Sequence[tuple[float, float]], x_words: str, y_words: str) -> Iterator[str]:
    """A line through points, whose first numbers grow; both axes begin at zero."""
    if len(points) < 2:
        return
    wide, high = max(x for x, _ in points) or 1.0, max(y for _, y in points) or 1.0
    left, bottom = 60.0, _HEIGHT - _BOTTOM
    placed = " ".join(
        f"{left + x / wide * (_WIDTH - left - 20):.1f},{bottom - y / high * (bottom - _TOP):.1f}" for x, y in points
    )
    yield f'<svg class=chart viewBox="0 0 {_WIDTH:g} {_HEIGHT:g}" role="img" aria-label="{escape_visible(title)}">\n'
    yield f'<line class=axis x1="{left:g}" x2="{_WIDTH - 20:g}" y1="{bottom:g}" y2="{bottom:g}"/>'
    yield f'<line class=axis x1="{left:g}" x2="{left:g}" y1="{_TOP:g}" y2="{bottom:g}"/>'
    yield f'<polyline class=curve points="{placed}"/>'
    yield f'<text x="{left - 6:g}" y="{_TOP + 10:g}" text-anchor="end">{high:,.4g}</text>'
    yield (
        f'<text x="{_WIDTH - 20:g}" y="{_HEIGHT - 8:g}" text-anchor="end">{escape_visible(x_words)}, up to '
        f"{wide:,.4g}</text>"
    )
    yield f'<text x="{left:g}" y="{_HEIGHT - 8:g}">{escape_visible(y_words)}</text>\n</svg>\n'


def cumulative_distribution(numbers: Sequence[float]) -> list[tuple[float, float]]:
    """Which share of the numbers is no larger than each of them (a cumulative distribution)."""
    ordered = sorted(numbers)
    return [(number, (place + 1) / len(ordered)) for place, number in enumerate(ordered)]


def cumulative_sums(numbers: Sequence[float]) -> list[tuple[float, float]]:
    """Which share of the sum the first so many numbers make."""
    whole = sum(numbers) or 1.0
    points, held = [(0.0, 0.0)], 0.0
    for place, number in enumerate(numbers, 1):
        held += number
        points.append((place / len(numbers), held / whole))
    return points
