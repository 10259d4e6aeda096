"""Weather and tides: readings that follow one another, a record table, and data only a script asks for."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache, partial

from webkeep.lab.demo.chance import Chance
from webkeep.lab.demo.markup import Layout, anchor, crumbs, figure, page, table
from webkeep.lab.demo.pictures.drawing import curve
from webkeep.lab.demo.pictures.landscape import landscape
from webkeep.lab.demo.pictures.scene import LIGHTS, Scene
from webkeep.lab.demo.plan import MINUTE
from webkeep.lab.demo.resource import Edition, Kind, Reach, Resource
from webkeep.lab.demo.texts import phrases

_SHOWN = 24


def resources() -> Iterator[Resource]:
    """The weather pages, the tide data, and the harbour camera."""
    weather = partial(Resource, section="weather")
    yield weather("/weather/", _now, rate=1 / (2 * MINUTE), title="Weather", priority=0.8)
    yield weather("/weather/tides/", _tides, title="Tides")
    yield weather("/weather/records/", _records, title="Weather records")
    yield Resource(
        "/data/tides.json",
        _tide_data,
        media_type="application/json",
        kind=Kind.DATA,
        rate=1 / (10 * MINUTE),
        title="Tide gauge data",
        reach=Reach.SCRIPT,
    )
    yield Resource(
        "/pictures/webcam.png",
        lambda edition: _webcam(edition.seed, edition.version),
        media_type="image/png",
        kind=Kind.PICTURE,
        rate=1 / (10 * MINUTE),
        title="The harbour camera",
    )


@dataclass(frozen=True, slots=True)
class _Reading:
    degrees: float
    pressure: float
    wind: str
    speed: int
    sky: str


def _reading(seed: int, number: int) -> _Reading:
    chance = Chance(seed, "weather", number)
    slow = math.sin(number / 9) + 0.4 * math.sin(number / 2.3)
    return _Reading(
        round(11 + 5 * slow + chance.uniform(-0.6, 0.6), 1),
        round(1013 + 9 * math.sin(number / 17) + chance.uniform(-0.4, 0.4), 1),
        phrases("winds")[number // 5 % 8],
        chance.integer(4, 28),
        phrases("skies")[(number // 3 + chance.integer(0, 1)) % 8],
    )


def _now(edition: Edition) -> bytes:
    numbers = range(edition.version + 1, edition.version + 1 + _SHOWN)
    readings = {number: _reading(edition.seed, number) for number in numbers}
    newest = readings[numbers[-1]]
    facts = (
        ("Temperature", f"{newest.degrees:.1f} °C"),
        ("Sky", newest.sky.capitalize()),
        ("Wind", f"{newest.wind} {newest.speed} km/h"),
        ("Pressure", f"{newest.pressure:.0f} hPa"),
    )
    shown = "".join(f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in facts)
    rows = [
        (str(number), f"{one.degrees:.1f} °C", one.sky, f"{one.wind} {one.speed} km/h")
        for number, one in sorted(readings.items(), reverse=True)[:8]
    ]
    main = (
        f'{crumbs(edition)}<h1>Weather at the breakwater</h1><p class="byline">Reading no. {numbers[-1]}</p>'
        f'<dl class="now">{shown}</dl><h2>The last readings</h2>'
        f"{curve([one.degrees for one in readings.values()], 'Temperature over the last readings')}"
        f"{table('Newest first', ('Reading', 'Temperature', 'Sky', 'Wind'), rows)}"
        f"<p>{anchor(edition, '/weather/tides/', 'Tides')} · {anchor(edition, '/weather/records/', 'Records')}</p>"
    )
    return page(edition, Layout("Weather", main, "The latest readings from the breakwater light."))


def _tides(edition: Edition) -> bytes:
    filled = table("Filled in by a script", ("Time", "Tide", "Height"), (), ' id="tides"')
    main = (
        f'{crumbs(edition)}<h1>Tides</h1><p class="lede">High and low water at the ferry steps.</p>'
        f"{filled}"
        '<p id="tides-note" role="status">Asking the gauge…</p>'
        "<noscript><p>The table needs a script; the harbour office has it on paper.</p></noscript>"
        f"{figure(edition, 'bay-mist', lazy=True)}"
    )
    return page(edition, Layout("Tides", main, modules=("/static/tides.js",)))


def _tide_data(edition: Edition) -> bytes:
    first = (edition.version * 745) % 1440
    tides = []
    for turn in range(8):
        minute = (first + turn * 373) % 1440
        high = (turn + edition.version) % 2 == 0
        metres = edition.chance("height", edition.version + turn).uniform(*((4.1, 5.2) if high else (0.3, 1.2)))
        time = f"{minute // 60:02d}:{minute % 60:02d}"
        tides.append({"time": time, "kind": "high" if high else "low", "metres": round(metres, 2)})
    return json.dumps({"reading": edition.version + 1, "tides": tides}, indent=1).encode()


def _records(edition: Edition) -> bytes:
    chance = edition.chance("records")
    rows = [
        (
            str(year),
            f"{chance.uniform(24, 32):.1f} °C",
            f"{chance.uniform(-9, -1):.1f} °C",
            f"{chance.integer(60, 118)} km/h",
            f"{chance.integer(620, 1040)} mm",
        )
        for year in range(2025, 1999, -1)
    ]
    heads = ("Year", "Warmest", "Coldest", "Strongest gust", "Rain")
    main = (
        f'{crumbs(edition)}<h1>Weather records</h1><p class="lede">Kept by the school since 2000.</p>'
        f"{table('Extremes by year', heads, rows)}"
    )
    return page(edition, Layout("Weather records", main))


@lru_cache(maxsize=8)
def _webcam(seed: int, version: int) -> bytes:
    chance = Chance(seed, "webcam", version)
    light = chance.pick(tuple(LIGHTS))
    return landscape(Scene("webcam", light, "", houses=10, boats=chance.integer(0, 6)), 640, (seed, version))
