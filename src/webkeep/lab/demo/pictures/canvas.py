"""A canvas of palette places with the few strokes the landscapes need, in units of the picture's width."""

from __future__ import annotations

from collections.abc import Sequence

from webkeep.lab.demo.pictures.png import RgbColour, encode_png


class Canvas:
    """Pixels by rows; colours are mixed beforehand and named by their place in the palette."""

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.pixels = bytearray(width * height)
        self.palette: list[RgbColour] = []

    def add_shades(self, *stops: RgbColour, shades: int = 1) -> range:
        """Add a run of shades that blends through the stops; its palette places."""
        first = len(self.palette)
        for shade in range(shades):
            self.palette.append(blend_colours(stops, shade / max(1, shades - 1)))
        return range(first, len(self.palette))

    def fill_columns(self, columns: Sequence[bytes]) -> None:
        """Fill the whole canvas from its columns, top to bottom."""
        joined = b"".join(columns)
        rows = (joined[y :: self.height] for y in range(self.height))
        self.pixels[:] = b"".join(rows)

    def draw_stroke(self, y: float, left: float, right: float, place: int) -> None:
        """A horizontal line, cut at the edges."""
        row, first, last = int(y), max(0, round(left)), min(self.width, round(right))
        if 0 <= row < self.height and first < last:
            at = row * self.width
            self.pixels[at + first : at + last] = bytes((place,)) * (last - first)

    def draw_box(self, left: float, top: float, right: float, bottom: float, place: int) -> None:
        """A filled rectangle."""
        for y in range(round(top), round(bottom)):
            self.draw_stroke(y, left, right, place)

    def draw_wedge(self, top: tuple[float, float], base: tuple[float, float, float], place: int) -> None:
        """A filled triangle from a point down (or up) to a level base: (y, left, right)."""
        (tip_x, tip_y), (base_y, left, right) = top, base
        down = 1 if base_y >= tip_y else -1
        span = abs(base_y - tip_y) or 1
        for step in range(int(span) + 1):
            part = step / span
            self.draw_stroke(tip_y + down * step, tip_x + (left - tip_x) * part, tip_x + (right - tip_x) * part, place)

    def draw_disc(self, x: float, y: float, radius: float, place: int) -> None:
        """A filled circle."""
        for row in range(int(y - radius), int(y + radius) + 1):
            half = max(0.0, radius * radius - (row - y) ** 2) ** 0.5
            self.draw_stroke(row, x - half, x + half, place)

    def to_png(self) -> bytes:
        """The picture as a PNG file."""
        return encode_png(self.width, self.height, self.pixels, self.palette)


def blend_colours(stops: Sequence[RgbColour], part: float) -> RgbColour:
    """The colour so far along the way through the stops."""
    if len(stops) == 1:
        return stops[0]
    along = part * (len(stops) - 1)
    at = min(int(along), len(stops) - 2)
    red, green, blue = (round(a + (b - a) * (along - at)) for a, b in zip(stops[at], stops[at + 1], strict=True))
    return red, green, blue
