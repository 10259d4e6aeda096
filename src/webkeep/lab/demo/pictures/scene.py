"""The scenes of the town's pictures: what is seen, and in which light."""

from __future__ import annotations

from dataclasses import dataclass

from webkeep.lab.demo.pictures.png import RgbColour


@dataclass(frozen=True, slots=True)
class SceneLight:
    """The colours of an hour of the day."""

    sky: tuple[RgbColour, ...]
    far: RgbColour
    near: RgbColour
    water: tuple[RgbColour, ...]
    sun: RgbColour
    window: RgbColour
    stars: bool = False


SCENE_LIGHTS: dict[str, SceneLight] = {
    "dawn": SceneLight(
        ((58, 76, 122), (143, 122, 161), (240, 160, 140), (255, 214, 165)),
        (168, 140, 165), (46, 56, 82), ((236, 178, 152), (120, 118, 152), (44, 62, 98)),
        (255, 240, 205), (255, 220, 150),
    ),
    "day": SceneLight(
        ((62, 130, 190), (122, 180, 220), (190, 222, 236), (232, 240, 236)),
        (150, 182, 196), (44, 88, 80), ((176, 212, 224), (72, 136, 160), (24, 76, 104)),
        (255, 252, 235), (222, 236, 240),
    ),
    "dusk": SceneLight(
        ((36, 38, 84), (112, 62, 112), (222, 98, 84), (252, 186, 96)),
        (128, 76, 108), (30, 28, 52), ((240, 150, 92), (118, 64, 96), (26, 28, 62)),
        (255, 226, 160), (255, 214, 120),
    ),
    "night": SceneLight(
        ((8, 14, 36), (18, 30, 64), (34, 52, 92), (62, 82, 118)),
        (40, 56, 88), (8, 14, 28), ((50, 70, 106), (20, 34, 62), (6, 12, 28)),
        (238, 240, 228), (255, 206, 110), True,
    ),
    "mist": SceneLight(
        ((150, 166, 176), (186, 196, 200), (214, 218, 216), (232, 232, 226)),
        (188, 198, 200), (84, 102, 106), ((206, 212, 212), (150, 168, 174), (92, 116, 126)),
        (250, 250, 244), (250, 232, 190),
    ),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PictureScene:
    """A view: its light and what stands and sails in it."""

    name: str
    light: str
    caption: str
    houses: int = 0
    boats: int = 0
    lighthouse: bool = False
    peaks: float = 1.0
    water: bool = True


SCENES: dict[str, PictureScene] = {
    scene.name: scene
    for scene in (
        PictureScene("quay-dawn", "dawn", "The quay before the first ferry", houses=9, boats=2),
        PictureScene("harbour-day", "day", "The harbour on a clear day", houses=12, boats=5),
        PictureScene("lighthouse-dusk", "dusk", "The lighthouse on the headland at dusk", boats=1, lighthouse=True),
        PictureScene("old-town-night", "night", "Lit windows along the old town", houses=14, boats=1),
        PictureScene("bay-mist", "mist", "Mist over the bay", boats=2, peaks=0.7),
        PictureScene("regatta", "day", "Sails off the breakwater", boats=9, peaks=0.8),
        PictureScene("fell-dawn", "dawn", "First light on the fell", peaks=1.25, water=False),
        PictureScene("fell-day", "day", "The upper valley", peaks=1.1, water=False),
        PictureScene("tarn-dusk", "dusk", "The tarn above the mill", peaks=1.6),
        PictureScene("harbour-mist", "mist", "The old harbour in the morning", houses=7, boats=1),
        PictureScene("lighthouse-night", "night", "The light seen from the ferry", boats=1, lighthouse=True),
        PictureScene("slipway", "dusk", "The boatyard's slipway", houses=5, boats=3),
    )
}
