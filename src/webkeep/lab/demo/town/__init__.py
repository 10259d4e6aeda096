"""The harbour town: the pages written for it, and everything they show."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.lab.demo.resource import Resource
from webkeep.lab.demo.town import events, gallery, guestbook, news, places, timetable, weather, welcome


def resources() -> Iterator[Resource]:
    """Every resource of the town, the front page first."""
    for part in (news, weather, guestbook, events, gallery, timetable, places, welcome):
        yield from part.resources()
