"""Drawings in SVG: the emblem, the town map, small charts."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.demo.pictures.canvas import Canvas
from webkeep.lab.demo.seeded_random import SeededRandom

_SVG = '<svg xmlns="http://www.w3.org/2000/svg" viewBox="{box}" role="img" aria-label="{label}">{inner}</svg>\n'


def render_emblem() -> str:
    """The town's emblem: a lighthouse over two waves."""
    inner = (
        '<circle cx="32" cy="32" r="31" fill="#12485a"/>'
        '<path d="M4 24 28 18 28 24z M60 24 36 18 36 24z" fill="#f3c969" opacity=".75"/>'
        '<path d="M28 14h8l-1-4-3-3-3 3z" fill="#c8503c"/><path d="M28 15h8v6h-8z" fill="#f3c969"/>'
        '<path d="M27.500 22h9L39 44H25z" fill="#f7f3e8"/><path d="M26.700 29h10.600l.700 6H26z" fill="#c8503c"/>'
        '<path d="M6 46c6-5 12-5 17 0s11 5 17 0 12-5 18-1" fill="none" stroke="#9fd3d6" stroke-width="3"/>'
        '<path d="M11 54c5-4 10-4 14 0s9 4 14 0 9-4 14-1" fill="none" stroke="#9fd3d6" stroke-width="3"/>'
    )
    return _SVG.format(box="0 0 64 64", label="Emblem of Tidewick", inner=inner)


def render_town_map(seed: int) -> str:
    """A plan of the town: bay, streets and blocks."""
    chance = SeededRandom(seed, "map")
    blocks = []
    for row in range(7):
        for column in range(11):
            x, y = 40 + column * 66, 40 + row * 44
            if y < 330 - column * 14:
                shrink = chance.uniform(2, 10)
                blocks.append(f'<rect x="{x}" y="{y}" width="{58 - shrink:.0f}" height="34" rx="3"/>')
    inner = (
        '<rect width="800" height="450" fill="#efe6d2"/>'
        '<path d="M0 450V372C160 360 260 330 400 300S640 190 800 190V450z" fill="#7fb6c1"/>'
        '<path d="M0 372C160 360 260 330 400 300S640 190 800 190" fill="none" stroke="#f7f3e8" stroke-width="8"/>'
        f'<g fill="#cdb99a">{"".join(blocks)}</g>'
        '<path d="M420 302 520 380" stroke="#6b5c4c" stroke-width="9"/><circle cx="526" cy="386" r="9" fill="#c8503c"/>'
        '<g font-family="Georgia,serif" font-size="17" fill="#22333b"><text x="540" y="392">Breakwater light</text>'
        '<text x="160" y="420" fill="#12485a">Tidewick Bay</text><text x="60" y="30">Old town</text></g>'
    )
    return _SVG.format(box="0 0 800 450", label="Plan of the town", inner=inner)


def render_curve(values: Sequence[float], label: str) -> str:
    """A line chart of readings, for use inside a page."""
    low, high = min(values), max(values)
    span = (high - low) or 1.0
    step = 400 / max(1, len(values) - 1)
    points = [f"{place * step:.1f},{90 - (value - low) / span * 76:.1f}" for place, value in enumerate(values)]
    line = " ".join(points)
    return (
        f'<svg class="curve" viewBox="0 0 400 100" role="img" aria-label="{label}" preserveAspectRatio="none">'
        f'<polygon points="0,100 {line} 400,100"/><polyline points="{line}"/></svg>'
    )


def render_icon(side: int) -> bytes:
    """The emblem in the plain shapes an icon of few pixels can hold, as PNG."""
    canvas = Canvas(side, side)
    unit = side / 64
    sea, wall, red, lamp, wave = (
        canvas.add_shades(colour)[0]
        for colour in ((18, 72, 90), (247, 243, 232), (200, 80, 60), (243, 201, 105), (159, 211, 214))
    )
    canvas.draw_box(0, 0, side, side, sea)
    canvas.draw_wedge((32 * unit, 5 * unit), (15 * unit, 26 * unit, 38 * unit), red)
    canvas.draw_box(28 * unit, 15 * unit, 36 * unit, 22 * unit, lamp)
    for row in range(int(24 * unit)):
        half = (4.5 + 2.5 * row / (24 * unit)) * unit
        canvas.draw_stroke(22 * unit + row, 32 * unit - half, 32 * unit + half, red if 8 <= row / unit < 15 else wall)
    for top in (48, 55):
        canvas.draw_box(6 * unit, top * unit, 58 * unit, (top + 3) * unit, wave)
    return canvas.to_png()
