"""Links of DASH presentations: base addresses, segments named one by one, and segments by template.

Theory of operation. A presentation nests periods, adaptation sets and representations, and each may narrow the base
address and the segment template of what is around it. Elements are followed with a stack of what they inherit; a
representation's template is filled in when the representation ends.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.extract.link import Reference, Role
from webkeep.extract.resource import Resource
from webkeep.formats.xml_events import XmlEnd, XmlStart, XmlText, local_name, xml_events
from webkeep.url import resolve

MOST_SEGMENTS = 10_000
"""How many segments of one representation are named."""

MOST_REFERENCES = 200_000
"""How many segments of a presentation are named."""

_TEMPLATE = frozenset(("initialization", "media", "startNumber", "duration", "timescale"))
_LEVELS = frozenset(("MPD", "Period", "AdaptationSet", "Representation", "SubRepresentation"))
_VARIABLE = re.compile(r"\$(RepresentationID|Bandwidth|Number|Time)?(?:%0(\d{1,2})d)?\$")
_DURATION = re.compile(r"P(?:(\d{1,6})D)?(?:T(?:(\d{1,6})H)?(?:(\d{1,6})M)?(?:(\d{1,9}(?:\.\d{0,9})?)S)?)?")


@dataclass(slots=True)
class _Level:
    """What an element hands on to those within it."""

    base: str
    seconds: float
    template: dict[str, str] = field(default_factory=dict)
    timeline: list[tuple[int, int]] = field(default_factory=list)
    identity: str = ""
    bandwidth: str = ""

    def inner(self, attributes: Mapping[str, str]) -> _Level:
        length = attributes.get("duration") or attributes.get("mediaPresentationDuration") or ""
        return _Level(
            self.base,
            _seconds(length) or self.seconds,
            dict(self.template),
            self.timeline,
            attributes.get("id", ""),
            attributes.get("bandwidth", ""),
        )


def dash_references(text: str, resource: Resource) -> Iterator[Reference]:
    """The segments of a presentation, up to a bound."""
    return itertools.islice(_references(text, resource), MOST_REFERENCES)


def _references(text: str, resource: Resource) -> Iterator[Reference]:
    levels = [_Level(resource.url, 0.0)]
    in_base = False
    for event in xml_events(text):
        if isinstance(event, XmlStart):
            name = local_name(event.name)
            in_base = name == "BaseURL"
            if name in _LEVELS and len(levels) < 16:
                levels.append(levels[-1].inner(event.attributes))
            yield from _named(name, event.attributes, levels[-1])
        elif isinstance(event, XmlText):
            if in_base and event.text.strip():
                yield from _based(event.text.strip(), levels[-1])
        elif isinstance(event, XmlEnd):
            in_base = False
            name = local_name(event.name)
            if name in _LEVELS and len(levels) > 1:
                level = levels.pop()
                if name == "Representation":
                    yield from _filled(level)


def _based(text: str, level: _Level) -> Iterator[Reference]:
    """A base that names a file is that file, where no segments are named."""
    if not text.endswith("/"):
        yield Reference(text, Role.EMBED, "dash BaseURL", base=level.base)
    level.base = resolve(level.base, text) or level.base


def _named(name: str, attributes: Mapping[str, str], level: _Level) -> Iterator[Reference]:
    if name == "SegmentTemplate":
        level.template |= {key: value for key, value in attributes.items() if key in _TEMPLATE}
        level.timeline = []
    elif name == "S" and len(level.timeline) < MOST_SEGMENTS:
        level.timeline.append((_number(attributes.get("d", "0")), _number(attributes.get("r", "0"))))
        if "t" in attributes and len(level.timeline) == 1:
            level.template["start"] = attributes["t"]
    for key in ("sourceURL", "media", "index"):
        address = attributes.get(key, "")
        if name != "SegmentTemplate" and address:
            yield Reference(address, Role.EMBED, f"dash {name}[{key}]", base=level.base)


def _filled(level: _Level) -> Iterator[Reference]:
    initial, media = level.template.get("initialization", ""), level.template.get("media", "")
    if initial:
        yield Reference(_filled_in(initial, level, 0, 0), Role.EMBED, "dash initialization", base=level.base)
    if media and "$" in media:
        for number, time in _segments(level):
            yield Reference(_filled_in(media, level, number, time), Role.EMBED, "dash segment", base=level.base)


def _segments(level: _Level) -> Iterator[tuple[int, int]]:
    """The number and the time of each segment."""
    number, time = _number(level.template.get("startNumber", "1")), _number(level.template.get("start", "0"))
    left = MOST_SEGMENTS
    for duration, repeated in level.timeline:
        for _ in range(min(max(0, repeated) + 1, left)):
            yield number, time
            number, time, left = number + 1, time + duration, left - 1
    duration = _number(level.template.get("duration", "0"))
    if not level.timeline and duration:
        total = level.seconds * max(1, _number(level.template.get("timescale", "1"))) / duration
        for index in range(min(int(total + 0.999999), left)):
            yield number + index, time + index * duration


def _filled_in(template: str, level: _Level, number: int, time: int) -> str:
    values = {"RepresentationID": level.identity, "Bandwidth": level.bandwidth, "Number": number, "Time": time}

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        return str(values[match[1]]).zfill(int(match[2] or 0))

    return _VARIABLE.sub(value, template)


def _seconds(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None:
        return 0.0
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,18}", text) else 0
