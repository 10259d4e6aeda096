"""Landscapes: a sky, ridges fading with distance, the sea, and what stands beside it."""

from __future__ import annotations

import math

from webkeep.lab.demo.pictures.canvas import Canvas, blend_colours
from webkeep.lab.demo.pictures.png import RgbColour
from webkeep.lab.demo.pictures.scene import SCENE_LIGHTS, PictureScene, SceneLight
from webkeep.lab.demo.seeded_random import SeededRandom

_RIDGE_LAYERS = 4
_HORIZON_SHARE = 0.60
_SKY_SHADES, _RIDGE_SHADES, _WATER_SHADES = 96, 14, 56
_DITHER_OFFSETS = (0.0, 0.5, 0.125, 0.625)
_WALL_COLOURS: tuple[RgbColour, ...] = ((178, 84, 66), (222, 186, 128), (236, 228, 210), (96, 126, 134), (196, 132, 92))


def render_landscape(scene: PictureScene, width: int, seed: object) -> bytes:
    """The scene as a PNG of that width and of nine sixteenths its height; every width shows the same view."""
    return _LandscapePainter(scene, width, SeededRandom("landscape", seed, scene.name)).paint().to_png()


class _LandscapePainter:
    def __init__(self, scene: PictureScene, width: int, chance: SeededRandom) -> None:
        self.scene, self.chance = scene, chance
        self.light: SceneLight = SCENE_LIGHTS[scene.light]
        self.canvas = Canvas(width, width * 9 // 16)
        self.width, self.height = width, width * 9 // 16
        self.shore = round(self.height * (_HORIZON_SHARE if scene.water else 1.0))
        self.sun = (chance.uniform(0.2, 0.8), chance.uniform(0.16, 0.42))
        self.ridges = [_Ridge(layer, scene, chance) for layer in range(_RIDGE_LAYERS)]

    def paint(self) -> Canvas:
        """The canvas, painted from the back to the front."""
        self._paint_backdrop()
        if self.light.stars:
            self._paint_stars()
        self._paint_glitter()
        if self.scene.houses:
            self._paint_quay()
        if self.scene.lighthouse:
            self._paint_lighthouse()
        for number in range(self.scene.boats):
            self._paint_boat(number)
        return self.canvas

    def _paint_backdrop(self) -> None:
        sky = self.canvas.add_shades(*self.light.sky, shades=_SKY_SHADES)
        far, near = self.light.far, self.light.near
        haze = self.light.sky[-1]
        layers = []
        for layer in range(_RIDGE_LAYERS):
            top = blend_colours((far, near), layer / (_RIDGE_LAYERS - 1))
            layers.append(self.canvas.add_shades(top, blend_colours((top, haze), 0.35), shades=_RIDGE_SHADES))
        sea = self.canvas.add_shades(*self.light.water, shades=_WATER_SHADES)
        skies = [self._shade_run(sky, self.height, _DITHER_OFFSETS[phase]) for phase in range(4)]
        seas = [self._shade_run(sea, self.height - self.shore, _DITHER_OFFSETS[phase]) for phase in range(4)]
        columns = [self._paint_column(x, skies[x % 4], layers, seas[x * 3 % 4]) for x in range(self.width)]
        self.canvas.fill_columns(columns)
        self._paint_disc()

    @staticmethod
    def _shade_run(shades: range, length: int, dither: float) -> bytes:
        last = len(shades) - 1
        places = ((y / max(1, length)) * last for y in range(length))
        return bytes(shades[min(last, int(place + (dither + 0.25 * (y % 2)) % 1))] for y, place in enumerate(places))

    def _paint_column(self, x: int, sky: bytes, layers: list[range], sea: bytes) -> bytes:
        tops = [self.shore - round(ridge.height(x / self.width) * self.height) for ridge in self.ridges]
        parts, below = [], self.shore
        for top, shades in reversed(list(zip(tops, layers, strict=True))):
            if top < below:
                span = self.height * 0.3
                parts.append(
                    bytes(shades[min(_RIDGE_SHADES - 1, int((y - top) / span * 9))] for y in range(top, below))
                )
                below = top
        return sky[:below] + b"".join(reversed(parts)) + sea

    def _paint_disc(self) -> None:
        """The sun or moon, only where the sky still shows."""
        place = self.canvas.add_shades(self.light.sun)[0]
        x, y = self.sun[0] * self.width, self.sun[1] * self.height
        radius = self.width * 0.032
        pixels, width = self.canvas.pixels, self.width
        for row in range(max(0, int(y - radius)), min(self.height, int(y + radius) + 1)):
            half = max(0.0, radius * radius - (row - y) ** 2) ** 0.5
            for column in range(int(x - half), int(x + half) + 1):
                if pixels[row * width + column] < _SKY_SHADES:
                    pixels[row * width + column] = place

    def _paint_stars(self) -> None:
        place = self.canvas.add_shades((226, 230, 240))[0]
        size = max(1, self.width // 640)
        for _ in range(90):
            x, y = self.chance.uniform(0, self.width), self.chance.uniform(0, self.height * 0.4)
            if self.canvas.pixels[int(y) * self.width + int(x)] < _SKY_SHADES:
                self.canvas.draw_box(x, y, x + size, y + size, place)

    def _paint_glitter(self) -> None:
        """Light on the water: short strokes, dense under the sun."""
        if not self.scene.water:
            return
        bright = self.canvas.add_shades(blend_colours((self.light.sun, self.light.water[0]), 0.25))[0]
        calm = self.canvas.add_shades(blend_colours((self.light.water[0], self.light.water[1]), 0.4))[0]
        depth = self.height - self.shore
        for stroke in range(260):
            near = self.chance.uniform() ** 1.6
            spread = self.chance.uniform(-1, 1) * (0.025 + 0.10 * near)
            x = (self.sun[0] + spread if stroke % 2 else self.chance.uniform()) * self.width
            y = self.shore + near * depth
            half = self.width * (0.003 + 0.010 * near) * self.chance.uniform(0.5, 1.5)
            self.canvas.draw_box(x - half, y, x + half, y + max(1, self.width // 800), bright if stroke % 2 else calm)

    def _paint_quay(self) -> None:
        """A row of gabled houses on a stone quay, with their reflections."""
        unit = self.width / 100
        stone = self.canvas.add_shades(blend_colours((self.light.near, (120, 112, 104)), 0.35))[0]
        walls = [self.canvas.add_shades(blend_colours((wall, self.light.near), 0.28))[0] for wall in _WALL_COLOURS]
        shaded = [self.canvas.add_shades(blend_colours((wall, self.light.near), 0.55))[0] for wall in _WALL_COLOURS]
        roof = self.canvas.add_shades(blend_colours((self.light.near, (92, 52, 48)), 0.45))[0]
        window = self.canvas.add_shades(self.light.window)[0]
        left = self.chance.pick((3.0, 97.0 - self.scene.houses * 5.4)) * unit
        ground = self.shore + 2.2 * unit
        end = left + self.scene.houses * 5.4 * unit
        self.canvas.draw_box(left - 3 * unit, ground, end + 3 * unit, ground + 1.6 * unit, stone)
        for house in range(self.scene.houses):
            colour = self.chance.integer(0, len(walls) - 1)
            wide, tall = self.chance.uniform(4.4, 5.4) * unit, self.chance.uniform(5.0, 9.5) * unit
            x = left + house * 5.4 * unit
            self.canvas.draw_box(x, ground - tall, x + wide, ground, walls[colour])
            self.canvas.draw_box(x + wide * 0.86, ground - tall, x + wide, ground, shaded[colour])
            gable = (ground - tall, x - 0.2 * unit, x + wide + 0.2 * unit)
            self.canvas.draw_wedge((x + wide / 2, ground - tall - 2.6 * unit), gable, roof)
            self._paint_windows(x, ground - tall, wide, tall, window, shaded[colour])
            self._paint_reflection(x, ground + 1.8 * unit, wide, tall * 0.7, shaded[colour])

    def _paint_windows(self, x: float, top: float, wide: float, tall: float, lit: int, dark: int) -> None:
        pane = wide * 0.17
        for floor in range(int(tall / (pane * 2.4))):
            for column in (0.2, 0.58):
                y = top + pane * 0.7 + floor * pane * 2.4
                place = lit if self.chance.uniform() < 0.7 else dark
                self.canvas.draw_box(x + wide * column, y, x + wide * column + pane, y + pane * 1.4, place)

    def _paint_reflection(self, x: float, top: float, wide: float, tall: float, place: int) -> None:
        step = max(2, self.width // 320)
        for row in range(0, int(tall), step):
            sway = math.sin(row * 0.9 / step) * self.width * 0.002
            fade = self.width * 0.0004 * row / step
            self.canvas.draw_box(
                x + sway + fade, top + row, x + wide + sway - fade, top + row + max(1, step // 2), place
            )

    def _paint_lighthouse(self) -> None:
        unit = self.width / 100
        white = self.canvas.add_shades(blend_colours(((240, 236, 226), self.light.near), 0.2))[0]
        red = self.canvas.add_shades(blend_colours(((186, 58, 48), self.light.near), 0.15))[0]
        rock = self.canvas.add_shades(blend_colours((self.light.near, (70, 66, 66)), 0.3))[0]
        lamp = self.canvas.add_shades(self.light.window)[0]
        x, ground = self.chance.pick((20.0, 78.0)) * unit, self.shore + 1.5 * unit
        for row in range(int(7 * unit)):
            half = (9 + row / unit * 2.2) * unit
            self.canvas.draw_stroke(ground - 3 * unit + row, x - half, x + half * 0.8, rock)
        foot, tall = ground - 2.6 * unit, 20 * unit
        for row in range(int(tall)):
            half = (1.5 + 1.1 * row / tall) * unit
            band = red if int(row / tall * 5) % 2 else white
            self.canvas.draw_stroke(foot - tall + row, x - half, x + half, band)
        top = foot - tall
        self.canvas.draw_box(x - 2.1 * unit, top - 0.5 * unit, x + 2.1 * unit, top, rock)
        self.canvas.draw_box(x - 1.1 * unit, top - 2.6 * unit, x + 1.1 * unit, top - 0.5 * unit, lamp)
        self.canvas.draw_wedge((x, top - 4.4 * unit), (top - 2.6 * unit, x - 1.6 * unit, x + 1.6 * unit), red)

    def _paint_boat(self, number: int) -> None:
        near = self.chance.uniform(0.42 if self.scene.houses else 0.12, 0.75)
        size = self.width * (0.018 + 0.035 * near)
        # Each boat keeps to its own stretch of water, or several would become one shape.
        stretch = 0.84 / self.scene.boats
        x = (0.08 + (number + self.chance.uniform(0.2, 0.8)) * stretch) * self.width
        y = self.shore + near * (self.height - self.shore)
        hull = self.canvas.add_shades(blend_colours((self.chance.pick(_WALL_COLOURS), self.light.near), 0.5))[0]
        sail = self.canvas.add_shades(blend_colours(((250, 246, 236), self.light.sky[-2]), 0.25))[0]
        shade = self.canvas.add_shades(blend_colours((self.light.water[1], (250, 246, 236)), 0.22))[0]
        self._paint_reflection(x - size * 0.5, y + size * 0.42, size, size * 1.1, shade)
        for row in range(max(2, int(size * 0.32))):
            tuck = row * 0.8
            self.canvas.draw_stroke(y + row, x - size + tuck, x + size - tuck, hull)
        self.canvas.draw_wedge((x, y - size * 2.1), (y - size * 0.15, x, x + size * 0.85), sail)
        self.canvas.draw_wedge(
            (x - size * 0.08, y - size * 1.7), (y - size * 0.15, x - size * 0.7, x - size * 0.08), sail
        )


class _Ridge:
    """One line of hills: a few waves of falling length and height."""

    def __init__(self, layer: int, scene: PictureScene, chance: SeededRandom) -> None:
        nearness = layer / (_RIDGE_LAYERS - 1)
        tall = (0.20 - 0.13 * nearness) if scene.water else (0.52 - 0.36 * nearness)
        self._tall = tall * (scene.peaks if scene.water else scene.peaks * 0.75)
        self._waves = [
            (chance.uniform(0.8, 1.3) * 1.9**octave, chance.uniform(0, math.tau), 0.55**octave) for octave in range(7)
        ]
        self._total = sum(part for _, _, part in self._waves)

    def height(self, x: float) -> float:
        """The ridge's height above the shore at that part of the width."""
        waves = sum(math.sin(x * often * math.tau + phase) * part for often, phase, part in self._waves)
        folded = 1 - abs(waves / self._total)
        return self._tall * (0.25 + 0.75 * folded * folded)
