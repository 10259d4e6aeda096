"""Weather and tides of the demo town: readings that follow one another, a record table, the harbour camera, and data
that only a script asks for; how often each changes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from webkeep.lab.demo.page_markup import (
    PageLayout,
    render_anchor,
    render_breadcrumbs,
    render_figure,
    render_page,
    render_table,
)
from webkeep.lab.demo.scene_pictures import WEBCAM_BOATS, WEBCAM_LIGHTS, add_comment, read_picture
from webkeep.lab.demo.seeded_random import SeededRandom
from webkeep.lab.demo.site_plan import MINUTE_SECONDS
from webkeep.lab.demo.site_resource import DemoKind, DemoReach, DemoResource, ResourceVersion
from webkeep.lab.demo.texts import read_phrases

_READINGS_SHOWN = 24
"""Readings in the curve and the table of one page: a day of them."""


def resources() -> Iterator[DemoResource]:
    """The weather pages, the tide data, and the harbour camera."""
    weather = partial(DemoResource, section="weather")
    yield weather("/weather/", _render_now, rate=1 / (2 * MINUTE_SECONDS), title="Weather", priority=0.8)
    yield weather("/weather/tides/", _render_tides, title="Tides")
    yield weather("/weather/records/", _render_records, title="Weather records")
    yield DemoResource(
        "/data/tides.json",
        _render_tide_data,
        media_type="application/json",
        kind=DemoKind.DATA,
        rate=1 / (10 * MINUTE_SECONDS),
        title="Tide gauge data",
        reach=DemoReach.SCRIPT,
    )
    yield DemoResource(
        "/pictures/webcam.png",
        lambda edition: _render_webcam(edition.seed, edition.version),
        media_type="image/png",
        kind=DemoKind.PICTURE,
        rate=1 / (10 * MINUTE_SECONDS),
        title="The harbour camera",
    )


@dataclass(frozen=True, slots=True)
class _WeatherReading:
    degrees: float
    pressure: float
    wind: str
    speed: int
    sky: str


def _draw_reading(seed: int, number: int) -> _WeatherReading:
    chance = SeededRandom(seed, "weather", number)
    slow = math.sin(number / 9) + 0.4 * math.sin(number / 2.3)
    return _WeatherReading(
        round(11 + 5 * slow + chance.uniform(-0.6, 0.6), 1),
        round(1013 + 9 * math.sin(number / 17) + chance.uniform(-0.4, 0.4), 1),
        read_phrases("winds")[number // 5 % 8],
        chance.integer(4, 28),
        read_phrases("skies")[(number // 3 + chance.integer(0, 1)) % 8],
    )


def _render_now(edition: ResourceVersion) -> bytes:
    numbers = range(edition.version + 1, edition.version + 1 + _READINGS_SHOWN)
    readings = {number: _draw_reading(edition.seed, number) for number in numbers}
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
        f'{render_breadcrumbs(edition)}<h1>Weather at the breakwater</h1><p class="byline">Reading no. '
        f"{numbers[-1]}</p>"
        f'<dl class="now">{shown}</dl><h2>The last readings</h2>'
        f"{_render_curve([one.degrees for one in readings.values()], 'Temperature over the last readings')}"
        f"{render_table('Newest first', ('Reading', 'Temperature', 'Sky', 'Wind'), rows)}"
        f"<p>{render_anchor(edition, '/weather/tides/', 'Tides')} · "
        f"{render_anchor(edition, '/weather/records/', 'Records')}</p>"
    )
    return render_page(edition, PageLayout("Weather", main, "The latest readings from the breakwater light."))


def _render_tides(edition: ResourceVersion) -> bytes:
    filled = render_table("Filled in by a script", ("Time", "Tide", "Height"), (), ' id="tides"')
    main = (
        f'{render_breadcrumbs(edition)}<h1>Tides</h1><p class="lede">High and low water at the ferry steps.</p>'
        f"{filled}"
        '<p id="tides-note" role="status">Asking the gauge…</p>'
        "<noscript><p>The table needs a script; the harbour office has it on paper.</p></noscript>"
        f"{render_figure(edition, 'bay-mist', lazy=True)}"
    )
    return render_page(edition, PageLayout("Tides", main, modules=("/static/tides.js",)))


def _render_tide_data(edition: ResourceVersion) -> bytes:
    first = (edition.version * 745) % 1440
    tides = []
    for turn in range(8):
        minute = (first + turn * 373) % 1440
        high = (turn + edition.version) % 2 == 0
        metres = edition.chance("height", edition.version + turn).uniform(*((4.1, 5.2) if high else (0.3, 1.2)))
        time = f"{minute // 60:02d}:{minute % 60:02d}"
        tides.append({"time": time, "kind": "high" if high else "low", "metres": round(metres, 2)})
    return json.dumps({"reading": edition.version + 1, "tides": tides}, indent=1).encode()


def _render_records(edition: ResourceVersion) -> bytes:
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
        f'{render_breadcrumbs(edition)}<h1>Weather records</h1><p class="lede">Kept by the school since 2000.</p>'
        f"{render_table('Extremes by year', heads, rows)}"
    )
    return render_page(edition, PageLayout("Weather records", main))


def _render_webcam(seed: int, version: int) -> bytes:
    chance = SeededRandom(seed, "webcam", version)
    picture = read_picture(f"webcam-{chance.pick(WEBCAM_LIGHTS)}-{chance.pick(WEBCAM_BOATS)}.png")
    return add_comment(picture, f"Harbour camera, town {seed}, picture {version}")


def _render_curve(values: Sequence[float], label: str) -> str:
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
