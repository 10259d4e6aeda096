"""The harbour town: the pages written for it, and everything they show."""

from __future__ import annotations

from collections.abc import Iterator

from webkeep.lab.demo.site_resource import DemoResource
from webkeep.lab.demo.town import events, gallery, guestbook, news, plain_pages, timetable, weather, welcome


def resources() -> Iterator[DemoResource]:
    """Every resource of the town, the front page first."""
    for part in (news, weather, guestbook, events, gallery, timetable, plain_pages, welcome):
        yield from part.resources()
