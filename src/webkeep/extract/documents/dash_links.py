"""Links of DASH presentations (MPD): base addresses, segments named one by one, and segments by template and timeline;
how many segments are named at most.

Theory of operation. A presentation nests periods, adaptation sets and representations, and each may narrow the base
address and the segment template of what is around it. Elements are followed with a stack of what they inherit; a
representation's template is filled in when the representation ends.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from webkeep.extract.documents.decoded_content import DecodedContent
from webkeep.extract.links.link import LinkReference, LinkRole
from webkeep.formats.site import XmlEnd, XmlStart, XmlText, local_name, read_xml_events
from webkeep.url import resolve_url

MAX_SEGMENTS = 10_000
"""How many segments of one representation are named: a day in pieces of ten seconds."""

MAX_REFERENCES = 200_000
"""How many segments of a presentation are named: twenty representations of a day."""

_TEMPLATE_ATTRIBUTES = frozenset(("initialization", "media", "startNumber", "duration", "timescale"))
_LEVEL_ELEMENTS = frozenset(("MPD", "Period", "AdaptationSet", "Representation", "SubRepresentation"))
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

    def nest(self, attributes: Mapping[str, str]) -> _Level:
        length = attributes.get("duration") or attributes.get("mediaPresentationDuration") or ""
        return _Level(
            self.base,
            _parse_duration(length) or self.seconds,
            dict(self.template),
            self.timeline,
            attributes.get("id", ""),
            attributes.get("bandwidth", ""),
        )


def dash_references(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    """The segments of a presentation, up to a bound."""
    return itertools.islice(_read_references(text, resource), MAX_REFERENCES)


def _read_references(text: str, resource: DecodedContent) -> Iterator[LinkReference]:
    levels = [_Level(resource.url, 0.0)]
    in_base = False
    for event in read_xml_events(text):
        if isinstance(event, XmlStart):
            name = local_name(event.name)
            in_base = name == "BaseURL"
            if name in _LEVEL_ELEMENTS and len(levels) < 16:
                levels.append(levels[-1].nest(event.attributes))
            yield from _element_references(name, event.attributes, levels[-1])
        elif isinstance(event, XmlText):
            if in_base and event.text.strip():
                yield from _base_reference(event.text.strip(), levels[-1])
        elif isinstance(event, XmlEnd):
            in_base = False
            name = local_name(event.name)
            if name in _LEVEL_ELEMENTS and len(levels) > 1:
                level = levels.pop()
                if name == "Representation":
                    yield from _template_references(level)


def _base_reference(text: str, level: _Level) -> Iterator[LinkReference]:
    """A base that names a file is that file, where no segments are named."""
    if not text.endswith("/"):
        yield LinkReference(text, LinkRole.EMBED, "dash BaseURL", base=level.base)
    level.base = resolve_url(level.base, text) or level.base


def _element_references(name: str, attributes: Mapping[str, str], level: _Level) -> Iterator[LinkReference]:
    if name == "SegmentTemplate":
        level.template |= {key: value for key, value in attributes.items() if key in _TEMPLATE_ATTRIBUTES}
        level.timeline = []
    elif name == "S" and len(level.timeline) < MAX_SEGMENTS:
        level.timeline.append((_parse_number(attributes.get("d", "0")), _parse_number(attributes.get("r", "0"))))
        if "t" in attributes and len(level.timeline) == 1:
            level.template["start"] = attributes["t"]
    for key in ("sourceURL", "media", "index"):
        address = attributes.get(key, "")
        if name != "SegmentTemplate" and address:
            yield LinkReference(address, LinkRole.EMBED, f"dash {name}[{key}]", base=level.base)


def _template_references(level: _Level) -> Iterator[LinkReference]:
    initial, media = level.template.get("initialization", ""), level.template.get("media", "")
    if initial:
        yield LinkReference(
            _fill_template(initial, level, 0, 0), LinkRole.EMBED, "dash initialization", base=level.base
        )
    if media and "$" in media:
        for number, time in _segment_times(level):
            yield LinkReference(
                _fill_template(media, level, number, time), LinkRole.EMBED, "dash segment", base=level.base
            )


def _segment_times(level: _Level) -> Iterator[tuple[int, int]]:
    """The number and the time of each segment."""
    number, time = (
        _parse_number(level.template.get("startNumber", "1")),
        _parse_number(level.template.get("start", "0")),
    )
    left = MAX_SEGMENTS
    for duration, repeated in level.timeline:
        for _ in range(min(max(0, repeated) + 1, left)):
            yield number, time
            number, time, left = number + 1, time + duration, left - 1
    duration = _parse_number(level.template.get("duration", "0"))
    if not level.timeline and duration:
        total = level.seconds * max(1, _parse_number(level.template.get("timescale", "1"))) / duration
        for index in range(min(int(total + 0.999999), left)):
            yield number + index, time + index * duration


def _fill_template(template: str, level: _Level, number: int, time: int) -> str:
    values = {"RepresentationID": level.identity, "Bandwidth": level.bandwidth, "Number": number, "Time": time}

    def value(match: re.Match[str]) -> str:
        if match[1] is None:
            return "$"
        return str(values[match[1]]).zfill(int(match[2] or 0))

    return _VARIABLE.sub(value, template)


def _parse_duration(text: str) -> float:
    match = _DURATION.fullmatch(text)
    if match is None:
        return 0.0
    days, hours, minutes, seconds = (float(part or 0) for part in match.groups())
    return ((days * 24 + hours) * 60 + minutes) * 60 + seconds


def _parse_number(text: str) -> int:
    return int(text) if re.fullmatch(r"\d{1,18}", text) else 0
