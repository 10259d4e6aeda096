"""Seeds out of outlines (OPML), as feed readers export them: the site of each feed, or the feed itself."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from webkeep.errors import UsageError
from webkeep.formats.site import XmlStart, read_xml_events
from webkeep.service.collections.collection_facts import SeedEntry
from webkeep.service.collections.seed_table import RefusedLine, keep_entry
from webkeep.url import parse_seed


def read_outline(text: str, check: Callable[[SeedEntry], SeedEntry] = keep_entry) -> Iterator[SeedEntry | RefusedLine]:
    """The sites of an outline, with their titles as notes; entries without an address only group others."""
    number = 0
    for event in read_xml_events(text):
        if not isinstance(event, XmlStart) or event.name.lower() != "outline":
            continue
        number += 1
        named = {name.lower(): value for name, value in event.attributes.items()}
        address = named.get("htmlurl") or named.get("url") or named.get("xmlurl")
        if not address:
            continue
        try:
            yield check(SeedEntry(parse_seed(address), notes=named.get("title") or named.get("text") or ""))
        except UsageError as error:
            yield RefusedLine(number, str(error))
